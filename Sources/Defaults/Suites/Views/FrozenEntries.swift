extension DerivedEntries {
  /// Returns the current rule and the rules of the suites below.
  package func freeze() -> any DerivedSnapshot { FrozenEntries(self) }
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

  func names(in draft: Defaults.Draft) -> Set<String> {
    let base =
      below?.names(in: draft)
      ?? (draft.snapshot?.names() ?? Set(entries.base.table.entries.keys)).union(draft.edits.keys)
    return rule.names(with: base).filter { entry(named: $0, in: draft) != nil }
  }

  func entry(named name: String, in draft: Defaults.Draft) -> PropertyListValue? {
    rule.entryOfDraft(named: name) { baseEntry(named: $0, in: draft) }
  }

  func storedPrefix(in draft: Defaults.Draft) -> String {
    let prefix = rule.storedPrefix { baseEntry(named: $0, in: draft) }
    return prefix.isEmpty ? below?.storedPrefix(in: draft) ?? "" : prefix
  }

  private func baseEntry(named name: String, in draft: Defaults.Draft) -> PropertyListValue? {
    if let below { return below.entry(named: name, in: draft) }
    if let edit = draft.edits[name] { return edit.entry }
    guard let snapshot = draft.snapshot else { return entries.base.table.entry(named: name) }
    return snapshot.entry(named: name)
  }
}
