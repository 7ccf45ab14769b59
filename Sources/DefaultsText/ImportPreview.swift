import Defaults

extension Defaults.Suite {
  /// Returns the changes that an import would make, sorted by name, including rejected changes. A
  /// read-only suite rejects all. With `comparesValuesInEffect`, returns the differences between
  /// the values in effect and the entries instead, in a suite of layers. Changes nothing.
  ///
  /// An import with a rejected entry throws. Throws the errors of ``importEntries(_:from:by:)``
  /// about the entries as a whole, such as `newerEntries`.
  package func previewImport(
    _ selection: Defaults.Selection = .all, from entries: [String: PropertyListValue],
    by mode: Defaults.ImportMode, comparesValuesInEffect: Bool = false
  ) throws(SuiteError) -> [Defaults.ImportDifference] {
    let entries = try migratedForImport(entries)
    // The draft isn't committed.
    var draft = Defaults.Draft(of: self)
    var arriving = ArrivingEntries(
      selection, mode.rule, comparesValuesInEffect: comparesValuesInEffect)
    try arriving.take(entries, by: mode, collectsRefusals: true, in: &draft)
    return arriving.report.differences
  }
}

extension Defaults.ImportReport {
  /// The changes of settings, sorted by name.
  package var differences: [Defaults.ImportDifference] {
    changes.sortedByName.map(\.value).filter { $0.name != Defaults.versionName }
  }
}
