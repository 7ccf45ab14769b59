import Foundation
import Testing

@testable import Defaults

/// Each in a process of its own: a fork of the tests' process would fork what other tests do.
@Suite("Forks without an exec")
struct ForkingTests {
  @Test("A fork waits for work in the background, so that the child finds none half done")
  func waiting() async {
    await #expect(processExitsWith: .success) {
      let hasBegun = DispatchSemaphore(value: 0)
      let isHalfDone = Log<Bool>()
      Thread.detachNewThread {
        Forking.inBackground {
          isHalfDone.append(true)
          hasBegun.signal()
          // This is the work, and takes longer than a fork would.
          usleep(20_000)
          isHalfDone.append(false)
        }
      }
      hasBegun.wait()
      let child = try forked()
      if child == 0 { _exit(isHalfDone.last == false && Forking.forks == 1 ? 0 : 1) }
      #expect(isHalfDone.last == false)
      #expect(Forking.forks == 0)
      #expect(try status(of: child) == 0)
    }
  }

  @Test("Work in the background may fork itself, and goes on in both processes")
  func fromWithin() async {
    await #expect(processExitsWith: .success) {
      // A fork that waited forever would be ended by this.
      alarm(100)
      let rounds = Log<Int>()
      var outcome: CInt = -1
      Forking.inBackground {
        guard let child = try? forked() else { return }
        if child == 0 { _exit(Forking.forks == 1 ? 0 : 1) }
        outcome = (try? status(of: child)) ?? -1
        rounds.append(1)
      }
      // It waited in vain, for itself.
      #expect(outcome == 0)
      Forking.inBackground { rounds.append(2) }
      #expect(rounds.all == [1, 2])
    }
  }

  @Test("A fork doesn't wait for a pause in such work, nor while that lasts for the rest")
  func pausing() async {
    await #expect(processExitsWith: .success) {
      alarm(60)
      let isPausing = DispatchSemaphore(value: 0)
      let mayGoOn = DispatchSemaphore(value: 0)
      let isDone = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        Forking.inBackground {
          Forking.inBackground {
            Forking.pause {
              isPausing.signal()
              mayGoOn.wait()
            }
          }
        }
        isDone.signal()
      }
      isPausing.wait()
      var times: [Duration] = []
      for _ in 0..<3 {
        let start = ContinuousClock.now
        let child = try forked()
        if child == 0 {
          // The gate is free, and stays in order.
          Forking.inBackground { Forking.pause {} }
          Forking.pause {}
          guard let grandchild = try? forked() else { _exit(1) }
          if grandchild == 0 { _exit(Forking.forks == 2 ? 0 : 1) }
          _exit((try? status(of: grandchild)) == 0 ? 0 : 1)
        }
        times.append(ContinuousClock.now - start)
        #expect(try status(of: child) == 0)
      }
      // A fork that waits for somebody in vain gives up after a second.
      #expect(try #require(times.min()) < .milliseconds(900))
      mayGoOn.signal()
      isDone.wait()
    }
  }
}
