extension DerivedEntries {
  /// Returns the current rule and the rules of the suites below.
  func freeze() -> any DerivedSnapshot { FrozenEntries(self) }
}

private final class FrozenEntries<Rule: Derivation>: DerivedSnapshot {
  private let entries: DerivedEntries<Rule>
  private let below: (any DerivedSnapshot)?
  private let frozen: Lock<(rule: Rule, changes: Int)>

  init(_ entries: DerivedEntries<Rule>) {
    self.entries = entries
    below = entries.base.derived?.freeze()
    frozen = Lock(entries.ruleAndChanges)
  }

  /// The rule, including the keys that the transaction itself has added.
  private var rule: Rule {
    let (rule, changes) = entries.ruleAndChanges
    return frozen.withLock { frozen in
      if changes == frozen.changes { frozen.rule = rule }
      return frozen.rule
    }
  }

  var isCurrent: Bool {
    entries.ruleAndChanges.changes == frozen.withLock { $0.changes } && below?.isCurrent != false
  }

  func names(after edits: [String: Edit], on snapshot: Snapshot?) -> Set<String> {
    let base =
      below?.names(after: edits, on: snapshot)
      ?? (snapshot?.names() ?? Set(entries.base.table.entries.keys)).union(edits.keys)
    return rule.names(with: base).filter { entry(named: $0, after: edits, on: snapshot) != nil }
  }

  func entry(
    named name: String, after edits: [String: Edit], on snapshot: Snapshot?
  ) -> PropertyListValue? {
    rule.entryOfDraft(named: name) { baseEntry(named: $0, after: edits, on: snapshot) }
  }

  func storedPrefix(after edits: [String: Edit], on snapshot: Snapshot?) -> String {
    let prefix = rule.storedPrefix { baseEntry(named: $0, after: edits, on: snapshot) }
    return prefix.isEmpty ? below?.storedPrefix(after: edits, on: snapshot) ?? "" : prefix
  }

  private func baseEntry(
    named name: String, after edits: [String: Edit], on snapshot: Snapshot?
  ) -> PropertyListValue? {
    if let below { return below.entry(named: name, after: edits, on: snapshot) }
    if let edit = edits[name] { return edit.entry }
    guard let snapshot else { return entries.base.table.entry(named: name) }
    return snapshot.entry(named: name)
  }
}
