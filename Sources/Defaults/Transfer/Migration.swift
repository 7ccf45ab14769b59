extension Defaults {
  /// A step that brings the entries of a suite from one version to the next.
  ///
  /// ```swift
  /// let steps: [Defaults.Migration] = [
  ///   .init(1) { draft in try draft.renameEntry("colour", to: "color") },
  ///   .init(2) { draft in
  ///     guard case .real(let volume) = draft.entry(named: "volume") else { return }
  ///     try draft.setEntry(.integer(Int64(volume * 100)), named: "volume")
  ///   },
  /// ]
  /// ```
  public struct Migration: Sendable {
    /// The version that the entries have after the step.
    public let version: Int
    let body: @Sendable (inout Draft) throws -> Void

    /// The step to a version, which is at least 1.
    ///
    /// The body finds the entries in the form of the version before, any of them missing: a setting
    /// that nobody changed isn't stored. It runs once per suite, while every other writer waits, so
    /// it should be quick, and reach for nothing but the draft. Keep old steps as they are; name
    /// entries by strings there, since keys are what they are today.
    public init(_ version: Int, _ body: @escaping @Sendable (inout Draft) throws -> Void) {
      guard version > 0 else { fatalError("the version of a migration must be 1 or more") }
      self.version = version
      self.body = body
    }
  }
}

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
  /// with the first step. A suite that is up to date costs one look-up, and one whose file may not
  /// be written is migrated in memory.
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
      try draft.setEntry(.integer(Int64(version)), named: Defaults.versionName)
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
        "The step to version \(step.version) failed, so nothing was changed: \(error.words)",
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
    try Defaults.version(of: entry, suite: label) ?? 0
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

extension Defaults {
  /// The version that an entry holds; nil without one. Throws `undecodable` if it isn't a version.
  private static func version(
    of entry: PropertyListValue?, suite: String
  ) throws(SuiteError) -> Int? {
    guard let entry else { return nil }
    guard case .integer(let stored) = entry, stored >= 0, let version = Int(exactly: stored) else {
      throw SuiteError(
        .undecodable, "This is \(entry.kind), not the version of the entries; nothing was changed",
        suite: suite, key: versionName)
    }
    return version
  }

  /// The version that a draft gets by importing entries; nil if its own stays.
  ///
  /// Entries without a version count as of the suite's own. Others throw unless they are of that
  /// too, replace a suite as a whole that isn't newer, or come into one that has no settings yet.
  static func versionToImport(
    from entries: [String: PropertyListValue], over draft: Draft, isWhole: Bool,
    suite: String
  ) throws(SuiteError) -> Int? {
    guard let theirs = try version(of: entries[versionName], suite: suite) else { return nil }
    let ours = try version(of: draft.entry(named: versionName), suite: suite)
    if ours == theirs { return nil }
    if let ours, ours < theirs {
      throw SuiteError(
        .newerVersion,
        "The entries are of version \(theirs), the suite of \(ours); import them "
          + "with a newer version of the program", suite: suite)
    }
    let isEmpty = ours == nil && draft.names.allSatisfy(isReserved)
    guard isWhole || isEmpty else {
      throw SuiteError(
        .olderVersion,
        "The entries are of version \(theirs), the suite of \(ours ?? 0); import "
          + "them into a MemorySuite, migrate that, and import its entries", suite: suite)
    }
    return theirs
  }
}

extension Defaults.SuiteError.Code {
  /// Entries are of a newer version than this program knows; nothing was touched.
  public static let newerVersion = Self(rawValue: "newerVersion")
  /// Entries to import are of another version than the suite and must be migrated first.
  public static let olderVersion = Self(rawValue: "olderVersion")
  /// A step of a migration threw; nothing was changed.
  public static let migrationFailed = Self(rawValue: "migrationFailed")
}
