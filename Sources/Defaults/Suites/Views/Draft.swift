extension Defaults {
  /// The entries of a suite as a transaction sees them: what is committed, and what it changed so
  /// far.
  ///
  /// ```swift
  /// try suite.transaction { draft in
  ///   draft[.volume] += 1
  ///   try draft.set(window, for: .window)  // throws: neither change is made
  /// }
  /// ```
  public struct Draft {
    let suite: any Suite
    /// The edits so far, one per name; committing them is the suite's part.
    public private(set) var edits: [String: Edit] = [:]
    /// The committed entries that the draft sees; nil if it sees the current ones.
    private let snapshot: Snapshot?
    /// How its entries follow from those of the writable layer, in a suite of layers.
    private let derivation: (any DerivedSnapshot)?

    /// A draft of a suite that sees its current entries, for a `transaction` of your own. That makes
    /// sure that no other commit happens meanwhile.
    public init(of suite: any Suite) {
      self.init(of: suite, on: nil, by: suite.stored?.derived?.freeze())
    }

    /// A draft that sees the entries of a snapshot.
    init(of suite: any Suite, on snapshot: Snapshot?, by derivation: (any DerivedSnapshot)?) {
      self.suite = suite
      self.snapshot = snapshot
      self.derivation = derivation
    }
  }
}

// MARK: - Entries

extension Defaults.Draft {
  /// The names of all entries.
  public var names: Set<String> {
    var names = derivation?.names(on: snapshot) ?? snapshot?.names() ?? suite.names
    for (name, edit) in edits {
      let isThere = edit.entry != nil || entry(named: name) != nil
      if isThere { names.insert(name) } else { names.remove(name) }
    }
    return names
  }

  /// The entry of a name; nil if there is none.
  public func entry(named name: String) -> Defaults.PropertyListValue? {
    // In a suite of layers, edits of other names may matter.
    if let derivation { return derivation.entry(named: name, after: edits, on: snapshot) }
    if let edit = edits[name] { return edit.entry }
    guard let snapshot else { return suite.entry(named: name) }
    return snapshot.entry(named: name)
  }

  /// Sets an entry; throws if the suite can't keep the value exactly.
  public mutating func setEntry(
    _ value: Defaults.PropertyListValue, named name: String
  ) throws(Defaults.SuiteError) {
    try suite.check(value, named: name)
    write(.set(value), named: name)
  }

  /// Removes an entry.
  public mutating func removeEntry(named name: String) { write(.remove, named: name) }

  /// Gives an entry another name, and returns whether there was one.
  ///
  /// An entry that is there under the new name stays, and the old one goes.
  @discardableResult
  public mutating func renameEntry(
    _ old: String, to new: String
  ) throws(Defaults.SuiteError) -> Bool {
    guard old != new, let entry = writableEntry(named: old) else { return false }
    if writableEntry(named: new) == nil {
      // The layers above the writable one don't decide what that calls its entries.
      try writable.check(entry, named: new)
      write(.set(entry), named: new)
    }
    removeEntry(named: old)
    return true
  }

  /// Removes all entries but those of the library: the version that the suite was migrated to, and
  /// what it has imported, are still true.
  public mutating func removeAll() {
    for name in names where !Defaults.isReserved(name) { write(.remove, named: name) }
  }

  mutating func write(_ edit: Edit, named name: String) { edits[name] = edit }
}

// MARK: - The writable layer

extension Defaults.Draft {
  /// The suite whose entries a commit changes: in a suite of layers, the writable one.
  private var writable: any Defaults.Suite {
    var writable: any Defaults.Suite = suite
    while let base = writable.stored?.derived?.base { writable = base }
    return writable
  }

  /// The same draft of the writable layer alone.
  private var ofWritable: Self {
    var draft = Self(of: writable, on: snapshot, by: nil)
    draft.edits = edits
    return draft
  }

  /// The names of all entries of the writable layer.
  var writableNames: Set<String> { ofWritable.names }

  /// The entry of a name that a commit would change.
  func writableEntry(named name: String) -> Defaults.PropertyListValue? {
    ofWritable.entry(named: name)
  }

  /// Runs a body on a draft of the writable layer, whose entries it sees, and no other layer's.
  mutating func withWritableLayer<Result>(
    _ body: (inout Self) throws(Defaults.SuiteError) -> Result
  ) throws(Defaults.SuiteError) -> Result {
    var draft = ofWritable
    let result = try body(&draft)
    edits = draft.edits
    return result
  }
}
