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
    /// The body finds the entries in the form of the previous version. Any of them may be missing: a
    /// setting that was never changed isn't stored, and an import runs the step on the imported
    /// entries alone. The body may run more than once, as that of every transaction, so it must use
    /// nothing but the draft. Name entries by strings there, since keys declare the
    /// current form, and don't change a step that was released.
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
    get throws(Defaults.SuiteError) {
      try Defaults.version(of: entry(named: Defaults.versionName), suite: label)
    }
  }

  /// Brings the entries to the version of this program, by the steps that they haven't had yet, and
  /// makes the steps known to later imports.
  ///
  /// ```swift
  /// try Defaults.standard.migrate(to: 2, steps: [
  ///   .init(1) { draft in try draft.renameEntry("colour", to: "color") },
  ///   .init(2) { draft in draft.removeEntry(named: "cache") },
  /// ])
  /// ```
  ///
  /// Call it at each launch, before the entries are used. All steps and the new version are one
  /// transaction: killed half-way, or if a step throws, the entries are as they were, and the next
  /// call begins again. Of two processes that start at once, one migrates, and the other finds it
  /// done. A suite without a version, a new one too, gets every step. The version is an entry,
  /// ``Defaults/versionName``, which removing all entries leaves; without it, the next call begins
  /// with the first step. A suite that is up to date costs one look-up, and one whose file is
  /// read-only is migrated in memory. In a suite of layers the writable one is migrated.
  ///
  /// From then on, ``importEntries(_:from:by:)`` and its counterparts migrate entries of an older
  /// version, also if this throws. Of several calls with different steps the one that leads furthest
  /// counts for imports.
  ///
  /// Returns the version that the entries had before. Throws, with nothing changed: `newerEntries`
  /// if a newer program migrated the suite; `migrationFailed` with the step's error; `locked` if
  /// another process doesn't give the lock back (it may be migrating); `unwritable` if the disk is
  /// full; `undecodable` if the version can't be read. The steps must be in ascending order and lead
  /// no further than `version`: anything else traps.
  @discardableResult
  public func migrate(
    to version: Int, steps: [Defaults.Migration]
  ) throws(Defaults.SuiteError) -> Int {
    let plan = MigrationPlan(to: version, by: steps)
    learn(plan)
    guard try plan.isNeeded(by: entry(named: Defaults.versionName), in: label) else {
      return version
    }
    // Another process may have been faster, so the version is looked at again.
    return try exactly { draft throws(Defaults.SuiteError) in try plan.migrate(&draft) }
  }
}

extension Defaults.SuiteError.Code {
  /// Entries are of a newer version than this program knows; nothing was changed.
  public static let newerEntries = Self(rawValue: "newerEntries")
  /// Entries to import are of an older version than the suite, and no migrations are known; nothing
  /// was changed.
  public static let olderVersion = Self(rawValue: "olderVersion")
  /// A step of a migration threw; nothing was changed.
  public static let migrationFailed = Self(rawValue: "migrationFailed")
}
