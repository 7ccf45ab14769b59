extension Defaults {
  /// The change that an import makes, or would make, to an entry.
  package struct ImportDifference: Sendable {
    package let name: String
    /// The entry before; nil if there was none.
    package let old: PropertyListValue?
    /// The entry after; nil if it is removed.
    package let new: PropertyListValue?
    /// The reason that the suite rejects the new entry; nil if it accepts it.
    package var refusal: SuiteError?
  }
}

extension Defaults.Suite {
  /// Returns the changes that an import would make, sorted by name, including rejected changes. A
  /// read-only suite rejects all. Changes nothing.
  ///
  /// An import with a rejected entry throws. Throws the errors of ``importEntries(_:from:by:)``
  /// about the entries as a whole, such as `newerEntries`.
  package func previewImport(
    _ selection: Defaults.Selection = .all, from entries: [String: Defaults.PropertyListValue],
    by mode: Defaults.ImportMode
  ) throws(Defaults.SuiteError) -> [Defaults.ImportDifference] {
    let entries = try migratedForImport(entries)
    // The draft isn't committed.
    var draft = Defaults.Draft(of: self)
    var arriving = Defaults.ArrivingEntries(selection, mode.rule)
    try arriving.take(entries, by: mode, collectsRefusals: true, in: &draft)
    return arriving.differences
  }

  /// Imports entries, and returns the changes that it made, sorted by name.
  package func importEntriesListingDifferences(
    _ selection: Defaults.Selection = .all, from entries: [String: Defaults.PropertyListValue],
    by mode: Defaults.ImportMode
  ) throws(Defaults.SuiteError) -> [Defaults.ImportDifference] {
    try takeEntries(selection, from: entries, by: mode).differences
  }
}

extension Defaults.ArrivingEntries {
  fileprivate var differences: [Defaults.ImportDifference] {
    arrivals.sortedByName.filter { !Defaults.isReserved($0.key) }.map { name, arrival in
      Defaults.ImportDifference(
        name: name, old: arrival.old, new: arrival.new, refusal: arrival.refusal)
    }
  }
}
