import Defaults
import Foundation

/// Makes transactions in the cluster, each of them once or not at all.
///
/// Every transaction sets a key of its writer's, the mark, to a text that no other transaction has,
/// and is only made if the mark wasn't changed since the writer's last one. So it can be sent again
/// when an answer is lost, to another member too: of all copies at most one is made, and the mark
/// tells whether one was. Marks have a lease, and go an hour after their writers.
///
/// One transaction at a time: its owner holds the writer lock of the suite.
final class ClusterWriter: Sendable {
  private struct State {
    /// The revision of the mark; 0 as long as there is none.
    var revision: Int64 = 0
    var lease: Int64?
    var leaseEnds: UInt64 = 0
    var number = 0
  }

  /// How many seconds a mark outlives its last transaction, at least half of it.
  private static let leaseTime: Int64 = 3_600
  /// As many names are looked at one by one after a conflict.
  private static let fewNames = 16

  private let gateway: Gateway
  private let space: KeySpace
  private let timing: Defaults.EtcdSuite.Timing
  private let place: String
  /// The name of this writer's mark.
  let writer = UUID().uuidString
  private let state = Lock(State())

  init(_ gateway: Gateway, _ space: KeySpace, _ timing: Defaults.EtcdSuite.Timing, place: String) {
    self.gateway = gateway
    self.space = space
    self.timing = timing
    self.place = place
  }

  /// Makes a transaction, or finds out that it can't be made, before a point of `MonotonicClock`.
  ///
  /// - Parameter willSend: Called with the mark before the transaction is sent, and again if the mark
  ///   isn't the same when it is sent again. The copies with earlier marks aren't made anymore then.
  /// - Throws: `unreachable`, or the reason why the cluster rejects the transaction, if it wasn't made
  ///   and won't be; `unconfirmed` if that couldn't be found out.
  func make(
    _ transaction: ClusterTransaction, until deadline: UInt64, willSend: (Mark) -> Void
  ) throws(SuiteError) -> ClusterTransaction.Outcome {
    guard !transaction.edits.isEmpty else { return try check(transaction, until: deadline) }
    let text = state.withLock { state in
      state.number += 1
      return "\(writer).\(state.number)"
    }
    var attempts = Attempts(at: gateway.endpoints, until: deadline, timing)
    var sent: Mark?
    while true {
      let lease = try lease(&attempts)
      let mark = Mark(
        writer: writer, text: text, before: state.withLock { $0.revision }, lease: lease)
      if mark != sent { willSend(mark) }
      sent = mark
      var request = request(for: transaction, mark)
      request.failure = looks(at: transaction)
      guard let answer = try send(request, &attempts) else { continue }
      if let revision = outcome(of: answer, mark) { return .committed(revision: revision) }
      guard isMarkAsKnown(in: answer) else {
        // The mark has gone, and with it the knowledge of what became of earlier copies.
        guard !attempts.isOpen || self.mark(in: answer) != nil else { throw unconfirmed() }
        continue
      }
      // It is as it was, so something else isn't as expected. But a copy may still be under way.
      if attempts.isOpen {
        switch try fate(of: mark, &attempts) {
        case .made(let revision): return .committed(revision: revision)
        case .notMade: break
        case .unknown: throw unconfirmed()
        }
      }
      return .conflict(conflict(in: answer))
    }
  }

  /// Finds out what became of a transaction, of this writer or another one, and prevents that a copy
  /// of it is made later. Throws `unreachable`, or the reason why the cluster rejects that.
  func fate(of mark: Mark, until deadline: UInt64) throws(SuiteError) -> Mark.Fate {
    var attempts = Attempts(at: gateway.endpoints, until: deadline, timing)
    return try fate(of: mark, &attempts)
  }

