import Foundation

extension Defaults.Suite {
  /// Returns the entries as the content of a file.
  ///
  /// Registered defaults aren't entries. The version of a migrated suite (see
  /// ``migrate(to:steps:)``) is always included, so that an import recognizes entries of an older
  /// form.
  ///
  /// - Parameters:
  ///   - selection: The entries to export. Secret settings are left out unless the selection is
  ///     ``Selection/includingSecrets``; an issue, `secretsLeftOut`, gives their number. A setting
  ///     is secret once its key exists: use a static key before the first export.
  ///   - format: The format of the content.
  /// - Throws: `unrepresentable` if the format can't hold an entry.
  public func exportData(
    _ selection: Defaults.Selection = .all, as format: some Defaults.ExchangeFormat
  ) throws(Defaults.SuiteError) -> Data {
    try exportData(selection, as: format, schema: nil)
  }

  private func exportData(
    _ selection: Defaults.Selection, as format: some Defaults.ExchangeFormat,
    schema: PropertyListValue?
  ) throws(SuiteError) -> Data {
    let entries = entries
    var selected: [String: PropertyListValue] = [:]
    selected[Defaults.schemaName] = schema
    selected[Defaults.versionName] = entries[Defaults.versionName]
    var secrets = 0
    for (name, source) in selection.select(from: Set(entries.keys))
    where selection.allows(name) {
      if selection.leavesOut(name, in: self) {
        secrets += 1
      } else {
        selected[name] = entries[source]
      }
    }
    if secrets > 0 {
      let settings = secrets == 1 ? "1 secret setting was" : "\(secrets) secret settings were"
      support.report(
        SuiteError(
          .secretsLeftOut,
          "\(settings) left out of an export; a selection with .includingSecrets exports "
            + (secrets == 1 ? "it" : "them"),
          suite: label))
    }
    do {
      return try format.encode(selected)
    } catch {
      throw SuiteError(
        .unrepresentable, "The entries can't be exported: \(error)", suite: label,
        underlying: error)
    }
  }

  /// Returns the entries as text; see ``exportData(_:as:)``. Also throws `unrepresentable` for a
  /// format that isn't text, such as a binary property list.
  public func exportString(
    _ selection: Defaults.Selection = .all, as format: some Defaults.ExchangeFormat
  ) throws(Defaults.SuiteError) -> String {
    let data = try exportData(selection, as: format)
    guard let text = String(validating: data, as: UTF8.self) else {
      throw SuiteError(
        .unrepresentable, "This format isn't text; export data, or to a file", suite: label)
    }
    return text
  }

  /// Writes the entries to a file; see ``exportData(_:as:)``.
  ///
  /// The file is replaced atomically, and is on the disk when the call returns. An existing file
  /// keeps its permissions, and an existing JSON file also keeps its `"$schema"`. Only the owner
  /// can read a new file. Missing folders are created.
  ///
  /// - Parameters:
  ///   - selection: The entries to export.
  ///   - url: The URL of the file.
  ///   - format: The format of the file.
  /// - Throws: The errors of ``exportData(_:as:)``, `noLocation` for a URL that names no file,
  ///   `unreadable` for the URL of a folder, and `unwritable` for a file that can't be written or
  ///   is the suite's own file.
  public func export(
    _ selection: Defaults.Selection = .all, to url: URL, as format: some Defaults.ExchangeFormat
  ) throws(Defaults.SuiteError) {
    let file = try StoredFile(url: url)
    if isStored(in: file) {
      throw SuiteError(
        .unwritable, "The suite itself is stored in this file; export to another one", suite: label,
        path: file.path)
    }
    try file.replace(
      with: try exportData(selection, as: format, schema: schema(of: file, as: format)))
  }

  /// Returns whether a file is one of the suite's own files.
  package func isStored(in file: StoredFile) -> Bool {
    // By path, because a read-only suite has its files on another file system.
    stored?.persistence.files.contains { $0.path == file.path } ?? false
  }

  /// Returns the reference to a JSON Schema in the file that an export replaces; nil if the file
  /// has none, or can't be read.
  private func schema(
    of file: StoredFile, as format: some Defaults.ExchangeFormat
  ) -> PropertyListValue? {
    guard let content = try? file.read() else { return nil }
    return try? format.decode(content.data)[Defaults.schemaName]
  }
}
