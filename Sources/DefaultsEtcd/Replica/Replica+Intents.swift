import Defaults
import Foundation

/// Queued sets, if the suite has that option. They are stored in the cache, take effect
/// immediately, and are made in the cluster when it answers, unless another program has changed the
/// setting there.
extension Replica {
  /// Queues changes until the cluster is reachable, and commits them to the table.
  func queue(_ changes: [EntryChange]) throws(SuiteError) {
    guard cache != nil else {
      throw SuiteError(
        .unreachable, "The cluster doesn't answer, and changes can't be queued without a cache",
        suite: table.support.label)
    }
    guard !changes.isEmpty else { return }
    var intents: [String: Intent] = [:]
    // Until the cache is saved, what is known here may be of another history than the cache.
    try withCache { cache throws(SuiteError) in
      let known = self.known.withLock { $0 }
      for change in changes {
        // The cluster may have an invalid entry, which isn't in the table.
        let wasThere = change.old != nil || known.revisions[change.name] != nil
        var intent =
          known.intents[change.name]
          ?? Intent(edit: .remove, knownUpTo: known.revision, wasThere: wasThere)
        intent.edit = Edit(entry: change.new)
        intents[change.name] = intent
      }
      try cache.change(intents, isOther: known.isCacheOfOther)
    }
    known.withLock { [intents] known in
      for change in changes where known.intents[change.name] == nil {
        known.shadows[change.name] = Edit(entry: change.old)
      }
      known.intents.merge(intents) { _, new in new }
    }
    table.commit(changes.filter { $0.old != $0.new })
  }

  /// Makes the queued sets in the cluster. Requires the writer lock.
  func makeIntents(until deadline: UInt64) throws(SuiteError) {
    do throws(SuiteError) {
      try settleSent(until: deadline)
      let intents = known.withLock { $0.intents }
      for (name, intent) in intents.sorted(by: { $0.key < $1.key }) {
        try make(intent, of: name, until: deadline)
      }
    } catch {
      // The next attempt finds out its result.
      throw error.code == .unconfirmed ? .late : error
    }
  }

  /// Finds out the results of transactions whose answers were lost, so that their changes don't
  /// count as those of another program.
  private func settleSent(until deadline: UInt64) throws(SuiteError) {
    for sent in known.withLock({ Array($0.sent.values) }) {
      let fate = try writer.fate(of: sent.mark, until: deadline)
      switch fate {
      // Until the change has arrived, it would count as one of another program.
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

  private func make(_ intent: Intent, of name: String, until deadline: UInt64) throws(SuiteError) {
    let change = EntryChange(name: name, old: nil, new: intent.edit.entry)
    var conflicts = 0
    while true {
      let known = self.known.withLock { $0 }
      let revision = known.revisions[name] ?? 0
      if !intent.isUntouched(at: revision), try !isNewer(intent, of: name, than: revision) {
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
        // The cluster would reject the set at every attempt.
        return try giveUp(intent, of: name, error)
      }
      switch outcome {
      case .committed(let revision):
        self.known.withLock { $0.endIntent(of: name) }
        // The cache removes the intent before the transaction. Otherwise, the transaction's change
        // would count as one of another program.
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

  /// Returns whether another process with the same cache changed the entry last, by an earlier set
  /// than an intent. Such a process updates the intent in the cache.
  private func isNewer(
    _ intent: Intent, of name: String, than revision: Int64
  ) throws(SuiteError) -> Bool {
    guard let cached = try cache?.intent(of: name), cached.edit == intent.edit else { return false }
    return cached.wasThere ? cached.knownUpTo == revision : revision == 0
  }

  /// Returns to the cluster's entry, and reports the reason.
  private func giveUp(_ intent: Intent, of name: String, _ reason: SuiteError) throws(SuiteError) {
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
    try cache?.remove(intent, of: name)
  }

  var queuedNames: Set<String> { known.withLock { Set($0.intents.keys) } }
}

extension SuiteError {
  fileprivate static let overtaken = Self(
    .tooManyConflicts,
    "A change made while the cluster was unreachable was discarded, since another program "
      + "has changed the setting; set it again if it is still wanted")

  fileprivate static let late = Self(
    .unreachable, "Queued changes couldn't be made in the cluster in time, and stay queued")
}
