import Foundation
import Synchronization

/// Other threads that run during a measurement.
enum Background {
  /// Blocks threads until all have arrived, by spinning, so that they start at the same time.
  final class Gate: Sendable {
    private let missing: Atomic<Int>

    init(_ threads: Int) { missing = Atomic(threads) }

    func pass() {
      missing.subtract(1, ordering: .acquiringAndReleasing)
      while missing.load(ordering: .acquiring) > 0 {}
    }
  }

  /// A number from another thread.
  final class Result: Sendable {
    private let number = Atomic<Int>(0)
    private let isHere = DispatchSemaphore(value: 0)

    func deliver(_ number: Int) {
      self.number.store(number, ordering: .releasing)
      isHere.signal()
    }

    func wait() -> Int {
      isHere.wait()
      return number.load(ordering: .acquiring)
    }
  }

  private final class Flag: Sendable {
    let isSet = Atomic(false)
  }

  /// Repeats an action with increasing numbers on another thread while the body runs.
  static func repeating(
    _ action: @escaping @Sendable (Int) -> Void, during body: () -> Int
  ) -> Int {
    let (gate, stop, end) = (Gate(2), Flag(), Result())
    Thread.detachNewThread {
      var number = 0
      gate.pass()
      while !stop.isSet.load(ordering: .relaxed) {
        number &+= 1
        action(number)
      }
      end.deliver(number)
    }
    gate.pass()
    let result = body()
    stop.isSet.store(true, ordering: .relaxed)
    use(end.wait())
    return result
  }
}
