extension Defaults.Suite {
  /// Moves the entries of keys from their previous names to the present ones, in one transaction,
  /// and returns the names of the keys whose entries moved.
  ///
  /// Setting a value does that for its key; this is for programs that want it done at once. Where
  /// both names have an entry the one under the present name stays, and the other goes. Other keys
  /// that had the same name get the entry, too, and one that is the present name of another key
  /// stays there besides. An entry isn't decoded, so one of the wrong type moves too. Observers of
  /// one key aren't told, since its value is the same; those of several keys, of tracked
  /// properties, and of the suite's changes are.
  ///
  /// ```swift
  /// static let volume = Key("volume", default: 5, previousNames: ["soundVolume"])
  ///
  /// try suite.renameEntries(of: .volume)
  /// ```
  @discardableResult
  public func renameEntries(
    of keys: Defaults.AnyKey...
  ) throws(Defaults.SuiteError) -> Set<String> {
    try renameEntries(of: keys)
  }

  /// Moves the entries of keys from their previous names; see the variadic form.
  @discardableResult
  public func renameEntries(
    of keys: [Defaults.AnyKey]
  ) throws(Defaults.SuiteError) -> Set<String> {
    try exactly { draft throws(Defaults.SuiteError) in
      var moved: Set<String> = []
      for key in keys {
        if draft.entry(named: key.name) == nil, let entry = draft.entry(of: key) {
          try draft.setEntry(entry, named: key.name)
          moved.insert(key.name)
        }
        draft.removePreviousEntries(of: key.name, names: previousNames(of: key))
      }
      return moved
    }
  }

  /// The names under which a key's entry may still lie, the latest first.
  func previousNames(of key: Defaults.Setting) -> [String] {
    // Those of all keys of the name in this suite: equal keys are one setting.
    let known = support.previousNames(of: key.name)
    return known.isEmpty ? key.previousNames : known
  }

  /// The name of a key, and those that it had.
  func names(of key: Defaults.Setting) -> [String] {
    [key.name] + previousNames(of: key)
  }

  /// The committed entry of a key: that of its name, else of the latest name that has one.
  func entry(of key: Defaults.Setting) -> Defaults.PropertyListValue? {
    entry(named: key.name, orOneOf: previousNames(of: key))
  }

  /// The committed entry of a name, else of the first of others that has one.
  func entry(named name: String, orOneOf others: [String]) -> Defaults.PropertyListValue? {
    if others.isEmpty { return entry(named: name) }
    if let stored { return stored.entry(named: name, orOneOf: others) }
    for name in [name] + others {
      if let entry = entry(named: name) { return entry }
    }
    // It may have been moved after the first look.
    return entry(named: name)
  }
}

extension Defaults.StoredSuite {
  /// The entry of a name, else of the first of others that has one, at one instant.
  func entry(named name: String, orOneOf others: [String]) -> Defaults.PropertyListValue? {
    state.withLock { $0.entry(named: name, orOneOf: others) }
  }

  /// Makes changes of other names count as changes of one, for what keys have decoded, and for the
  /// observers that it has already.
  func follow(_ others: [String], for name: String) {
    let others = others.filter { $0 != name }
    guard !others.isEmpty else { return }
    state.withLock { state in
      for other in others { state.followers[other, default: []].insert(name) }
      // A key that knew nothing of them may have decoded the default.
      state.cells[name]?.advance()
      support.widenObservers(of: name, by: others) { state.entries[$0] }
    }
  }
}

extension EntryTable.State {
  func entry(named name: String, orOneOf others: [String]) -> Defaults.PropertyListValue? {
    if let entry = entries[name] { return entry }
    for other in others {
      if let entry = entries[other] { return entry }
    }
    return nil
  }

  /// Makes stale what keys decoded of a name, also those that had the name before.
  func advanceCells(of name: String) {
    cells[name]?.advance()
    guard !followers.isEmpty, let names = followers[name] else { return }
    for name in names { cells[name]?.advance() }
  }
}

extension Defaults.Draft {
  /// The entry of a key, also under a previous name.
  func entry(of key: Defaults.Setting) -> Defaults.PropertyListValue? {
    for name in suite.names(of: key) {
      if let entry = entry(named: name) { return entry }
    }
    return nil
  }

  /// Makes an edit of the entry of a key, and takes away those of its previous names.
  mutating func write(_ edit: Defaults.Edit, for key: Defaults.Setting) {
    write(edit, named: key.name)
    removePreviousEntries(of: key.name, names: suite.previousNames(of: key))
  }

  /// Takes away the entries under the previous names of a setting that needs them no more.
  ///
  /// No other setting changes by that: one that had the same name, and has its value from there,
  /// gets the entry under its own name; and an entry stays that belongs to a key of its very name.
  mutating func removePreviousEntries(of name: String, names: [String]) {
    for previous in names where previous != name {
      guard let entry = entry(named: previous), !suite.support.isDeclared(previous) else {
        continue
      }
      for (other, others) in suite.support.previousNames
      where other != name && others.contains(previous) {
        let source = ([other] + others).first { self.entry(named: $0) != nil }
        if source == previous { write(.set(entry), named: other) }
      }
      write(.remove, named: previous)
    }
  }
}
