extension Defaults {
  /// The version of a suite's entries: which program's form they have.
  struct SchemaVersion: Hashable, Comparable {
    let number: Int

    var entry: PropertyListValue { .integer(Int64(number)) }

    static func < (left: Self, right: Self) -> Bool { left.number < right.number }
  }
}

extension Defaults.SchemaVersion {
  /// The version that an entry holds; nil without one. Throws `undecodable` if it isn't a version.
  init?(_ entry: Defaults.PropertyListValue?, suite: String) throws(Defaults.SuiteError) {
    guard let entry else { return nil }
    guard case .integer(let stored) = entry, stored >= 0, let number = Int(exactly: stored) else {
      throw Defaults.SuiteError(
        .undecodable, "This is \(entry.kind), not the version of the entries; nothing was changed",
        suite: suite, key: Defaults.versionName)
    }
    self.number = number
  }

  /// The version that a draft gets by importing entries; nil if its own stays.
  ///
  /// Entries without a version count as of the suite's own. Others throw unless they are of that
  /// too, replace a suite as a whole that isn't newer, or come into one that has no settings yet.
  static func imported(
    from entries: [String: Defaults.PropertyListValue], over draft: Defaults.Draft, isWhole: Bool,
    suite: String
  ) throws(Defaults.SuiteError) -> Self? {
    guard let theirs = try Self(entries[Defaults.versionName], suite: suite) else { return nil }
    let ours = try Self(draft.entry(named: Defaults.versionName), suite: suite)
    if ours == theirs { return nil }
    if let ours, ours < theirs {
      throw Defaults.SuiteError(
        .newerVersion,
        "The entries are of version \(theirs.number), the suite of \(ours.number); import them "
          + "with a newer version of the program", suite: suite)
    }
    let isEmpty = ours == nil && draft.names.allSatisfy(Defaults.isReserved)
    guard isWhole || isEmpty else {
      throw Defaults.SuiteError(
        .olderVersion,
        "The entries are of version \(theirs.number), the suite of \(ours?.number ?? 0); import "
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
