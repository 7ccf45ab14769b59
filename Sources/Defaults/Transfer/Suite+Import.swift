import Foundation

extension Defaults.Suite {
  /// Imports the entries of a file, all in one transaction, and returns which names changed.
  ///
  /// Everything is read and checked before the suite is locked. If anything throws, nothing is
  /// changed: `unreadable` for the file, `malformed` with path and line for its content,
  /// `unrepresentable` for an entry that the suite can't keep, `newerVersion` or `olderVersion`
  /// where the content is of another version than the suite (see ``migrate(to:steps:)``), and
  /// whatever the closure of a mode throws, as it is.
  ///
  /// ```swift
  /// let result = try suite.importEntries(from: url, as: .json, by: .merge { name, old, new in
  ///   name.hasPrefix("window.") ? old : new
  /// })
  /// print(result.changed)
  /// ```
  @discardableResult
  public func importEntries(
    _ selection: Defaults.Selection = .all, from url: URL, as format: some Defaults.ExchangeFormat,
    by mode: Defaults.ImportMode = .merge
  ) throws -> Defaults.ImportResult {
    let file = try Defaults.StoredFile(url: url)
    guard let content = try file.read() else {
      throw Defaults.SuiteError(
        .unreadable, "There is no file to import here", suite: label, path: file.path)
    }
    let entries = try decode(content.data, as: format, path: file.path)
    return try importEntries(selection, from: entries, by: mode)
  }

  /// Imports the entries of a file's content; see the form for a file.
  @discardableResult
  public func importEntries(
    _ selection: Defaults.Selection = .all, from data: Data,
    as format: some Defaults.ExchangeFormat, by mode: Defaults.ImportMode = .merge
  ) throws -> Defaults.ImportResult {
    let entries = try decode(data, as: format, path: nil)
    return try importEntries(selection, from: entries, by: mode)
  }

  /// Imports the entries of a text; see the form for a file.
  @discardableResult
  public func importEntries(
    _ selection: Defaults.Selection = .all, from text: String,
    as format: some Defaults.ExchangeFormat, by mode: Defaults.ImportMode = .merge
  ) throws -> Defaults.ImportResult {
    try importEntries(selection, from: Data(text.utf8), as: format, by: mode)
  }

  /// Imports entries, such as those of another suite; see the form for a file.
  @discardableResult
  public func importEntries(
    _ selection: Defaults.Selection = .all, from entries: [String: Defaults.PropertyListValue],
    by mode: Defaults.ImportMode = .merge
  ) throws -> Defaults.ImportResult {
    let imported = EntryImport(selection: selection, entries: entries, mode: mode, label: label)
    try imported.checkNames()
    return try transaction { draft in try imported.run(on: &draft) }
  }

  private func decode(
    _ data: Data, as format: some Defaults.ExchangeFormat, path: String?
  ) throws(Defaults.SuiteError) -> [String: Defaults.PropertyListValue] {
    do {
      return try format.decode(data)
    } catch {
      let place = (error as? Defaults.PropertyListError).flatMap { $0.offset }
        .flatMap { Self.line(of: $0, in: data) }
      let reason = ["The content can't be imported: \(error)", place].compactMap(\.self)
      throw Defaults.SuiteError(
        .malformed, reason.joined(separator: ", "), suite: label, path: path, underlying: error)
    }
  }

  /// Line and column of a byte, both from 1 on, the column in bytes; nil in a binary file.
  private static func line(of offset: Int, in data: Data) -> String? {
    guard Defaults.PropertyListFormat.detect(data) != .binary else { return nil }
    let before = data.prefix(offset)
    let line = before.count { $0 == UInt8(ascii: "\n") } + 1
    let start = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? before.startIndex
    return "line \(line), column \(before.endIndex - start + 1)"
  }
}

/// Entries on their way into a draft.
private struct EntryImport {
  let selection: Defaults.Selection
  let entries: [String: Defaults.PropertyListValue]
  let mode: Defaults.ImportMode
  let label: String

  /// A file may have an entry with an empty name; a suite can't.
  func checkNames() throws(Defaults.SuiteError) {
    guard entries[""] == nil || !selection.contains("") else {
      throw Defaults.SuiteError(
        .unrepresentable, "An entry without a name can't be kept; give it one", suite: label)
    }
  }

  func run(on draft: inout Defaults.Draft) throws -> Defaults.ImportResult {
    var result = Defaults.ImportResult()
    if let version = try Defaults.SchemaVersion.imported(
      from: entries, over: draft, isWhole: selection.isAll && mode.isReplacing, suite: label)
    {
      try set(version.entry, named: Defaults.versionName, in: &draft, &result)
    }
    for (name, value) in entries.sorted(by: { $0.key < $1.key }) where isSetting(name) {
      switch (mode.content, draft.entry(named: name)) {
      case (.merge(let rule), let old?) where old != value:
        try set(rule.resolve(name, old, value), named: name, in: &draft, &result)
      default:
        try set(value, named: name, in: &draft, &result)
      }
    }
    guard mode.isReplacing else { return result }
    for name in draft.names where isSetting(name) && entries[name] == nil {
      draft.removeEntry(named: name)
      result.removed.insert(name)
    }
    return result
  }

  private func isSetting(_ name: String) -> Bool {
    selection.contains(name) && !Defaults.isReserved(name)
  }

  private func set(
    _ value: Defaults.PropertyListValue, named name: String, in draft: inout Defaults.Draft,
    _ result: inout Defaults.ImportResult
  ) throws(Defaults.SuiteError) {
    switch draft.entry(named: name) {
    case value: result.unchanged.insert(name)
    case nil: result.added.insert(name)
    default: result.updated.insert(name)
    }
    try draft.setEntry(value, named: name)
  }
}

extension Defaults.ImportMode {
  fileprivate var isReplacing: Bool { if case .replace = content { true } else { false } }
}
