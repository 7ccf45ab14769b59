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
  /// An entry under a previous name of a key counts as one under the present name, on both sides.
  /// Migrate a suite before you import into it: one that has no version yet takes that of the
  /// content, also if it is newer than what the program knows.
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
    let names = Defaults.PresentNames(in: self, selection)
    let imported = EntryImport(
      names: names, selection: selection, entries: names.apply(to: entries), mode: mode,
      label: label)
    try imported.checkNames()
    return try transaction { draft in try imported.run(on: &draft) }
  }

  private func decode(
    _ data: Data, as format: some Defaults.ExchangeFormat, path: String?
  ) throws(Defaults.SuiteError) -> [String: Defaults.PropertyListValue] {
    do {
      return try format.decode(data)
    } catch {
      let reason = (error as? Defaults.PropertyListError)?.description(in: data) ?? "\(error)"
      throw Defaults.SuiteError(
        .malformed, "The content can't be imported: \(reason)", suite: label, path: path,
        underlying: error)
    }
  }
}

/// Entries on their way into a draft.
private struct EntryImport {
  let names: Defaults.PresentNames
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
      let ours = draft.entry(named: Defaults.versionName)
      try set(version.entry, over: ours, named: Defaults.versionName, in: &draft, &result)
    }
    for (name, theirs) in entries.sorted(by: { $0.key < $1.key })
    where names.isSetting(name, in: selection) {
      let ours = names.entry(of: name, in: draft)
      var value = theirs
      if case .merge(let rule) = mode.content, let ours, ours != theirs {
        value = try rule.resolve(name, ours, theirs)
      }
      try set(value, over: ours, named: name, in: &draft, &result)
    }
    guard mode.isReplacing else { return result }
    let stored = Dictionary(uniqueKeysWithValues: draft.names.map { ($0, $0) })
    for name in names.apply(to: stored).keys
    where entries[name] == nil && names.isSetting(name, in: selection) {
      for name in names.all(name) { draft.removeEntry(named: name) }
      result.removed.insert(name)
    }
    return result
  }

  private func set(
    _ value: Defaults.PropertyListValue, over ours: Defaults.PropertyListValue?,
    named name: String, in draft: inout Defaults.Draft, _ result: inout Defaults.ImportResult
  ) throws(Defaults.SuiteError) {
    switch ours {
    case value:
      result.unchanged.insert(name)
      return
    case nil: result.added.insert(name)
    default: result.updated.insert(name)
    }
    try names.set(value, named: name, in: &draft)
  }
}

extension Defaults.ImportMode {
  fileprivate var isReplacing: Bool { if case .replace = content { true } else { false } }
}
