extension Defaults {
  /// How an import changes an entry, or would change it.
  package struct ImportDifference: Sendable {
    package let name: String
    /// The entry before; nil if there was none.
    package let old: PropertyListValue?
    /// The entry after; nil if it is removed.
    package let new: PropertyListValue?
    /// Why the suite rejects the new entry; nil if it takes it.
    package var refusal: SuiteError?
  }
}

extension Defaults.Suite {
  /// How an import would change the entries, sorted by name, with what it would reject, which in a
  /// read-only suite is everything; changes nothing.
  ///
  /// An import with a rejected entry throws, and changes nothing. Throws what
  /// ``importEntries(_:from:by:)`` throws about the entries as a whole, such as `newerEntries`.
  package func previewImport(
    _ selection: Defaults.Selection = .all, from entries: [String: Defaults.PropertyListValue],
    by mode: Defaults.ImportMode
  ) throws(Defaults.SuiteError) -> [Defaults.ImportDifference] {
    let entries = try migratedForImport(entries)
    // It isn't committed.
    var draft = Defaults.Draft(of: self)
    var arriving = Defaults.ArrivingEntries(selection, mode.rule)
    try arriving.take(entries, by: mode, collectsRefusals: true, in: &draft)
    return arriving.differences
  }

  /// Imports entries, and returns how that changed them, sorted by name.
  package func importEntriesListingDifferences(
    _ selection: Defaults.Selection = .all, from entries: [String: Defaults.PropertyListValue],
    by mode: Defaults.ImportMode
  ) throws(Defaults.SuiteError) -> [Defaults.ImportDifference] {
    try takeEntries(selection, from: entries, by: mode).differences
  }
}

extension Defaults.ArrivingEntries {
  /// How the settings change, sorted by name.
  fileprivate var differences: [Defaults.ImportDifference] {
    arrivals.sortedByName.filter { !Defaults.isReserved($0.key) }.map { name, arrival in
      Defaults.ImportDifference(
        name: name, old: arrival.old, new: arrival.new, refusal: arrival.refusal)
    }
  }
}
