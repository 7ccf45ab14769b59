import Foundation

extension Defaults.Suite {
  /// The entries as the content of a file, in the given format.
  ///
  /// Registered defaults aren't entries. The version of a suite that was migrated (see
  /// ``migrate(to:steps:)``) comes along whatever is selected, so that an import can't take entries
  /// of an older form for those of today. Secret settings stay out unless the selection is
  /// ``Selection/includingSecrets``; an issue, `secretsLeftOut`, says how many did. Throws
  /// `unrepresentable` if the format can't hold an entry.
  public func exportData(
    _ selection: Defaults.Selection = .all, as format: some Defaults.ExchangeFormat
  ) throws(Defaults.SuiteError) -> Data {
    try exportData(selection, as: format, schema: nil)
  }

  private func exportData(
    _ selection: Defaults.Selection, as format: some Defaults.ExchangeFormat,
    schema: Defaults.PropertyListValue?
  ) throws(Defaults.SuiteError) -> Data {
    let entries = entries
    var selected: [String: Defaults.PropertyListValue] = [:]
    selected[Defaults.schemaName] = schema
    selected[Defaults.versionName] = entries[Defaults.versionName]
    var secrets = 0
    for (name, source) in selection.select(from: Set(entries.keys))
    where !Defaults.isReserved(name) {
      let isSecret = support.isSecret(name) || selection.key(named: name)?.isSecret == true
      if isSecret, !selection.includesSecrets {
        secrets += 1
      } else {
        selected[name] = entries[source]
      }
    }
    reportSecretsLeftOut(secrets)
    do {
      return try format.encode(selected)
    } catch {
      throw Defaults.SuiteError(
        .unrepresentable, "The entries can't be exported: \(error)", suite: label,
        underlying: error)
    }
  }

  private func reportSecretsLeftOut(_ count: Int) {
    guard count > 0 else { return }
    let settings = count == 1 ? "1 secret setting was" : "\(count) secret settings were"
    support.report(
      Defaults.SuiteError(
        .secretsLeftOut,
        "\(settings) left out of an export; a selection that is .includingSecrets takes them along",
        suite: label))
  }

  /// The entries as text; see ``exportData(_:as:)``. Throws `unrepresentable`, too, for a format
  /// that isn't text, such as a binary property list.
  public func exportString(
    _ selection: Defaults.Selection = .all, as format: some Defaults.ExchangeFormat
  ) throws(Defaults.SuiteError) -> String {
    let data = try exportData(selection, as: format)
    guard let text = String(validating: data, as: UTF8.self) else {
      throw Defaults.SuiteError(
        .unrepresentable, "This format isn't text; export data, or to a file", suite: label)
    }
    return text
  }

  /// Writes the entries to a file; see ``exportData(_:as:)``.
  ///
  /// The file is replaced as a whole, in one step, and is on the disk when the call returns. An
  /// existing one keeps its permissions, and a JSON file its `"$schema"`. A new one is for its owner
  /// alone, and folders that are missing are made. Throws `unwritable`, `noLocation` for a URL that
  /// names no file, and `unwritable` for the file that the suite itself is kept in.
  public func export(
    _ selection: Defaults.Selection = .all, to url: URL, as format: some Defaults.ExchangeFormat
  ) throws(Defaults.SuiteError) {
    let file = try StoredFile(url: url)
    // By path, for a suite that is only read has its files on another file system.
    if try stored?.persistence.files.contains(where: { $0.path == file.path }) == true {
      throw Defaults.SuiteError(
        .unwritable, "The suite itself is kept in this file; export to another one", suite: label,
        path: file.path)
    }
    try file.replace(
      with: try exportData(selection, as: format, schema: schema(of: file, as: format)))
  }

  /// The reference to a JSON Schema in the file that an export replaces; nil without one, and where
  /// the file can't be read.
  private func schema(
    of file: StoredFile, as format: some Defaults.ExchangeFormat
  ) -> Defaults.PropertyListValue? {
    guard let content = try? file.read() else { return nil }
    return try? format.decode(content.data)[Defaults.schemaName]
  }
}
