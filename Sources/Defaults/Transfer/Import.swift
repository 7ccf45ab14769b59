import Foundation

extension Defaults.Suite {
  /// Imports the entries of a file, all in one transaction, and reports what became of each.
  ///
  /// Everything is read and checked before the suite is locked. If anything throws, nothing is
  /// changed: `unreadable` for the file, `malformed` with path and line for its content,
  /// `unrepresentable` for an entry that the suite can't keep, `invalid` for one that isn't allowed
  /// by the rules of a key that was declared until now or is selected, also under a previous name,
  /// `undecodable` for one that isn't of the type of a selected key, and `unresolved` with the error of
  /// a mode's closure.
  ///
  /// Content of an older version is migrated: the steps that were given to ``migrate(to:steps:)``
  /// run on the imported entries alone, before they are selected and merged. Content without a
  /// version is of version 0. If a step throws, this throws `migrationFailed`. Content of a newer
  /// version than the program knows throws `newerEntries`. Where the suite is older than the program,
  /// it is migrated in the same transaction. Without known migrations, content of an older version
  /// than the suite throws `olderVersion`, unless it replaces the suite as a whole, which then has
  /// that version; and a suite without settings takes the version of the content.
  ///
  /// Of keys that are selected, an entry under a previous name counts as one under the current
  /// name, on both sides.
  ///
  /// ```swift
  /// let result = try suite.importEntries(from: url, as: .json, by: .merge { name, old, new in
  ///   name.hasPrefix("window.") ? old : new
  /// })
  /// print(result.added, result.updated, result.removed)
  /// ```
  @discardableResult
  public func importEntries(
    _ selection: Defaults.Selection = .all, from url: URL, as format: some Defaults.ExchangeFormat,
    by mode: Defaults.ImportMode = .merge
  ) throws(Defaults.SuiteError) -> Defaults.ImportReport {
    let file = try StoredFile(url: url)
    guard let content = try file.read() else {
      throw Defaults.SuiteError(
        .unreadable, "There is no file to import here", suite: label, path: file.path)
    }
    let entries = try decode(content.data, as: format, selection, path: file.path)
    return try importEntries(selection, from: entries, by: mode)
  }

  /// Imports the entries of a file's content; see the form for a file.
  @discardableResult
  public func importEntries(
    _ selection: Defaults.Selection = .all, from data: Data,
    as format: some Defaults.ExchangeFormat, by mode: Defaults.ImportMode = .merge
  ) throws(Defaults.SuiteError) -> Defaults.ImportReport {
    let entries = try decode(data, as: format, selection, path: nil)
    return try importEntries(selection, from: entries, by: mode)
  }

  /// Imports the entries of a text; see the form for a file.
  @discardableResult
  public func importEntries(
    _ selection: Defaults.Selection = .all, from text: String,
    as format: some Defaults.ExchangeFormat, by mode: Defaults.ImportMode = .merge
  ) throws(Defaults.SuiteError) -> Defaults.ImportReport {
    try importEntries(selection, from: Data(text.utf8), as: format, by: mode)
  }

  /// Imports entries, such as those of another suite; see the form for a file.
  @discardableResult
  public func importEntries(
    _ selection: Defaults.Selection = .all, from entries: [String: Defaults.PropertyListValue],
    by mode: Defaults.ImportMode = .merge
  ) throws(Defaults.SuiteError) -> Defaults.ImportReport {
    try takeEntries(selection, from: entries, by: mode).report
  }

  func takeEntries(
    _ selection: Defaults.Selection, from entries: [String: Defaults.PropertyListValue],
    by mode: Defaults.ImportMode
  ) throws(Defaults.SuiteError) -> Defaults.ArrivingEntries {
    let entries = try migratedForImport(entries)
    return try exactly { draft throws(Defaults.SuiteError) in
      var arriving = Defaults.ArrivingEntries(selection, mode.rule)
      try arriving.take(entries, by: mode, in: &draft)
      return arriving
    }
  }

  /// Entries to import in the form of the current version, with that version; as they are where no
  /// migrations are known. Throws `newerEntries`, `undecodable` and `migrationFailed`.
  package func migratedForImport(
    _ entries: [String: Defaults.PropertyListValue]
  ) throws(Defaults.SuiteError) -> [String: Defaults.PropertyListValue] {
    try knownMigrations?.migrated(entries, for: label) ?? entries
  }

  private func decode(
    _ data: Data, as format: some Defaults.ExchangeFormat, _ selection: Defaults.Selection,
    path: String?
  ) throws(Defaults.SuiteError) -> [String: Defaults.PropertyListValue] {
    do {
      let entries = try format.decode(data)
      return format is Defaults.JSONFormat ? selection.entries(ofDecimals: entries) : entries
    } catch {
      let reason = (error as? Defaults.ConversionError)?.description(in: data) ?? error.words
      throw Defaults.SuiteError(
        .malformed, "The content can't be imported: \(reason)", suite: label, path: path,
        underlying: error)
    }
  }
}
