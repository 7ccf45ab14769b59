import Foundation

extension Defaults.Suite {
  /// Imports the entries of a file, all in one transaction, and reports what became of each.
  ///
  /// Everything is read and checked before the suite is locked. If anything throws, nothing is
  /// changed: `unreadable` for the file, `malformed` with path and line for its content,
  /// `unrepresentable` for an entry that the suite can't keep, `invalid` for one that isn't allowed
  /// by the rules of a key that was declared until now or is selected, also under a previous name,
  /// `undecodable` for one that isn't of the type of a selected key, `newerVersion` or `olderVersion`
  /// where the content is of another version than the suite (see ``migrate(to:steps:)``), and
  /// whatever the closure of a mode throws, as it is.
  ///
  /// Of keys that are selected, an entry under a previous name counts as one under the present
  /// name, on both sides; name the keys where an older version of the program made the file.
  /// Migrate a suite before you import into it: one that has no version yet takes that of the
  /// content, also if it is newer than what the program knows.
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
  ) throws -> Defaults.ImportReport {
    let file = try StoredFile(url: url)
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
  ) throws -> Defaults.ImportReport {
    let entries = try decode(data, as: format, path: nil)
    return try importEntries(selection, from: entries, by: mode)
  }

  /// Imports the entries of a text; see the form for a file.
  @discardableResult
  public func importEntries(
    _ selection: Defaults.Selection = .all, from text: String,
    as format: some Defaults.ExchangeFormat, by mode: Defaults.ImportMode = .merge
  ) throws -> Defaults.ImportReport {
    try importEntries(selection, from: Data(text.utf8), as: format, by: mode)
  }

  /// Imports entries, such as those of another suite; see the form for a file.
  @discardableResult
  public func importEntries(
    _ selection: Defaults.Selection = .all, from entries: [String: Defaults.PropertyListValue],
    by mode: Defaults.ImportMode = .merge
  ) throws -> Defaults.ImportReport {
    let selected = selection.select(from: Set(entries.keys))
    // A file may have an entry with an empty name; a suite can't.
    guard selected[""] == nil else {
      throw Defaults.SuiteError(
        .unrepresentable, "An entry without a name can't be kept; give it one", suite: label)
    }
    return try transaction { draft in
      var arriving = Defaults.ArrivingEntries(selection, mode.rule)
      if let version = try Defaults.versionToImport(
        from: entries, over: draft, isWhole: selection.isAll && mode.removesOthers, suite: label)
      {
        try arriving.set(.integer(Int64(version)), named: Defaults.versionName, in: &draft)
      }
      for (name, source) in selected.sortedByName where !Defaults.isReserved(name) {
        guard let theirs = entries[source],
          let value = try arriving.resolve(theirs, named: name, in: draft)
        else { continue }
        try arriving.set(value, named: name, in: &draft)
      }
      if mode.removesOthers { arriving.removeAll(but: selected, in: &draft) }
      return arriving.report
    }
  }

  private func decode(
    _ data: Data, as format: some Defaults.ExchangeFormat, path: String?
  ) throws(Defaults.SuiteError) -> [String: Defaults.PropertyListValue] {
    do {
      return try format.decode(data)
    } catch {
      let reason = (error as? Defaults.PropertyListError)?.description(in: data) ?? error.words
      throw Defaults.SuiteError(
        .malformed, "The content can't be imported: \(reason)", suite: label, path: path,
        underlying: error)
    }
  }
}

extension Defaults {
  /// Entries from elsewhere on their way into a draft, and what became of them.
  struct ArrivingEntries {
    private let selection: Selection
    private let rule: ConflictRule
    var report = ImportReport()

    init(_ selection: Selection, _ rule: ConflictRule) {
      self.selection = selection
      self.rule = rule
    }

    /// What is to be stored where this arrives; nil, and a line in the report, if the entry stays
    /// as it is. Throws what the rule throws.
    mutating func resolve(
      _ theirs: PropertyListValue, named name: String, in draft: Draft
    ) throws -> PropertyListValue? {
      guard let ours = entry(named: name, in: draft) else { return theirs }
      let chosen = ours == theirs ? ours : try rule.resolve(name, ours, theirs)
      if chosen != ours { return chosen }
      report.skipped[name] = ours == theirs ? .same : .kept
      return nil
    }

    /// Sets an entry; throws if the suite can't keep it.
    mutating func set(
      _ value: PropertyListValue, named name: String, in draft: inout Draft
    ) throws(SuiteError) {
      let isNew = entry(named: name, in: draft) == nil
      try draft.suite.support.checkRules(value, named: name)
      if let key = selection.key(named: name) {
        try key.place.defaults.rules(for: name)?.check(value)
        if let problem = key.problem(with: value) { throw problem }
      }
      try draft.setEntry(value, named: name)
      selection.key(named: name)?.removePreviousEntries(in: &draft)
      if isNew { report.added.insert(name) } else { report.updated.insert(name) }
    }

    /// Removes all entries that are selected but those of some names.
    mutating func removeAll(but kept: [String: String], in draft: inout Draft) {
      for name in selection.select(from: draft.names).keys
      where kept[name] == nil && !isReserved(name) {
        draft.removeEntry(named: name)
        selection.key(named: name)?.removePreviousEntries(in: &draft)
        report.removed.insert(name)
      }
    }

    private func entry(named name: String, in draft: Draft) -> PropertyListValue? {
      selection.key(named: name)?.entry(in: draft) ?? draft.entry(named: name)
    }
  }
}
