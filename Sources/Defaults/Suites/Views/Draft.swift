extension Defaults {
  /// The entries of a suite in a transaction: the committed entries and the transaction's own
  /// changes.
  ///
  /// ```swift
  /// try suite.transaction { draft in
  ///   draft[.volume] += 1
  ///   try draft.set(window, for: .window)  // throws: neither change is made
  /// }
  /// ```
  public struct Draft {
    let suite: any Suite
    /// The edits so far, one per name. The suite commits them.
    public private(set) var edits: [String: Edit] = [:]
    /// The committed entries that the draft sees; nil if it sees the current entries.
    let snapshot: Snapshot?
    /// The derivation of the entries from the writable layer, in a suite that consists of layers.
    private let derivation: (any DerivedSnapshot)?

    /// Creates a draft of a suite's current entries, for your own implementation of `transaction`.
    /// The implementation must prevent other commits while the draft is used.
    public init(of suite: any Suite) {
      self.init(of: suite, on: nil, by: suite.stored?.derived?.freeze())
    }

    /// Creates a draft of the entries in a snapshot.
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
    if let derivation { return derivation.names(in: self) }
    var names = snapshot?.names() ?? suite.names
    for (name, edit) in edits {
      if edit.entry != nil { names.insert(name) } else { names.remove(name) }
    }
    return names
  }

  /// Returns the entry of a name; nil if there is none.
  public func entry(named name: String) -> Defaults.PropertyListValue? {
    // In a suite that consists of layers, edits of other names may affect the entry.
    if let derivation { return derivation.entry(named: name, in: self) }
    if let edit = edits[name] { return edit.entry }
    guard let snapshot else { return suite.entry(named: name) }
    return snapshot.entry(named: name)
  }

  /// Sets an entry.
  ///
  /// - Throws: `unrepresentable` if the suite can't store the value exactly, or the name is empty.
  public mutating func setEntry(
    _ value: Defaults.PropertyListValue, named name: String
  ) throws(Defaults.SuiteError) {
    try suite.check(value, named: name)
    write(.set(value), named: name)
  }

  /// Removes an entry.
  public mutating func removeEntry(named name: String) { write(.remove, named: name) }

  /// Renames an entry. If the new name has an entry, that entry is kept, and the entry of the old
  /// name is removed.
  ///
  /// - Returns: Whether there was an entry under the old name.
  /// - Throws: `unrepresentable` if the file can't have an entry of the new name.
  @discardableResult
  public mutating func renameEntry(
    _ old: String, to new: String
  ) throws(Defaults.SuiteError) -> Bool {
    guard old != new, let entry = writableEntry(named: old) else { return false }
    if writableEntry(named: new) == nil {
      // The check concerns only the writable layer, in which the entry is renamed.
      try suite.writable.check(entry, named: new)
      write(.set(entry), named: new)
    }
    removeEntry(named: old)
    return true
  }

  /// Removes all entries except the library's own entries. The version of the entries and the
  /// record of imports are kept, since they still apply.
  public mutating func removeAll() {
    for name in names where !Defaults.isReserved(name) { write(.remove, named: name) }
  }

  mutating func write(_ edit: Edit, named name: String) {
    edits[Defaults.storedName(of: name, after: storedPrefix)] = edit
  }

  /// The prefix of the names under which a suite of layers stores set entries.
  var storedPrefix: String { derivation?.storedPrefix(in: self) ?? "" }
}

// MARK: - The writable layer

extension Defaults.Suite {
  /// The suite that a commit changes: in a suite that consists of layers, the writable layer.
  package var writable: any Defaults.Suite {
    var writable: any Defaults.Suite = self
    while let base = writable.stored?.derived?.base { writable = base }
    return writable
  }
}

extension Defaults.Draft {
  /// The same draft restricted to the writable layer.
  var ofWritable: Self {
    var draft = Self(of: suite.writable, on: snapshot, by: nil)
    draft.edits = edits
    return draft
  }

  /// The names of all entries that a commit can change: the names in the writable layer or, if a
  /// profile is chosen, in the profile.
  var writableNames: Set<String> {
    let prefix = storedPrefix
    if prefix.isEmpty { return ofWritable.names }
    let names = ofWritable.names.filter { $0.utf8.starts(with: prefix.utf8) }
    return Set(names.map(Defaults.settingName))
  }

  /// Returns the entry of a name that a commit would change.
  func writableEntry(named name: String) -> PropertyListValue? {
    ofWritable.entry(named: Defaults.storedName(of: name, after: storedPrefix))
  }

  /// Runs a body on a draft restricted to the writable layer.
  package mutating func withWritableLayer<Result>(
    _ body: (inout Self) throws(SuiteError) -> Result
  ) throws(SuiteError) -> Result {
    var draft = ofWritable
    let result = try body(&draft)
    edits = draft.edits
    return result
  }
}

// MARK: - Suites with derived entries

/// The derived entries of a suite as a transaction's draft sees them: from the base and the rule at
/// one instant.
package protocol DerivedSnapshot: Sendable {
  /// Returns the names of all entries after the draft's edits of the base.
  func names(in draft: Defaults.Draft) -> Set<String>

  /// Returns the entry of a name after the draft's edits of the base. If the draft has no snapshot,
  /// the base has its current entries.
  func entry(named name: String, in draft: Defaults.Draft) -> PropertyListValue?

  /// Returns the prefix of the names under which the base stores set entries.
  func storedPrefix(in draft: Defaults.Draft) -> String

  /// Whether the layers are unchanged.
  var isCurrent: Bool { get }
}
