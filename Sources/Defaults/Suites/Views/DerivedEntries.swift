/// The entries of a suite that a rule derives from a base, which receives all commits.
///
/// The table shares the writer lock of the base's table, since each commit affects both tables. If
/// the rule changes while the body of a transaction runs, the body runs again.
package final class DerivedEntries<Rule: Derivation>: DerivedPersistence, Following {
  package let base: Defaults.StoredSuite
  private let table: EntryTable
  /// Taken after the writer lock and before the locks of the tables. Code outside of the library is
  /// never called under it.
  private let state: Lock<State>

  private struct State {
    var rule: Rule
    /// Grows with each change of the rule or the base. Entries that were derived at an earlier
    /// epoch aren't committed.
    var epoch = 0
    /// Grows with each change of the layers.
    var ruleChanges = 0
    /// The names that new keys affect and whose entries aren't derived yet, by the name of the key.
    var arriving: [String: Set<String>] = [:]
  }

  private init(_ base: Defaults.StoredSuite, _ table: EntryTable, _ rule: Rule) {
    self.base = base
    self.table = table
    state = Lock(State(rule: rule))
  }

  /// Creates a suite whose entries are derived by a rule. Throws `locked`. Traps in a transaction
  /// of the base.
  package static func suite(
    on base: Defaults.StoredSuite, by rule: Rule, _ support: Defaults.SuiteSupport
  ) throws(SuiteError) -> (suite: Defaults.StoredSuite, entries: DerivedEntries) {
    let table = EntryTable([:], support, writer: base.target.writer)
    let derived = DerivedEntries(base, table, rule)
    let suite = Defaults.StoredSuite(table, derived, derived: derived)
    TransactionScope.requireNone(of: base.target, for: "layered")
    let held = try base.target.withWriter {
      let held = base.table.addFollower(derived)
      let names = derived.rule.names(with: Set(base.table.entries.keys))
      derived.derive(names, source: .local, layer: nil)
      return held
    }
    withExtendedLifetime(held) {}
    return (suite, derived)
  }

  package var rule: Rule { state.withLock { $0.rule } }

  /// Changes the rule, with a body that returns the affected names, and derives their entries.
  /// Throws like ``EntryTable/withWriter(_:)``. Call `deliverExternal` when no lock is held.
  package func change(layer: String, _ body: (inout Rule) -> Set<String>) throws(SuiteError) {
    TransactionScope.requireNone(of: base.target, for: "changed")
    let scope = derivation
    defer { scope.end() }
    try base.target.withWriter {
      // Objects of the old rule are released outside of the lock.
      let old = rule
      let names = state.withLock { state in
        state.epoch += 1
        state.ruleChanges += 1
        return body(&state.rule)
      }
      scope.run {
        table.support.reportLater(
          rule.problems(of: names, base: base.table.entry),
          insteadOf: old.problems(of: names, base: base.table.entry))
        derive(names, source: .external, layer: layer)
      }
    }
  }

  package func deliverExternal() { table.support.deliverExternal() }
}

extension Defaults.StoredSuite {
  /// The derivation of the entries, if its rule is of this type.
  package func derivation<Rule>(_ type: Rule.Type) -> DerivedEntries<Rule>? {
    derived as? DerivedEntries<Rule>
  }
}

// MARK: - Deriving

extension DerivedEntries {
  /// A transaction for deriving entries under the writer lock. Decoding runs code of the program;
  /// handlers of changes by that code must wait for the lock's release.
  private var derivation: TransactionScope {
    TransactionScope(of: ObjectIdentifier(base.target), base.label, isHoldingLock: true)
  }

  private func derive(
    _ names: some Collection<String>, source: Defaults.Change.Source, layer: String?
  ) {
    var committed: [EntryChange]?
    while committed == nil {
      let (rule, epoch) = state.withLock { ($0.rule, $0.epoch) }
      let edits = names.map { name in
        (key: name, value: Edit(entry: rule.entry(named: name, base: base.table.entry)))
      }
      // A thread that added a key, or a commit of the base, may have changed the epoch meanwhile.
      committed = state.withLock { state in
        guard state.epoch == epoch else { return nil }
        let changes = table.changes(edits)
        table.put(changes, source: source, layer: layer)
        return changes
      }
    }
    if let committed { table.tellFollowers(committed, source) }
  }

