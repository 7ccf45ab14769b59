import Defaults
import Foundation

/// Makes transactions in the cluster, each once or not at all.
///
/// Every transaction sets a key of its writer, the mark, to a unique text, on the condition that
/// the mark is unchanged since the writer's last transaction. So a transaction can be sent again
/// after a lost answer, even to another member: at most one copy is made, and the mark shows
/// whether a copy was made. A mark has a lease, and expires within an hour after its writer has
/// ended.
///
/// The owner of the suite's writer lock makes one transaction at a time.
final class ClusterWriter: Sendable {
  private struct State {
    /// The revision of the mark; 0 as long as there is none.
    var revision: Int64 = 0
    var lease: Int64?
    var leaseEnds: UInt64 = 0
    var number = 0
  }

  /// The lease of a mark in seconds. A mark outlives its last transaction by at least half of it.
  private static let leaseTime: Int64 = 3_600
  /// The maximum number of names that are checked one by one after a conflict.
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
  /// - Parameter willSend: Called with the mark before the transaction is sent, and again if the
  ///   mark has changed when it is sent again. Copies with earlier marks can't be made anymore.
  /// - Throws: `unreachable` or the cluster's reason if the transaction wasn't and won't be made;
  ///   `unconfirmed` if the result is unknown.
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
      // All copies have one lease. With the end of that lease, their results are lost.
      let lease = if attempts.isOpen, let sent { sent.lease } else { try lease(&attempts) }
      let mark = Mark(
        writer: writer, text: text, before: state.withLock { $0.revision }, lease: lease)
      if mark != sent { willSend(mark) }
      sent = mark
      var request = request(for: transaction, mark)
      request.failure = looks(at: transaction)
      guard let answer = try send(request, &attempts) else {
        // The mark was removed with its lease, and with it the result of earlier copies.
        guard !attempts.isLeaseGone || !attempts.isOpen else { throw unconfirmed() }
        continue
      }
      if let revision = outcome(of: answer, mark) { return .committed(revision: revision) }
      guard isMarkAsKnown(in: answer) else {
        // The mark was removed, and with it the result of earlier copies.
        guard !attempts.isOpen || self.mark(in: answer) != nil else { throw unconfirmed() }
        continue
      }
      // The mark is unchanged, so another condition failed. But a copy may still be on its way.
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

  /// Finds out the result of a transaction of any writer, and prevents later copies of it. Throws
  /// `unreachable`, or the cluster's reason.
  func fate(of mark: Mark, until deadline: UInt64) throws(SuiteError) -> Mark.Fate {
    var attempts = Attempts(at: gateway.endpoints, until: deadline, timing)
    return try fate(of: mark, &attempts)
  }

  /// Checks the conditions of a transaction without changes.
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

  private func fate(of mark: Mark, _ attempts: inout Attempts) throws(SuiteError) -> Mark.Fate {
    let key = space.key(ofMark: mark.writer)
    let request = TxnRequest(
      compare: [TxnRequest.Compare(key: key, mod_revision: Int64Text(mark.before))],
      success: [put(mark.closed, mark)], failure: [range(of: key)])
    while true {
      // The request can be repeated, so a lost answer doesn't matter.
      let answer: TxnResponse? = try call("/v3/kv/txn", request, &attempts, mayChange: false)
      // The lease has expired. The mark was removed, and copies of the transaction, which have the
      // same lease, are rejected.
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

  /// The reads for a failed condition: the mark, and the expected keys.
  private func looks(at transaction: ClusterTransaction) -> [TxnRequest.Operation] {
    var looks = [range(of: space.key(ofMark: writer))]
    if transaction.unchangedSince == nil, transaction.expected.count <= Self.fewNames {
      for (key, _) in transaction.expected {
        looks.append(TxnRequest.Operation(request_range: RangeRequest(key: key, keys_only: true)))
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

  /// Returns a lease that is valid for at least half of its time.
  private func lease(_ attempts: inout Attempts) throws(SuiteError) -> Int64 {
    let known = state.withLock { MonotonicClock.now < $0.leaseEnds ? $0.lease : nil }
    if let known { return known }
    while true {
      let begin = MonotonicClock.now
      let request = LeaseGrantRequest(TTL: Int64Text(Self.leaseTime))
      // A lease whose grant was lost expires unused.
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
  /// The revision of the transaction with this mark, if an answer contains it.
  private func outcome(of answer: TxnResponse, _ mark: Mark) -> Int64? {
    guard answer.succeeded == true || self.mark(in: answer)?.value == Data(mark.text.utf8) else {
      return nil
    }
    return noteMark(in: answer)
  }

  /// Stores the current revision of the mark, and returns it.
  @discardableResult
  private func noteMark(in answer: TxnResponse) -> Int64 {
    let revision =
      answer.succeeded == true
      ? answer.header.revision.value : mark(in: answer)?.modRevision ?? 0
    state.withLock { $0.revision = revision }
    return revision
  }

  /// Whether the mark has the known revision. Stores the mark's current revision.
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

  /// Sends a request to one member; nil if another attempt makes sense. `mayChange` if the result
  /// of a request without an answer matters.
  private func call<Answer: Decodable & Sendable>(
    _ path: String, _ request: some Encodable, _ attempts: inout Attempts, mayChange: Bool
  ) throws(SuiteError) -> Answer? {
    let endpoint = gateway.endpoints.current
    do throws(GatewayError) {
      let answer: Answer = try gateway.call(path, request, at: endpoint, within: attempts.seconds)
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
    _ error: GatewayError = GatewayError(.open, "the marker key of this program was removed")
  ) -> SuiteError {
    SuiteError(
      .unconfirmed,
      "It is unknown whether the cluster has made or will make the change: \(error). Read the "
        + "setting before you try again", suite: place, underlying: error)
  }
}
