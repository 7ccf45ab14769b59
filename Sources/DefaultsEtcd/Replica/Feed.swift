import Defaults
import Foundation

/// Changes that have arrived from the cluster but aren't in the table, and the connection's state.
///
/// The synchronizer and Foundation's threads add changes. The owner of the table's writer lock
/// takes them.
final class Feed: Sendable {
  enum Link: Sendable {
    /// The cluster hasn't answered yet.
    case starting
    case live
    case offline(since: Date, because: SuiteError)
  }

  struct State: Sendable {
    var arrivals: [Arrival] = []
    /// The revision up to which all changes have arrived.
    var revision: Int64 = 0
    /// The number of keys under the prefix, including marks.
    var count: Int64 = 0
    /// Increases with each stream. Events of earlier streams are ignored.
    var stream = 0
    /// The error that ended the current stream.
    var end: GatewayError?
    var link = Link.starting
    /// The issue of the current outage, if it was reported.
    var outage: SuiteError?
    /// Whether all entries must be listed again, or the cluster asked immediately.
    var mustList = false
    /// The number of attempts to reach the cluster.
    var attempts = 0
    var isClosed = false

    var isStarting: Bool { if case .starting = link { true } else { false } }
    var isLive: Bool { if case .live = link { true } else { false } }
    var isOffline: Bool { if case .offline = link { true } else { false } }
  }

  let state = Monitor(State())

  var present: State { state.lock.withLock { $0 } }

  /// Changes the state, and wakes waiting threads.
  func update<Result>(_ body: (inout State) -> Result) -> Result {
    let result = state.lock.withLock(body)
    state.wakeAll()
    return result
  }

  /// Waits until the state is as wanted, at most the given seconds. Returns whether it is.
  @discardableResult
  func wait(_ seconds: Double, for isWanted: (State) -> Bool) -> Bool {
    wait(until: MonotonicClock.now(plus: .seconds(seconds)), for: isWanted)
  }

  /// Waits until the state is as wanted, at most until a point of `MonotonicClock`.
  @discardableResult
  func wait(until deadline: UInt64, for isWanted: (State) -> Bool) -> Bool {
    state.wait(until: deadline, for: isWanted) { _, isAsWanted in isAsWanted }
  }

  /// Removes and returns the arrivals up to a revision.
  func take(upTo revision: Int64) -> [Arrival] {
    state.lock.withLock { state in
      let count = state.arrivals.firstIndex { $0.revision > revision } ?? state.arrivals.count
      defer { state.arrivals.removeFirst(count) }
      return Array(state.arrivals[..<count])
    }
  }

  func list() {
    update { $0.mustList = true }
  }

  // MARK: - Outages

  /// Stores that the cluster doesn't answer. Returns the issue if it wasn't offline before: one
  /// issue per outage, even if the reason changes.
  func goOffline(since: Date, _ problem: SuiteError) -> SuiteError? {
    update { state in
      if case .offline(let begin, _) = state.link {
        state.link = .offline(since: begin, because: problem)
        return nil
      }
      state.link = .offline(since: since, because: problem)
      var issue = problem
      issue.reason += ". The last known values are used until the cluster answers"
      state.outage = issue
      return issue
    }
  }

  /// Stores that the cluster answers. Returns the issue that was reported about the outage.
  func goOnline() -> SuiteError? {
    update { state in
      state.attempts += 1
      state.link = .live
      defer { state.outage = nil }
      return state.outage
    }
  }
}
