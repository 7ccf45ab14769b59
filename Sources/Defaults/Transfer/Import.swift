import Foundation

extension Defaults.Suite {
  /// Imports the entries of a file in one transaction.
  ///
  /// Everything is checked before anything is committed. If anything throws, nothing changes. An
  /// error about an entry has the path of the imported file. If several entries are rejected, the
  /// error is about the first by name.
  ///
  /// Content of an older version is migrated: the steps that were passed to ``migrate(to:steps:)``
  /// run on the imported entries alone, before they are selected and merged. Content without a
  /// version has version 0. If the suite is older than the program, it is migrated in the same
  /// transaction. Without known migrations, the content and the suite must have the same version,
  /// with two exceptions: older content may replace the whole suite, and a suite without a version
  /// accepts content of any version if it is replaced as a whole or has no settings. In both cases,
  /// the suite gets the content's version. A suite isn't replaced as a whole if it keeps settings
  /// of its own version: secrets, or settings outside of the chosen profile.
  ///
  /// An entry under a previous name of a selected key is treated like an entry under the current
  /// name, both in the content and in the suite.
  ///
  /// - Parameters:
  ///   - selection: The entries to import.
  ///   - url: The URL of the file.
  ///   - format: The format of the content.
  ///   - mode: The way in which imported entries are combined with stored entries.
  /// - Returns: The names that were added, updated, removed and skipped.
  /// - Throws: `noLocation` for a URL that names no file, `unreadable` for the file, `malformed`
  ///   with path and line for its content, `unrepresentable` for an entry that the suite can't
  ///   store, `invalid` for an entry that a rule of a declared or selected key rejects,
  ///   `undecodable` for an entry that doesn't have a selected key's type, `unresolved` with the
  ///   error of a mode's closure, `migrationFailed` if a step throws,
  ///   `newerEntries` for content of a newer version than the program knows,
  ///   `olderVersion` if the content is older than the suite, doesn't replace all entries, and no
  ///   migrations are known; and the errors of a transaction: `locked` if another process doesn't
  ///   release the lock, `unwritable` if the changes can't be stored, `forked` in a forked child.
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
      throw SuiteError(
        .unreadable, "There is no file to import here", suite: label, path: file.path)
    }
    let entries = try decode(content.data, as: format, selection, path: file.path)
    return try importEntries(selection, from: entries, by: mode, path: file.path)
  }

  /// Imports the entries of a file's content, like the overload with a URL.
  @discardableResult
  public func importEntries(
    _ selection: Defaults.Selection = .all, from data: Data,
    as format: some Defaults.ExchangeFormat, by mode: Defaults.ImportMode = .merge
  ) throws(Defaults.SuiteError) -> Defaults.ImportReport {
    let entries = try decode(data, as: format, selection, path: nil)
    return try importEntries(selection, from: entries, by: mode)
  }

  /// Imports the entries of a text, like the overload with a URL.
  @discardableResult
  public func importEntries(
    _ selection: Defaults.Selection = .all, from text: String,
    as format: some Defaults.ExchangeFormat, by mode: Defaults.ImportMode = .merge
  ) throws(Defaults.SuiteError) -> Defaults.ImportReport {
    try importEntries(selection, from: Data(text.utf8), as: format, by: mode)
  }

  /// Imports entries, such as those of another suite, like the overload with a URL.
  @discardableResult
  public func importEntries(
    _ selection: Defaults.Selection = .all, from entries: [String: Defaults.PropertyListValue],
    by mode: Defaults.ImportMode = .merge
  ) throws(Defaults.SuiteError) -> Defaults.ImportReport {
    try importEntries(selection, from: entries, by: mode, path: nil)
  }

  /// Imports entries. Errors about an entry have the path of the imported file.
  private func importEntries(
    _ selection: Defaults.Selection, from entries: [String: PropertyListValue],
    by mode: Defaults.ImportMode, path: String?
  ) throws(SuiteError) -> Defaults.ImportReport {
    let migrated: [String: PropertyListValue]
    do throws(SuiteError) {
      migrated = try migratedForImport(entries)
    } catch {
      throw error.about(path: path)
    }
    return try exactly { draft throws(SuiteError) in
      var arriving = ArrivingEntries(selection, mode.rule, path: path)
      try arriving.take(migrated, by: mode, in: &draft)
      return arriving.report
    }
  }

  /// Returns entries in the form of the current version, with that version; unchanged if no
  /// migrations are known. Throws `newerEntries`, `undecodable` and `migrationFailed`.
  package func migratedForImport(
    _ entries: [String: PropertyListValue]
  ) throws(SuiteError) -> [String: PropertyListValue] {
    try knownMigrations?.migrated(entries, for: label) ?? entries
  }

  private func decode(
    _ data: Data, as format: some Defaults.ExchangeFormat, _ selection: Defaults.Selection,
    path: String?
  ) throws(SuiteError) -> [String: PropertyListValue] {
    do {
      let entries = try format.decode(data)
      return format is Defaults.JSONFormat ? selection.entries(ofDecimals: entries) : entries
    } catch {
      let reason = (error as? ConversionError)?.description(in: data) ?? error.words
      throw SuiteError(
        .malformed, "The imported content can't be read: \(reason)", suite: label, path: path,
        underlying: error)
    }
  }
}
