extension Defaults {
  /// A step that migrates the entries of a suite from one version to the next.
  ///
  /// ```swift
  /// let steps: [Defaults.Migration] = [
  ///   .init(1) { draft in try draft.renameEntry("tint", to: "color") },
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

    /// Creates the step to a version of at least 1.
    ///
    /// The body receives the entries of the previous version. Any entry may be missing: a setting
    /// that was never set isn't stored, and an import migrates only the imported entries. Like the
    /// body of every transaction, it may run more than once, so it must use only the draft. Name
    /// entries by strings, since keys declare the current form. Don't change a step after its
    /// release.
    ///
    /// - Parameters:
    ///   - version: The version of the entries after the step.
    ///   - body: Changes the entries.
    public init(_ version: Int, _ body: @escaping @Sendable (inout Draft) throws -> Void) {
      guard version > 0 else { fatalError("The version of a migration must be 1 or more.") }
      self.version = version
      self.body = body
    }
  }
}

extension Defaults.Suite {
  /// The version that the entries were migrated to; 0 if they never were. Throws `undecodable` if
  /// the entry ``Defaults/versionName`` isn't a version.
  public var version: Int {
    get throws(Defaults.SuiteError) {
      try Defaults.version(of: entry(named: Defaults.versionName), suite: label)
    }
  }

  /// Migrates the entries to the version of this program: runs the steps that are missing.
  ///
  /// ```swift
  /// try Defaults.standard.migrate(to: 2, steps: [
  ///   .init(1) { draft in try draft.renameEntry("tint", to: "color") },
  ///   .init(2) { draft in draft.removeEntry(named: "cache") },
  /// ])
  /// ```
  ///
  /// Call it at each launch, before the entries are used. It costs one look-up if the suite is up
  /// to date. All steps and the new version are one transaction: after a crash or an error the
  /// entries are unchanged, and the next call starts over. If two processes start at once, only one
  /// migrates.
  ///
  /// The version is an entry, ``Defaults/versionName``, which `removeAll()` keeps. If this entry is
  /// missing, as in a new suite, all steps run. A suite that this user may not write isn't
  /// migrated. In a suite that consists of layers, the writable layer is migrated.
  ///
  /// Later imports, such as ``importEntries(_:from:by:)``, also use the steps, even if this call
  /// throws. After several calls, imports use the steps to the highest version.
  ///
  /// - Parameters:
  ///   - version: The version of this program. A negative version traps, and one that is lower than
  ///     the last step's version.
  ///   - steps: The steps in ascending order. Another order traps.
  /// - Returns: The previous version of the entries.
  /// - Throws: In each case nothing was changed. `newerEntries` if a newer program migrated the
  ///   suite, `migrationFailed` with a step's error, `locked` if another process doesn't release
  ///   the lock (it may be migrating), `unwritable` if the disk is full or the file can't be
  ///   written, or `undecodable` if the version can't be read.
  @discardableResult
  public func migrate(
    to version: Int, steps: [Defaults.Migration]
  ) throws(Defaults.SuiteError) -> Int {
    let plan = MigrationPlan(to: version, by: steps, for: label)
    learn(plan)
    guard try plan.isNeeded(by: entry(named: Defaults.versionName), in: label) else {
      return version
    }
    // Another process may have migrated meanwhile, so the version is read again in the transaction.
    return try exactly { draft throws(SuiteError) in try plan.migrate(&draft) }
  }
}

extension Defaults.SuiteError.Code {
  /// The entries have a newer version than this program knows. Nothing was changed.
  public static let newerEntries = Self(rawValue: "newerEntries")
  /// The entries to import have an older version than the suite, and no migrations are known.
  /// Nothing was changed.
  public static let olderVersion = Self(rawValue: "olderVersion")
  /// A step of a migration threw an error. Nothing was changed.
  public static let migrationFailed = Self(rawValue: "migrationFailed")
}
