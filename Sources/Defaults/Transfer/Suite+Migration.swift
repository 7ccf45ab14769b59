extension Defaults.Suite {
  /// The version that the entries were migrated to; 0 if they never were. Throws `undecodable` if
  /// what is stored under ``Defaults/versionName`` isn't a version.
  public var version: Int {
    get throws(Defaults.SuiteError) { try Self.version(entry(named: Defaults.versionName), label) }
  }

  /// Brings the entries to the version of this program, by the steps that they haven't had yet.
  ///
  /// ```swift
  /// try Defaults.PropertyListSuite.standard.migrate(to: 2, steps: [
  ///   .init(1) { draft in try draft.renameEntry("colour", to: "color") },
  ///   .init(2) { draft in draft.removeEntry(named: "cache") },
  /// ])
  /// ```
  ///
  /// Call it at launch, before the entries are used. All steps and the new version are one
  /// transaction: killed half-way, or if a step throws, the entries are as they were, and the next
  /// call begins again; of two processes that start at once, one migrates, and the other finds it
  /// done. A suite without a version, a new one too, gets every step. The version is an entry,
  /// ``Defaults/versionName``, which removing all entries leaves; without it, the next call begins
  /// with the first step. A suite that is up to date costs one look-up, and one whose file may not be
  /// written is migrated in memory.
  ///
  /// Returns the version that the entries had before. Throws, with nothing changed: `newerVersion`
  /// if a newer program migrated the suite; `migrationFailed` with the step's error; `locked` if
  /// another process doesn't give the lock back (it may be migrating); `unwritable` if the disk is
  /// full; `undecodable` if
  /// the version can't be read. The steps must be in ascending order and lead no further than
  /// `version`: anything else traps.
  @discardableResult
  public func migrate(
    to version: Int, steps: [Defaults.Migration]
  ) throws(Defaults.SuiteError) -> Int {
    Self.checkOrder(of: steps, to: version)
    guard try isOlder(than: version, entry(named: Defaults.versionName)) else { return version }
    return try exactly { draft throws(Defaults.SuiteError) in
      // Another process may have been faster.
      let stored = draft.entry(named: Defaults.versionName)
      guard try isOlder(than: version, stored) else { return version }
      let old = try Self.version(stored, label)
      for step in steps where step.version > old { try run(step, on: &draft) }
      try draft.setEntry(
        Defaults.SchemaVersion(number: version).entry, named: Defaults.versionName)
      return old
    }
  }

  private func run(
    _ step: Defaults.Migration, on draft: inout Defaults.Draft
  ) throws(Defaults.SuiteError) {
    do {
      try step.body(&draft)
    } catch {
      let key = (error as? Defaults.SuiteError)?.key
      throw Defaults.SuiteError(
        .migrationFailed,
        "The step to version \(step.version) failed, so nothing was changed: \(error)",
        suite: label, key: key, underlying: error)
    }
  }

  private func isOlder(
    than version: Int, _ entry: Defaults.PropertyListValue?
  ) throws(Defaults.SuiteError) -> Bool {
    let present = try Self.version(entry, label)
    guard present <= version else {
      throw Defaults.SuiteError(
        .newerVersion,
        "The entries are of version \(present), and this program knows them up to \(version); "
          + "use a newer version of the program", suite: label)
    }
    return present < version
  }

  private static func version(
    _ entry: Defaults.PropertyListValue?, _ label: String
  ) throws(Defaults.SuiteError) -> Int {
    try Defaults.SchemaVersion(entry, suite: label)?.number ?? 0
  }

  private static func checkOrder(of steps: [Defaults.Migration], to version: Int) {
    let versions = steps.map(\.version)
    guard version >= 0, zip(versions, versions.dropFirst()).allSatisfy(<) else {
      fatalError("the steps of a migration must be in ascending order")
    }
    guard versions.last ?? 0 <= version else {
      fatalError("a step of the migration leads further than the version to migrate to")
    }
  }
}
