extension DerivedEntries {
  /// Returns the current rule and those of the suites below.
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

  func names(on snapshot: Snapshot?) -> Set<String> {
    let base =
      below?.names(on: snapshot) ?? snapshot?.names() ?? Set(entries.base.table.entries.keys)
    return rule.names(with: base).filter { entry(named: $0, after: [:], on: snapshot) != nil }
  }

  func entry(
    named name: String, after edits: [String: Edit], on snapshot: Snapshot?
  ) -> PropertyListValue? {
    rule.entryOfDraft(named: name) { name in
      if let below { return below.entry(named: name, after: edits, on: snapshot) }
      if let edit = edits[name] { return edit.entry }
      guard let snapshot else { return entries.base.table.entry(named: name) }
      return snapshot.entry(named: name)
    }
  }
}