  func follow(_ changes: [EntryChange], _ source: Defaults.Change.Source) {
    let rule = state.withLock { state in
      state.epoch += 1
      return state.rule
    }
    let names = Set(
      changes.flatMap { change in
        rule.names(dependingOn: change.name) { Set(base.table.entries.keys) }
      })
    let scope = derivation
    scope.run {
      // Setters of this process validate their values, and must stay fast.
      if source == .external {
        let old = Dictionary(changes.map { ($0.name, $0.old) }) { $1 }
        table.support.reportLater(
          rule.problems(of: names, base: base.table.entry),
          insteadOf: rule.problems(of: names) { old[$0] ?? base.table.entry(named: $0) })
      }
      derive(names, source: source, layer: Defaults.writableLayerName)
    }
    base.table.support.deliverLater(table.support, releasing: self, ending: scope)
  }

  package func addKey(_ key: any DeclaredKey) {
    let (names, isNew) = state.withLock { state -> (Set<String>?, Bool) in
      // A second thread doesn't wait for the first thread; both derive the same entries.
      guard let names = state.rule.addKey(key) else { return (state.arriving[key.name], false) }
      state.epoch += 1
      state.arriving[key.name] = names
      return (names, true)
    }
    // Before the derivation: if another thread derives the base's entry at the same time, it may
    // not have told this suite yet.
    base.persistence.addKey(key)
    key.redact(in: base.support)
    guard let names else { return }
    if isNew { table.support.reportLater(rule.problems(of: names, base: base.table.entry)) }
    // Using a key isn't a change by this task, so the change is external and has no origin.
    derive(names, source: .external, layer: nil)
    state.withLock { _ = $0.arriving.removeValue(forKey: key.name) }
    table.support.deliver()
  }

  var ruleAndChanges: (rule: Rule, changes: Int) { state.withLock { ($0.rule, $0.ruleChanges) } }
}

// MARK: - Persistence

extension DerivedEntries {
  package var health: Defaults.Health { base.persistence.health }
  package var files: [StoredFile] { base.persistence.files }
  package func foldWithoutWaiting() -> Bool { base.persistence.foldWithoutWaiting() }
  package func listen() { base.persistence.listen() }
  package func leaveParent() { base.persistence.leaveParent() }

  package func validate(_ value: PropertyListValue, named name: String) throws(SuiteError) {
    try rule.checkWritable(name)
    try base.persistence.validate(value, named: Defaults.storedName(of: name, after: storedPrefix))
  }

  package func commit(
    _ commitment: Commitment, within timeout: Duration?,
    _ body: () throws(SuiteError) -> Proposal
  ) throws(SuiteError) {
    try base.persistence.commit(commitment, within: timeout, body)
  }

  package func refresh() throws(SuiteError) {
    // A thread of the parent may hold the lock of a source, which the child would wait for.
    try SuiteError.checkProcess(of: table.support.label)
    rule.refresh()
    try base.persistence.refresh()
  }

  package func flush(_ extent: Defaults.FlushExtent) throws(SuiteError) {
    try base.persistence.flush(extent)
  }

  /// Does nothing, since the base closes itself.
  package func close() {}
}

// MARK: - The derivation

extension DerivedEntries {
  package var sources: [Defaults.StoredSuite] { rule.sources }
  package var resolvesPreviousNames: Bool { rule.resolvesPreviousNames }
  package var placesForSetting: [String] { rule.placesForSetting }
  package func reload() { rule.reload() }

  package var storedPrefix: String {
    let prefix = rule.storedPrefix(base: base.table.entry)
    return prefix.isEmpty ? base.derived?.storedPrefix ?? "" : prefix
  }

  package func problems(declaring keys: [any DeclaredKey]) -> [SuiteError] {
    state.withLock { $0.rule.complete() }
    return rule.problems(declaring: keys) { base.entry(named: $0) }
      + (base.derived?.problems(declaring: keys) ?? [])
  }
}