  /// Whether all is as expected, for a transaction that changes nothing.
  private func check(
    _ transaction: ClusterTransaction, until deadline: UInt64
  ) throws(SuiteError) -> ClusterTransaction.Outcome {
    var attempts = Attempts(at: gateway.endpoints, until: deadline, timing)
    var request = TxnRequest(compare: compares(of: transaction))
    request.failure = looks(at: transaction)
    while true {
      let answer: TxnResponse? = try call("/v3/kv/txn", request, &attempts, mayChange: false)
      guard let answer else { continue }
      if answer.succeeded == true { return .committed(revision: 0) }
      return .conflict(conflict(in: answer))
    }
  }

  private func fate(
    of mark: Mark, _ attempts: inout Attempts
  ) throws(SuiteError) -> Mark.Fate {
    let key = space.key(ofMark: mark.writer)
    let request = TxnRequest(
      compare: [TxnRequest.Compare(key: key, mod_revision: Int64Text(mark.before))],
      success: [put(mark.closed, mark)], failure: [range(of: key)])
    while true {
      // It may be made several times, so a lost answer doesn't matter.
      let answer: TxnResponse? = try call("/v3/kv/txn", request, &attempts, mayChange: false)
      // The lease has ended: the mark that the transaction may have set is gone, and copies of the
      // transaction, which have the same lease, are rejected.
      if attempts.isLeaseGone { return .unknown }
      guard let answer else { continue }
      if mark.writer == writer { noteMark(in: answer) }
      if answer.succeeded == true { return .notMade }
      guard let found = self.mark(in: answer) else { return .unknown }
      switch found.value.map({ String(decoding: $0, as: UTF8.self) }) {
      case mark.text: return .made(revision: found.modRevision)
      case mark.closed: return .notMade
      default: return .unknown
      }
    }
  }
}

// MARK: - Requests

extension ClusterWriter {
  private func request(for transaction: ClusterTransaction, _ mark: Mark) -> TxnRequest {
    var request = TxnRequest(compare: compares(of: transaction))
    let key = space.key(ofMark: mark.writer)
    request.compare.append(TxnRequest.Compare(key: key, mod_revision: Int64Text(mark.before)))
    for (key, bytes) in transaction.edits {
      request.success.append(
        bytes.map { TxnRequest.Operation(request_put: TxnRequest.Put(key: key, value: $0)) }
          ?? TxnRequest.Operation(request_delete_range: TxnRequest.Delete(key: key)))
    }
    request.success.append(put(mark.text, mark))
    return request
  }

  private func compares(of transaction: ClusterTransaction) -> [TxnRequest.Compare] {
    var compares = transaction.expected.map { key, revision in
      TxnRequest.Compare(key: key, mod_revision: Int64Text(revision))
    }
    guard let revision = transaction.unchangedSince else { return compares }
    for range in space.rangesOfEntries {
      compares.append(
        TxnRequest.Compare(
          key: range.start, range_end: range.end, result: "LESS",
          mod_revision: Int64Text(revision + 1)))
    }
    return compares
  }

  /// What is looked at where a transaction isn't made: the mark, and what it expects.
  private func looks(at transaction: ClusterTransaction) -> [TxnRequest.Operation] {
    var looks = [range(of: space.key(ofMark: writer))]
    if transaction.unchangedSince == nil, transaction.expected.count <= Self.fewNames {
      for (key, _) in transaction.expected {
        looks.append(
          TxnRequest.Operation(request_range: RangeRequest(key: key, keys_only: true)))
      }
    } else {
      looks.append(TxnRequest.Operation(request_range: .latest(of: space)))
    }
    return looks
  }

  private func put(_ text: String, _ mark: Mark) -> TxnRequest.Operation {
    TxnRequest.Operation(
      request_put: TxnRequest.Put(
        key: space.key(ofMark: mark.writer), value: Data(text.utf8),
        lease: Int64Text(mark.lease)))
  }

  private func range(of key: Data) -> TxnRequest.Operation {
    TxnRequest.Operation(request_range: RangeRequest(key: key))
  }

