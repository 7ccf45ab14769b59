import Defaults
import Foundation

/// Commits: first in the cluster, then in the table, after all earlier changes of the cluster.
extension Replica {
  /// The maximum number of retries after conflicts.
  private static let mostConflicts = 1_000

  func commit(
    _ commitment: Commitment, within timeout: Duration?,
    _ body: () throws(SuiteError) -> Proposal
  ) throws(SuiteError) {
    defer { saveSoon() }
    let timing = settings.timing
    let usual = if case .blind = commitment { timing.setTimeout } else { timing.transactionTimeout }
    let deadline = MonotonicClock.now(plus: timeout ?? usual)
    try table.withWriter { () throws(SuiteError) in
      feed.wait(until: deadline) { !$0.isStarting || $0.isClosed }
      takeIn(upTo: .max)
      for number in 0..<Self.mostConflicts {
        if number > 0, MonotonicClock.now >= deadline { break }
        // Queued sets go first. Otherwise the body would read entries that the cluster lacks.
        let problem = try problemOfLink(until: deadline)
        var proposal = try body()
        proposal.changes += unbelievedChanges(of: proposal)
        let changes = proposal.changes
        guard let transaction = try transaction(commitment, proposal) else { return }
        let outcome: ClusterTransaction.Outcome
        do throws(SuiteError) {
          if let problem { throw problem }
          outcome = try make(transaction, of: changes, until: deadline)
        } catch {
          guard [.unreachable, .unconfirmed].contains(error.code), settings.isQueueing,
            case .blind = commitment
          else {
            throw error
          }
          return try queue(changes + confirmations(of: proposal.confirmed))
        }
        switch outcome {
        case .committed(let revision):
          return settle(changes, by: transaction, revision: revision)
        case .conflict(let conflict): catchUp(with: conflict, number)
        }
      }
      throw SuiteError(
        .tooManyConflicts,
        "At each attempt, other programs had changed settings that the change depends on; "
          + "nothing was changed", suite: table.support.label)
    }
  }

  func foldWithoutWaiting() -> Bool {
    // A commit waits for the cluster, and throws its answer.
    guard feed.present.isLive, queuedNames.isEmpty else { return false }
    do throws(SuiteError) {
      try table.withWriter { takeIn(upTo: .max) }
      return true
    } catch {
      return false
    }
  }

  /// Makes the queued sets. Returns the error if nothing can be changed in the cluster now.
  private func problemOfLink(until deadline: UInt64) throws(SuiteError) -> SuiteError? {
    do throws(SuiteError) {
      try requireLink()
      try makeIntents(until: deadline)
      return nil
    } catch {
      guard error.code == .unreachable else { throw error }
      return error
    }
  }

  /// Makes a transaction in the cluster. If sets are queued, stores it before, so that its result
  /// can be found out later, even by the next start of the program.
  func make(
    _ transaction: ClusterTransaction, of changes: [EntryChange], until deadline: UInt64
  ) throws(SuiteError) -> ClusterTransaction.Outcome {
    do throws(SuiteError) {
      let outcome = try writer.make(transaction, until: deadline) { mark in
        guard settings.isQueueing, cache != nil else { return }
        note(SentTransaction(mark: mark, edits: Self.edits(changes)))
      }
      // A committed transaction stays stored until its changes are known.
      if case .conflict = outcome { known.withLock { $0.sent[writer.writer] = nil } }
      return outcome
    } catch {
      if error.code != .unconfirmed { known.withLock { $0.sent[writer.writer] = nil } }
      throw error
    }
  }

  /// Stores a transaction in place of the previous one, whose changes are saved before.
  private func note(_ sent: SentTransaction) {
    do throws(SuiteError) {
      try withCache { cache throws(SuiteError) in
        // Even if the cache can't be written.
        defer { known.withLock { $0.sent[sent.mark.writer] = sent } }
        try save(to: cache)
        try cache.add(sent)
      }
    } catch {
      table.support.report(error)
    }
  }

  private static func edits(_ changes: [EntryChange]) -> [String: Edit] {
    Dictionary(changes.map { ($0.name, Edit(entry: $0.new)) }) { _, last in last }
  }

  /// Throws if the cluster is known not to answer, or to deny access.
  func requireLink() throws(SuiteError) {
    switch feed.present.link {
    case .live: return
    case .starting:
      throw SuiteError(
        .unreachable, "The cluster hasn't answered yet, and nothing was changed",
        suite: table.support.label)
    case .offline(let since, let error):
      var problem = error
      if error.code != .denied { problem.code = .unreachable }
      let words = error.code == .denied ? "denied access" : "not answered"
      problem.reason =
        "The cluster has \(words) since \(since.formatted(.iso8601)), and nothing was changed: "
        + error.reason
      throw problem
    }
  }

