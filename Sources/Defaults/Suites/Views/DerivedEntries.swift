/// How the entries of one suite follow from those of another one, its base, and from something else.
///
/// What asks is called with no lock but the writer's: values are decoded there, by anybody's code.
package protocol Derivation: Sendable {
  /// Everything that has an entry, given the names of the base.
  func names(with base: Set<String>) -> Set<String>

  /// The names whose entries may change with that of a name in the base.
  func names(dependingOn name: String) -> [String]

  /// The entry of a name, given those of the base.
  func entry(
    named name: String, base: (String) -> PropertyListValue?
  ) -> PropertyListValue?

  /// The same, as a transaction sees it; by default it is the same.
  func entryOfDraft(
    named name: String, base: (String) -> PropertyListValue?
  ) -> PropertyListValue?

  /// What is wrong with what there is for some names, without the base.
  func problems(of names: Set<String>) -> [SuiteError]

  /// Looks at everything that may have changed, and is derived from.
  func refresh()

  /// The suites besides the base that the entries are derived from; none by default.
  var sources: [Defaults.StoredSuite] { get }

  /// Reads what those suites have now. The default does nothing.
  func reload()

  /// Throws if the entry of a name mustn't be set.
  func checkWritable(_ name: String) throws(SuiteError)

  /// Whether an entry under a previous name of a key comes out under the present one; false by
  /// default.
  var resolvesPreviousNames: Bool { get }

  /// Takes a key into account, and returns the names that it concerns; nil if it was known. Called
  /// under a lock.
  mutating func addKey(_ key: any DeclaredKey) -> Set<String>?
}

extension Derivation {
  package func entryOfDraft(
    named name: String, base: (String) -> PropertyListValue?
  ) -> PropertyListValue? {
    entry(named: name, base: base)
  }

  package var sources: [Defaults.StoredSuite] { [] }

  package var resolvesPreviousNames: Bool { false }

  package func reload() {}
}

/// The entries of a suite that follow from those of a base, which takes all commits, and from a
/// derivation.
///
/// The table always has the derived entries, so that reads, cells and observation are those of
/// every ``Defaults/StoredSuite``. Both tables have one writer lock: a commit of the one is a commit of
/// the other. If the derivation changes while the body of a transaction runs, the body runs again.
package final class DerivedEntries<Rule: Derivation>: DerivedPersistence, Following {
  package let base: Defaults.StoredSuite
  private let table: EntryTable
  /// Taken after the writer lock, and before those of the tables; nothing is called out to under it.
  private let state: Lock<State>

  private struct State {
    var rule: Rule
    /// Rises with each change of the rule or the base: what was derived before isn't committed.
    var epoch = 0
    /// Rises with each change of the layers.
    var ruleChanges = 0
    /// What the keys concern that were met, and whose entries aren't derived so far.
    var arriving: [String: Set<String>] = [:]
  }

  private init(_ base: Defaults.StoredSuite, _ table: EntryTable, _ rule: Rule) {
    self.base = base
    self.table = table
    state = Lock(State(rule: rule))
  }

  /// A suite of entries that are derived by a rule. Throws `locked`, and traps inside of a
  /// transaction of the base.
  package static func suite(
    on base: Defaults.StoredSuite, by rule: Rule, _ support: Defaults.SuiteSupport
  ) throws(SuiteError) -> (suite: Defaults.StoredSuite, entries: DerivedEntries) {
    let table = EntryTable([:], support, writer: base.target.writer)
    let derived = DerivedEntries(base, table, rule)
    let suite = Defaults.StoredSuite(table, derived, derived: derived)
    TransactionScope.requireNone(of: base.target, for: "layered")
    let held = try base.target.withWriter {
      let held = base.table.addFollower(EntryTable.Follower { [weak derived] in derived })
      let names = derived.rule.names(with: Set(base.table.entries.keys))
      derived.derive(names, source: .local, layer: nil)
      return held
    }
    withExtendedLifetime(held) {}
    return (suite, derived)
  }

  /// The present rule.
  package var rule: Rule { state.withLock { $0.rule } }

  /// Changes the rule, by a body that returns the names that this concerns, and what is derived by
  /// it. Throws as ``EntryTable/withWriter(_:)`` does; call `deliver` when no lock is held.
  package func change(
    layer: String, _ body: (inout Rule) -> Set<String>
  ) throws(SuiteError) {
    TransactionScope.requireNone(of: base.target, for: "changed")
    let scope = derivation
    defer { scope.end() }
    try base.target.withWriter {
      // What goes with the old rule is released without the lock.
      let old = rule
      let names = state.withLock { state in
        state.epoch += 1
        state.ruleChanges += 1
        return body(&state.rule)
      }
      scope.run {
        table.support.reportLater(rule.problems(of: names), insteadOf: old.problems(of: names))
        derive(names, source: .external, layer: layer)
      }
    }
  }

  /// Calls the handlers of what has changed.
  package func deliver() { table.support.deliver() }
}

