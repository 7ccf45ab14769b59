import Defaults
import Foundation

/// What is set without the cluster, where that was asked for: it is kept in the cache, counts here at
/// once, and is made in the cluster as soon as that answers, unless somebody was faster there.
extension Replica {
  /// Keeps some changes until the cluster can be reached, and commits them to the table.
  func queue(_ changes: [EntryTable.Change]) throws(SuiteError) {
    guard let cache else {
      throw SuiteError(
        .unreachable, "The cluster doesn't answer, and without a cache nothing can be queued",
        suite: table.support.label)
    }
    guard !changes.isEmpty else { return }
    let known = self.known.withLock { $0 }
    var intents: [String: Intent] = [:]
    for change in changes {
      var intent =
        known.intents[change.name]
        ?? Intent(edit: .remove, knownUpTo: known.revision, wasThere: change.old != nil)
      intent.edit = Edit(entry: change.new)
      intents[change.name] = intent
    }
    try cache.change(intents.mapValues(Optional.some))
    self.known.withLock { [intents] known in
      for change in changes where known.intents[change.name] == nil {
        known.shadows[change.name] = Edit(entry: change.old)
      }
      known.intents.merge(intents) { _, new in new }
    }
    table.commit(changes.filter { $0.old != $0.new })
  }

  /// Makes in the cluster what was queued; the writer lock is held.
  func makeIntents(until deadline: UInt64) throws(SuiteError) {
    let intents = known.withLock { $0.intents }
    for (name, intent) in intents.sorted(by: { $0.key < $1.key }) {
      try make(intent, of: name, until: deadline)
    }
  }

  private func make(
    _ intent: Intent, of name: String, until deadline: UInt64
  ) throws(SuiteError) {
    let revision = known.withLock { $0.revisions[name] ?? 0 }
    if intent.isUntouched(at: revision) {
      let transaction = ClusterTransaction(
        expected: [(name, revision)], edits: [(name, try bytes(of: intent.edit, name))])
      let outcome: ClusterTransaction.Outcome
      do throws(SuiteError) {
        outcome = try writer.make(transaction, until: deadline)
      } catch {
        guard error.code == .unrepresentable else { throw error }
        // It would be refused again, whenever it is tried.
        return try giveUp(intent, of: name, error)
      }
      if case .committed(let revision) = outcome {
        let change = EntryTable.Change(name: name, old: nil, new: intent.edit.entry)
        try end(intent, of: name)
        return settle([change], revision: revision)
      }
    }
    // Somebody was faster, whose value counts.
    takeIn(upTo: .max)
    try giveUp(
      intent, of: name,
      SuiteError(
        .conflict,
        "What was set while the cluster couldn't be reached isn't set there, since "
          + "somebody else has changed it meanwhile; set it again if it is still meant"))
  }

  /// Goes back to what the cluster has, for a reason.
  private func giveUp(
    _ intent: Intent, of name: String, _ reason: SuiteError
  ) throws(SuiteError) {
    let shadow = known.withLock { $0.shadows[name] }
    try end(intent, of: name)
    // It may be there by an earlier attempt, whose answer was lost.
    if shadow == intent.edit { return }
    if let shadow { table.commit(table.changes([name: shadow]), source: .external) }
    var reason = reason
    reason.key = name
    table.support.reportLater([reason])
  }

  private func end(_ intent: Intent, of name: String) throws(SuiteError) {
    known.withLock { known in
      known.intents[name] = nil
      known.shadows[name] = nil
    }
    try cache?.change([name: nil])
  }

  /// The names that wait for the cluster.
  var queuedNames: Set<String> { known.withLock { Set($0.intents.keys) } }
}