  /// The changes that replace invalid values in the cluster with the valid ones.
  private func unbelievedChanges(of proposal: Proposal) -> [EntryChange] {
    let unbelieved = known.withLock { $0.unbelieved }
    return confirmations(of: proposal.confirmed.filter { unbelieved[$0] != nil })
  }

  /// Changes that set entries to their current values.
  private func confirmations(of names: Set<String>) -> [EntryChange] {
    names.map { name in
      let entry = table.entry(named: name)
      return EntryChange(name: name, old: entry, new: entry)
    }
  }

  /// The transaction for some changes; nil if there is nothing to do in the cluster.
  private func transaction(
    _ commitment: Commitment, _ proposal: Proposal
  ) throws(SuiteError) -> ClusterTransaction? {
    guard !proposal.changes.isEmpty || !proposal.confirmed.isEmpty else { return nil }
    let known = self.known.withLock { $0 }
    var expected = proposal.confirmed
    var transaction = ClusterTransaction()
    if case .blind = commitment {
    } else {
      expected.formUnion(proposal.reads.names)
      if proposal.reads.includesAllNames {
        expected.formUnion(known.revisions.keys)
        // Missing changes of the cluster cause a conflict.
        transaction.unchangedSince = min(known.revision, feed.present.revision)
      }
    }
    transaction.expected = expected.flatMap { known.expectation(of: $0, in: space) }
    for change in proposal.changes {
      let bytes = try bytes(of: Edit(entry: change.new), change.name)
      transaction.edits += known.edits(of: change.name, bytes, in: space)
    }
    // The mark is one operation and one condition.
    let count = max(transaction.edits.count, transaction.expected.count) + 3
    guard count <= settings.timing.maximumOperations else {
      throw SuiteError(
        .unrepresentable,
        "The change has \(count - 3) names, but a transaction of the cluster can have at most "
          + "\(settings.timing.maximumOperations - 3); split it into several changes",
        suite: table.support.label)
    }
    return transaction
  }

  func bytes(of edit: Edit, _ name: String) throws(SuiteError) -> Data? {
    guard let value = edit.entry else { return nil }
    do throws(ConversionError) {
      return try settings.encoding.bytes(of: value)
    } catch {
      throw SuiteError(
        .unrepresentable, "The entry can't be stored: \(error)", suite: table.support.label,
        key: name, underlying: error)
    }
  }

  /// Commits the changes that the cluster made at a revision, after all its earlier changes.
  func settle(_ changes: [EntryChange], by transaction: ClusterTransaction, revision: Int64) {
    // Nothing was changed, and all conditions hold.
    guard revision > 0 else { return }
    let hasCome = awaitNews(of: revision)
    takeIn(upTo: revision - 1)
    var over: [SuiteError] = []
    let edits = known.withLock { known in
      known.revision = max(known.revision, revision)
      for change in changes {
        let new = change.new == nil ? nil : revision
        over += known.noteKeys(of: change.name, set: new, removed: transaction.removedKeys)
        known.revisions[change.name] = new
        if let problem = known.unbelieved.removeValue(forKey: change.name) { over.append(problem) }
        known.noteUnsaved(Edit(entry: change.new), of: change.name)
      }
      known.sent[writer.writer] = nil
      return Self.edits(changes)
    }
    table.support.reportLater([], insteadOf: over)
    table.commit(table.changes(edits))
    takeIn(upTo: .max)
    guard !hasCome else { return }
    // Earlier changes of the cluster that didn't arrive count as known in every later stream. So
    // they must be listed, and older listings are ignored.
    feed.update { state in
      state.stream += 1
      state.mustList = true
    }
  }

  /// Waits until all changes up to a revision have arrived, and returns whether they have. If they
  /// don't arrive soon, the stream is broken, and a listing follows.
  func awaitNews(of revision: Int64) -> Bool {
    let timing = settings.timing
    if feed.wait(timing.watchTimeout.seconds, for: { $0.revision >= revision || $0.isClosed }) {
      return true
    }
    feed.list()
    return feed.wait(timing.requestTimeout.seconds) { $0.revision >= revision || $0.isClosed }
  }

  /// Applies the changes that caused a conflict, and waits a random time to let other programs
  /// commit.
  func catchUp(with conflict: ClusterTransaction.Conflict, _ number: Int) {
    let revision = known.withLock { $0.revision }
    let isNew = { (state: Feed.State) in
      state.isClosed
        || (conflict.latest > revision
          ? state.revision >= conflict.latest : state.revision > revision)
    }
    if !feed.wait(settings.timing.watchTimeout.seconds, for: isNew) {
      feed.list()
      let isListed = { (state: Feed.State) in
        state.isClosed || state.isOffline || state.revision >= conflict.present
      }
      feed.wait(settings.timing.requestTimeout.seconds, for: isListed)
    }
    takeIn(upTo: .max)
    if number > 0 { feed.wait(.random(in: 0...0.000_5) * Double(min(number, 20))) { $0.isClosed } }
  }
}
