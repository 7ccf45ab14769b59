import Defaults
import Foundation

/// The attempts of one operation.
struct Attempts {
  let endpoints: Endpoints
  let deadline: UInt64
  let timing: Defaults.EtcdSuite.Timing
  /// Whether a request was sent whose result is unknown.
  var isOpen = false
  /// Whether the last request was rejected because its lease has expired.
  var isLeaseGone = false
  /// The number of consecutive members that didn't receive the request.
  var unsent = 0
  private var pauses = Pauses(from: 0.01, upTo: 0.5)

  init(at endpoints: Endpoints, until deadline: UInt64, _ timing: Defaults.EtcdSuite.Timing) {
    self.endpoints = endpoints
    self.deadline = deadline
    self.timing = timing
  }

  /// The timeout of the next attempt, in seconds.
  var seconds: Double {
    let now = MonotonicClock.now
    return min(timing.requestTimeout.seconds, now < deadline ? Double(deadline - now) / 1e9 : 0)
  }

  var isOver: Bool { MonotonicClock.now >= deadline }

  mutating func pause() {
    _ = Alarm().wait(until: MonotonicClock.now(plus: .seconds(min(pauses.take(), seconds))))
  }
}

extension Duration {
  var seconds: Double {
    let (seconds, attoseconds) = components
    return Double(seconds) + Double(attoseconds) / 1e18
  }
}
