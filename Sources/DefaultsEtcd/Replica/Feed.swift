import Defaults
import Foundation

/// What has come from the cluster and isn't in the table so far, and how the connection is.
///
/// The synchronizer and Foundation's threads put in; whoever has the table's writer lock takes out.
final class Feed: Sendable {
  enum Link: Sendable {
    /// The cluster is asked, and hasn't answered so far.
    case starting
    case live
    case offline(since: Date, because: SuiteError)
  }

  struct State: Sendable {
    var arrivals: [Arrival] = []
    /// The revision up to which everything has come.
    var revision: Int64 = 0
    /// How many keys there are under the prefix, with the marks.
    var count: Int64 = 0
    /// Rises with each stream; what an earlier one says doesn't count.
    var stream = 0
    /// Why the present stream has ended.
    var end: GatewayError?
    var link = Link.starting
    /// Whether all entries are to be listed anew, or the cluster asked at once.
    var mustList = false
    /// How often it was tried to reach the cluster.
    var attempts = 0
    var isClosed = false

    var isStarting: Bool { if case .starting = link { true } else { false } }
    var isLive: Bool { if case .live = link { true } else { false } }
    var isOffline: Bool { if case .offline = link { true } else { false } }
  }

  let state = Monitor(State())

  var present: State { state.lock.withLock { $0 } }

  /// Changes the state, and wakes those who wait for it.
  func update<Result>(_ body: (inout State) -> Result) -> Result {
    let result = state.lock.withLock(body)
    state.wakeAll()
    return result
  }

  /// Waits until the state is as wanted, at most so many seconds; returns whether it is.
  @discardableResult
  func wait(_ seconds: Double, for isWanted: (State) -> Bool) -> Bool {
    wait(until: MonotonicClock.now + UInt64(max(0, seconds) * 1e9), for: isWanted)
  }

  /// The same, until a point of `MonotonicClock`.
  @discardableResult
  func wait(until deadline: UInt64, for isWanted: (State) -> Bool) -> Bool {
    state.wait(until: deadline, for: isWanted) { _, isAsWanted in isAsWanted }
  }

  /// The arrivals up to a revision, which are taken out.
  func take(upTo revision: Int64) -> [Arrival] {
    state.lock.withLock { state in
      let count = state.arrivals.firstIndex { $0.revision > revision } ?? state.arrivals.count
      defer { state.arrivals.removeFirst(count) }
      return Array(state.arrivals[..<count])
    }
  }

  /// Has the cluster be listed anew, at once.
  func list() {
    update { $0.mustList = true }
  }
}
