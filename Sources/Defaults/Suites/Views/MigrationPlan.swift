/// The migrations of a program, and its version of the entries.
package struct MigrationPlan: Sendable {
  let version: Int
  private let steps: [Defaults.Migration]

  /// Creates a plan for a suite with this label. Traps unless `version` is at least 0 and the steps
  /// are in ascending order and at most at `version`.
  package init(to version: Int, by steps: [Defaults.Migration], for label: String) {
    let versions = steps.map(\.version)
    guard version >= 0 else {
      fatalError(
        "\(escaped(label)) can't be migrated to version \(version); the version must be 0 or more.")
    }
    guard zip(versions, versions.dropFirst()).allSatisfy(<) else {
      fatalError("The steps of the migration of \(escaped(label)) must be in ascending order.")
    }
    guard versions.last ?? 0 <= version else {
      fatalError(
        "A step of the migration of \(escaped(label)) leads to a higher version than the migration "
          + "itself, \(version).")
    }
    self.version = version
    self.steps = steps
  }

  /// Returns whether entries with this version entry need a step.
  ///
  /// - Throws: `newerEntries`, or `undecodable` if the entry isn't a version.
  func isNeeded(
    by entry: PropertyListValue?, of subject: String = "The entries", in suite: String
  ) throws(SuiteError) -> Bool {
    let present = try Defaults.version(of: entry, suite: suite)
    guard present <= version else {
      throw SuiteError(
        .newerEntries,
        "\(subject) have version \(present), but this program knows only versions up to "
          + "\(version). Use a newer version of the program", suite: suite)
    }
    return present < version
  }

  /// Migrates the entries of a draft and returns their previous version. In a suite that consists
  /// of layers, only the writable layer is read and changed.
  @discardableResult
  func migrate(_ draft: inout Defaults.Draft) throws(SuiteError) -> Int {
    let label = draft.suite.label
    return try draft.withWritableLayer { draft throws(SuiteError) in
      let stored = draft.entry(named: Defaults.versionName)
      let old = try Defaults.version(of: stored, suite: label)
      guard try isNeeded(by: stored, in: label) else { return old }
      try migrateProfiles(in: &draft, from: old, of: label)
      try run(after: old, on: &draft, of: label)
      try draft.setEntry(.integer(Int64(version)), named: Defaults.versionName)
      return old
    }
  }

  /// Returns imported entries in the form of the plan's version, including the version entry.
  func migrated(
    _ entries: [String: PropertyListValue], for suite: String
  ) throws(SuiteError) -> [String: PropertyListValue] {
    let version = entries[Defaults.versionName]
    guard try isNeeded(by: version, of: "The entries to import", in: suite) else { return entries }
    let copy = Defaults.MemorySuite(entries, label: suite)
    _ = try copy.exactly { draft throws(SuiteError) in try migrate(&draft) }
    return copy.entries
  }

  func run(after old: Int, on draft: inout Defaults.Draft, of suite: String) throws(SuiteError) {
    for step in steps where step.version > old {
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
}

extension MigrationPlan {
  /// Migrates the settings in all profiles of a draft from a version, as if each profile were a
  /// suite.
  func migrateProfiles(
    in draft: inout Defaults.Draft, from old: Int, of suite: String
  ) throws(SuiteError) {
    var profiles: [String: [String: PropertyListValue]] = [:]
    for name in draft.names {
      let setting = Defaults.settingName(of: name)
      guard setting.utf8.count < name.utf8.count else { continue }
      // Not by characters: the setting's name may begin with a part of a character.
      let prefix = String(Substring(name.utf8.dropLast(setting.utf8.count)))
      profiles[prefix, default: [:]][setting] = draft.entry(named: name)
    }
    for (prefix, entries) in profiles {
      let copy = Defaults.MemorySuite(entries, label: suite)
      try copy.exactly { draft throws(SuiteError) in try run(after: old, on: &draft, of: suite) }
      for name in entries.keys where copy.entry(named: name) == nil {
        draft.removeEntry(named: prefix + name)
      }
      for (name, value) in copy.entries where entries[name] != value {
        try draft.setEntry(value, named: prefix + name)
      }
    }
  }
}

extension Defaults {
  /// Returns the version in an entry; 0 for nil. Throws `undecodable` if the entry isn't a version.
  /// `path` is the path of an imported file that has the entry.
  static func version(
    of entry: PropertyListValue?, suite: String, path: String? = nil
  ) throws(SuiteError) -> Int {
    guard let entry else { return 0 }
    guard case .integer(let stored) = entry, stored >= 0, let version = Int(exactly: stored) else {
      throw SuiteError(
        .undecodable,
        "The version of the entries must be an integer of at least 0. Nothing was changed",
        suite: suite, key: versionName, path: path)
    }
    return version
  }
}

extension Defaults.Suite {
  /// The migrations of older entries for imports; nil if the program has provided none. All views
  /// of the stored entries share them.
  var knownMigrations: MigrationPlan? { migrations.withLock { $0 } as? MigrationPlan }

  /// Provides migrations for imports. The plan with the highest version applies; of plans with the
  /// same version, the last.
  package func learn(_ plan: MigrationPlan) {
    // The old plan is released outside of the lock, since its steps may retain any object.
    let old = migrations.withLock { known -> (any Sendable)? in
      guard (known as? MigrationPlan)?.version ?? 0 <= plan.version else { return nil }
      defer { known = plan }
      return known
    }
    withExtendedLifetime(old) {}
  }

  private var migrations: Lock<(any Sendable)?> { (stored?.target.support ?? support).migrations }
}
