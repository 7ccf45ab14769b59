/// Wakes a thread that waits for a time before that has come.
final class Alarm: Sendable {
  private let isRung = Monitor(false)

  /// Waits until a point of ``MonotonicClock``, or until the alarm rings, or if it has rung since the
  /// last wait; returns whether it has. One thread at a time.
  func wait(until time: UInt64) -> Bool {
    isRung.wait(until: time, for: { $0 }) { isRung, wasRung in
      isRung = false
      return wasRung
    }
  }

  /// Wakes the thread that waits, or lets the next one not wait.
  func ring() {
    isRung.withLock { $0 = true }
    isRung.wakeAll()
  }

  /// Makes it new in a forked child, where whoever had it isn't.
  func renewInChild() { isRung.renewInChild(false) }
}
