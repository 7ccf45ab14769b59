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
    do throws(SuiteError) {
      try settleSent(until: deadline)
      let intents = known.withLock { $0.intents }
      for (name, intent) in intents.sorted(by: { $0.key < $1.key }) {
        try make(intent, of: name, until: deadline)
      }
    } catch {
      // What becomes of it is found out at the next attempt.
      throw error.code == .unconfirmed ? .late : error
    }
  }

  /// Finds out which transactions were made whose answers were lost, so that what they have changed
  /// doesn't count as a change of another program.
  private func settleSent(until deadline: UInt64) throws(SuiteError) {
    for sent in known.withLock({ Array($0.sent.values) }) {
      let fate = try writer.fate(of: sent.mark, until: deadline)
      switch fate {
      // Until its change has arrived here, it would count as one of another program.
      case .made(let revision): guard awaitNews(of: revision) else { throw .late }
      case .notMade: break
      case .unknown: try awaitAll()
      }
      takeIn(upTo: .max)
      try withCache { cache throws(SuiteError) in
        let intents = known.withLock { known in
          known.sent[sent.mark.writer] = nil
          return known.updateIntents(after: sent, fate)
        }
        try cache.remove(sent, updating: intents)
      }
    }
  }

  private func make(
    _ intent: Intent, of name: String, until deadline: UInt64
  ) throws(SuiteError) {
    let change = EntryTable.Change(name: name, old: nil, new: intent.edit.entry)
    var conflicts = 0
    while true {
      let known = self.known.withLock { $0 }
      guard intent.isUntouched(at: known.revisions[name] ?? 0) else {
        return try giveUp(intent, of: name, .overtaken)
      }
      let transaction = ClusterTransaction(
        expected: known.expectation(of: name, in: space),
        edits: known.edits(of: name, try bytes(of: intent.edit, name), in: space))
      let outcome: ClusterTransaction.Outcome
      do throws(SuiteError) {
        outcome = try make(transaction, of: [change], until: deadline)
      } catch {
        guard error.code == .unrepresentable else { throw error }
        // It would be refused again, whenever it is tried.
        return try giveUp(intent, of: name, error)
      }
      switch outcome {
      case .committed(let revision):
        self.known.withLock { $0.endIntent(of: name) }
        // The cache loses the intent before it loses the transaction: without that, what the
        // transaction has made would count as a change of another program.
        let ended = Result { () throws(SuiteError) in
          try cache?.end(intent, of: name, madeAt: revision)
        }
        settle([change], by: transaction, revision: revision)
        return try ended.get() ?? ()
      case .conflict(let conflict):
        guard MonotonicClock.now < deadline else { throw .late }
        catchUp(with: conflict, conflicts)
        conflicts += 1
      }
    }
  }

  /// Goes back to what the cluster has, for a reason.
  private func giveUp(
    _ intent: Intent, of name: String, _ reason: SuiteError
  ) throws(SuiteError) {
    let shadow = known.withLock { known in
      defer { known.endIntent(of: name) }
      return known.shadows[name]
    }
    // The cluster may have the same value by now.
    if shadow != intent.edit {
      if let shadow { table.commit(table.changes([name: shadow]), source: .external) }
      var reason = reason
      reason.key = name
      table.support.reportLater([reason])
    }
    try cache?.change([name: nil])
  }

  /// The names that wait for the cluster.
  var queuedNames: Set<String> { known.withLock { Set($0.intents.keys) } }
}

extension SuiteError {
  fileprivate static let overtaken = Self(
    .tooManyConflicts,
    "What was set while the cluster couldn't be reached isn't set there, since "
      + "another program has changed it meanwhile; set it again if it is still meant")

  fileprivate static let late = Self(
    .unreachable, "What was queued couldn't be made in the cluster in time, and stays queued")
}
