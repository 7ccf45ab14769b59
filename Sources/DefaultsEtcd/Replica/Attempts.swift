import Defaults
import Foundation

/// The attempts to have one thing done.
struct Attempts {
  let endpoints: Endpoints
  let deadline: UInt64
  let timing: Defaults.EtcdSuite.Timing
  /// Whether something was sent of which it isn't known what became of it.
  var isOpen = false
  /// Whether the last request was rejected since its lease has ended.
  var isLeaseGone = false
  /// How many members in a row didn't even get it.
  var unsent = 0
  private var pauses = Pauses(from: 0.01, upTo: 0.5)

  init(at endpoints: Endpoints, until deadline: UInt64, _ timing: Defaults.EtcdSuite.Timing) {
    self.endpoints = endpoints
    self.deadline = deadline
    self.timing = timing
  }

  /// How many seconds the next attempt may take.
  var seconds: Double {
    let now = MonotonicClock.now
    return min(timing.requestTimeout.seconds, now < deadline ? Double(deadline - now) / 1e9 : 0)
  }

  var isOver: Bool { MonotonicClock.now >= deadline }

  mutating func pause() { usleep(UInt32(min(pauses.take(), seconds) * 1e6)) }
}

extension Duration {
  /// In seconds.
  var seconds: Double {
    let (seconds, attoseconds) = components
    return Double(seconds) + Double(attoseconds) / 1e18
  }
}
