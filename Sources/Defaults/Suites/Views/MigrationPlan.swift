/// The migrations that a program knows, and the version to which they lead.
struct MigrationPlan: KnownMigrations {
  let version: Int
  private let steps: [Defaults.Migration]

  /// Traps unless the steps are in ascending order and lead no further than the version.
  init(to version: Int, by steps: [Defaults.Migration]) {
    let versions = steps.map(\.version)
    guard version >= 0, zip(versions, versions.dropFirst()).allSatisfy(<) else {
      fatalError("the steps of a migration must be in ascending order")
    }
    guard versions.last ?? 0 <= version else {
      fatalError("a step of the migration leads further than the version to migrate to")
    }
    self.version = version
    self.steps = steps
  }

  /// Whether entries with this version entry need a step. Throws `newerEntries`, and `undecodable`
  /// if the entry isn't a version.
  func isNeeded(
    by entry: PropertyListValue?, of subject: String = "The entries", in suite: String
  ) throws(SuiteError) -> Bool {
    let present = try Defaults.version(of: entry, suite: suite)
    guard present <= version else {
      throw SuiteError(
        .newerEntries,
        "\(subject) are of version \(present), and this program knows them up to \(version); "
          + "use a newer version of the program", suite: suite)
    }
    return present < version
  }

  /// Brings the entries of a draft to the version of the plan, and returns the one that they had.
  /// In a suite of layers that is the writable one, whatever the others give.
  @discardableResult
  func migrate(_ draft: inout Defaults.Draft) throws(SuiteError) -> Int {
    let label = draft.suite.label
    return try draft.withWritableLayer { draft throws(SuiteError) in
      let stored = draft.entry(named: Defaults.versionName)
      let old = try Defaults.version(of: stored, suite: label)
      guard try isNeeded(by: stored, in: label) else { return old }
      for step in steps where step.version > old { try run(step, on: &draft, of: label) }
      try draft.setEntry(.integer(Int64(version)), named: Defaults.versionName)
      return old
    }
  }

  /// Imported entries in the form of the plan's version, with that version.
  func migrated(
    _ entries: [String: PropertyListValue], for suite: String
  ) throws(SuiteError) -> [String: PropertyListValue] {
    let version = entries[Defaults.versionName]
    guard try isNeeded(by: version, of: "The entries to import", in: suite) else { return entries }
    let copy = Defaults.MemorySuite(entries, label: suite)
    _ = try copy.exactly { draft throws(SuiteError) in try migrate(&draft) }
    return copy.entries
  }

  private func run(
    _ step: Defaults.Migration, on draft: inout Defaults.Draft, of suite: String
  ) throws(SuiteError) {
    do {
      try step.body(&draft)
    } catch {
      let key = (error as? SuiteError)?.key
      throw SuiteError(
        .migrationFailed,
        "The step to version \(step.version) failed, so nothing was changed: \(error.words)",
        suite: suite, key: key, underlying: error)
    }
  }
}

extension Defaults {
  /// The version that an entry holds; 0 without one. Throws `undecodable` if it isn't a version.
  static func version(of entry: PropertyListValue?, suite: String) throws(SuiteError) -> Int {
    guard let entry else { return 0 }
    guard case .integer(let stored) = entry, stored >= 0, let version = Int(exactly: stored) else {
      throw SuiteError(
        .undecodable, "This is \(entry.kind), not the version of the entries; nothing was changed",
        suite: suite, key: versionName)
    }
    return version
  }
}

extension Defaults.Suite {
  /// The migrations by which an import brings older entries to the current version; nil where the
  /// program hasn't named any. All views of the stored entries have the same.
  var knownMigrations: MigrationPlan? { migrations.withLock { $0 } as? MigrationPlan }

  /// Makes migrations known to imports. Of several plans for one suite the one that leads furthest
  /// counts, and of equal ones the last.
  func learn(_ plan: MigrationPlan) {
    migrations.withLock { known in
      if let known, known.version > plan.version { return }
      known = plan
    }
  }

  private var migrations: Lock<(any KnownMigrations)?> {
    (stored?.target.support ?? support).migrations
  }
}
