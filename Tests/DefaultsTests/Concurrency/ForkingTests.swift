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
      let rounds = Log<Int>()
      let start = ContinuousClock.now
      var outcome: CInt = -1
      Forking.inBackground {
        guard let child = try? forked() else { return }
        if child == 0 { _exit(Forking.forks == 1 ? 0 : 1) }
        outcome = (try? status(of: child)) ?? -1
        rounds.append(1)
      }
      #expect(outcome == 0)
      // It waited in vain, for itself, and not forever.
      #expect(ContinuousClock.now - start < .seconds(60))
      Forking.inBackground { rounds.append(2) }
      #expect(rounds.all == [1, 2])
    }
  }
}

/// fork(2), which Swift hides; a program that calls it has a C module that does.
private func forked() throws -> pid_t {
  typealias Fork = @convention(c) () -> pid_t
  return unsafeBitCast(try #require(dlsym(nil, "fork")), to: Fork.self)()
}

/// How a child ended.
private func status(of child: pid_t) throws -> CInt {
  var status: CInt = 0
  try #require(waitpid(child, &status, 0) == child)
  return status
}