extension Defaults {
  /// Runs a body at once, or if this thread is in a transaction, when that has ended.
  package static func afterTransactions(_ body: @escaping @Sendable () -> Void) {
    TransactionScope.callOutside(body)
  }
}

extension Defaults.StoredSuite {
  /// What the entries are derived by, if it is of this kind.
  package func derivation<Rule>(_ type: Rule.Type) -> DerivedEntries<Rule>? {
    derived as? DerivedEntries<Rule>
  }
}

// MARK: - Deriving

extension DerivedEntries {
  /// A transaction in which entries are derived with the writer lock: types that are decoded there
  /// are anybody's, and handlers that they set off have to wait for the lock to be free.
  private var derivation: TransactionScope {
    TransactionScope(of: ObjectIdentifier(base.target), base.label, isHoldingLock: true)
  }

  /// Commits what follows for some names.
  private func derive(
    _ names: some Collection<String>, source: Defaults.Change.Source, layer: String?
  ) {
    var committed: [EntryTable.Change]?
    while committed == nil {
      let (rule, epoch) = state.withLock { ($0.rule, $0.epoch) }
      let edits = names.map { name in
        (key: name, value: Edit(entry: rule.entry(named: name, base: base.table.entry)))
      }
      // A thread that introduced a key meanwhile, or a commit of the base, may be further.
      committed = state.withLock { state in
        guard state.epoch == epoch else { return nil }
        let changes = table.changes(edits)
        table.put(changes, source: source, layer: layer)
        return changes
      }
    }
    if let committed { table.tellFollowers(committed, source) }
  }

  /// Follows a commit of the base, whose writer lock is held.
  func follow(_ changes: [EntryTable.Change], _ source: Defaults.Change.Source) {
    let rule = state.withLock { state in
      state.epoch += 1
      return state.rule
    }
    let names = Set(changes.flatMap { rule.names(dependingOn: $0.name) })
    let scope = derivation
    scope.run { derive(names, source: source, layer: Defaults.writableLayerName) }
    base.table.support.deliverLater(table.support, releasing: self, ending: scope)
  }

  package func addKey(_ key: any DeclaredKey) {
    let (names, isNew) = state.withLock { state -> (Set<String>?, Bool) in
      // Who comes second doesn't wait for the first one, and does the same.
      guard let names = state.rule.addKey(key) else { return (state.arriving[key.name], false) }
      state.epoch += 1
      state.arriving[key.name] = names
      return (names, true)
    }
    guard let names else { return }
    if isNew { table.support.reportLater(rule.problems(of: names)) }
    // To use a key changes nothing: it isn't a change of this task, with its mark.
    derive(names, source: .external, layer: nil)
    state.withLock { _ = $0.arriving.removeValue(forKey: key.name) }
    table.support.deliver()
  }

  /// The present rule, and how often the layers changed.
  var ruleAndChanges: (rule: Rule, changes: Int) { state.withLock { ($0.rule, $0.ruleChanges) } }
}

// MARK: - Persistence

extension DerivedEntries {
  package var health: Defaults.Health { base.persistence.health }

  package var files: [StoredFile] { get throws(SuiteError) { try base.persistence.files } }

  package func validate(_ value: PropertyListValue, named name: String) throws(SuiteError) {
    try rule.checkWritable(name)
    try base.persistence.validate(value, named: name)
  }

  package func commit(
    _ commitment: Commitment, within patience: Duration?,
    _ body: () throws(SuiteError) -> Proposal
  ) throws(SuiteError) {
    try base.persistence.commit(commitment, within: patience, body)
  }

  package func applyNews() -> Bool { base.persistence.applyNews() }

  package func listen() { base.persistence.listen() }

  package var sources: [Defaults.StoredSuite] { rule.sources }

  package var resolvesPreviousNames: Bool { rule.resolvesPreviousNames }

  package func reload() { rule.reload() }

  package func refresh() throws(SuiteError) {
    rule.refresh()
    try base.persistence.refresh()
  }

  package func flush(_ extent: Defaults.FlushExtent) throws(SuiteError) {
    try base.persistence.flush(extent)
  }

  package func leaveParent() { base.persistence.leaveParent() }

  /// Nothing: the base is closed by itself.
  package func close() {}
}

extension Defaults {
  /// The name of the layer that takes what is set, in ``Change/layer``.
  package static let writableLayerName = "user"
}