  /// A lease that lives for half of its time at least.
  private func lease(_ attempts: inout Attempts) throws(SuiteError) -> Int64 {
    let known = state.withLock { MonotonicClock.now < $0.leaseEnds ? $0.lease : nil }
    if let known { return known }
    while true {
      let begin = MonotonicClock.now
      let request = LeaseGrantRequest(TTL: Int64Text(Self.leaseTime))
      // Nobody misses a lease that was granted without our knowing; it ends by itself.
      let answer: LeaseGrantResponse? = try call(
        "/v3/lease/grant", request, &attempts, mayChange: false)
      guard let answer else { continue }
      state.withLock { state in
        state.lease = answer.ID.value
        state.leaseEnds = begin + UInt64(Self.leaseTime) * 500_000_000
      }
      return answer.ID.value
    }
  }
}

// MARK: - Answers

extension ClusterWriter {
  /// The revision in which the transaction with this mark was made, if an answer says that.
  private func outcome(of answer: TxnResponse, _ mark: Mark) -> Int64? {
    guard answer.succeeded == true || self.mark(in: answer)?.value == Data(mark.text.utf8) else {
      return nil
    }
    return noteMark(in: answer)
  }

  /// Notes which revision the mark has now, and returns it.
  @discardableResult
  private func noteMark(in answer: TxnResponse) -> Int64 {
    let revision =
      answer.succeeded == true
      ? answer.header.revision.value : mark(in: answer)?.modRevision ?? 0
    state.withLock { $0.revision = revision }
    return revision
  }

  /// Whether the mark is the known one; if it was another one, that is known now.
  private func isMarkAsKnown(in answer: TxnResponse) -> Bool {
    let known = state.withLock { $0.revision }
    return noteMark(in: answer) == known
  }

  private func mark(in answer: TxnResponse) -> KeyValue? {
    answer.responses?.first?.response_range?.kvs?.first
  }

  private func conflict(in answer: TxnResponse) -> ClusterTransaction.Conflict {
    let found = (answer.responses ?? []).dropFirst().flatMap { $0.response_range?.kvs ?? [] }
    return ClusterTransaction.Conflict(
      latest: found.map(\.modRevision).max() ?? 0, present: answer.header.revision.value)
  }
}

// MARK: - Sending

extension ClusterWriter {
  private func send(
    _ request: TxnRequest, _ attempts: inout Attempts
  ) throws(SuiteError) -> TxnResponse? {
    try call("/v3/kv/txn", request, &attempts, mayChange: true)
  }

  /// Asks one member; nil if it is worth another try. `mayChange` if it matters what became of a
  /// request without an answer.
  private func call<Answer: Decodable & Sendable>(
    _ path: String, _ request: some Encodable, _ attempts: inout Attempts, mayChange: Bool
  ) throws(SuiteError) -> Answer? {
    let endpoint = gateway.endpoints.current
    do throws(GatewayError) {
      let answer: Answer = try gateway.call(
        path, request, at: endpoint, within: attempts.seconds)
      attempts.unsent = 0
      attempts.isLeaseGone = false
      return answer
    } catch {
      switch error.fate {
      case .refused where error.isAboutLease:
        state.withLock { $0.lease = nil }
        attempts.isLeaseGone = true
        attempts.pause()
      case .refused: throw attempts.isOpen ? unconfirmed(error) : error.error(at: place)
      case .unsent:
        attempts.unsent += 1
        gateway.endpoints.giveUp(endpoint)
        if attempts.unsent >= gateway.endpoints.all.count, !attempts.isOpen {
          throw error.error(at: place)
        }
        if attempts.unsent >= gateway.endpoints.all.count { attempts.pause() }
      case .open:
        if mayChange { attempts.isOpen = true }
        gateway.endpoints.giveUp(endpoint)
        attempts.pause()
      }
      guard attempts.isOver else { return nil }
      throw attempts.isOpen ? unconfirmed(error) : error.error(at: place)
    }
  }

  private func unconfirmed(
    _ error: GatewayError = GatewayError(.open, "the mark of this program was removed")
  ) -> SuiteError {
    SuiteError(
      .unconfirmed,
      "It isn't known whether the cluster has made the change, or will: \(error). Read what it has "
        + "before you try again", suite: place, underlying: error)
  }
}
