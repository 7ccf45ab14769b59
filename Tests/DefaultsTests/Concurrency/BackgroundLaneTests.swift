import Foundation
import Harness
import TestSupport
import Testing

@testable import Defaults

@Suite("Background lanes", .prompt)
struct BackgroundLaneTests {
  let threads = BackgroundThreads()

  @Test("A job that is due now doesn't wait for a job that is due much later", .timeLimit(.aHang))
  func earlierJob() async {
    BackgroundLane(on: threads).perform(after: 86_400) {}
    for _ in 0..<20 {
      await withCheckedContinuation { continuation in
        BackgroundLane(on: threads).perform { continuation.resume() }
      }
    }
  }

  @Test("The jobs of a lane run serially and in order, on any thread")
  func serial() async {
    let lanes = (0..<20).map { _ in BackgroundLane(on: threads) }
    let orders = lanes.map { _ in Log<Int>() }
    let atWork = Log<Bool>()
    for number in 0..<100 {
      for (lane, order) in zip(lanes, orders) {
        let isBusy = Lock(false)
        lane.perform {
          if isBusy.withLock({ $0 }) { atWork.append(true) }
          isBusy.withLock { $0 = true }
          order.append(number)
          isBusy.withLock { $0 = false }
        }
      }
    }
    for lane in lanes { await lane.finish() }
    #expect(atWork.all.isEmpty)
    for order in orders { #expect(order.all == Array(0..<100)) }
  }

  @Test("A job that is due later runs later although it was added first")
  func times() async {
    let lane = BackgroundLane(on: threads)
    let order = Log<String>()
    lane.perform(after: 86_400) { order.append("later") }
    await withCheckedContinuation { done in
      lane.perform {
        order.append("now")
        done.resume()
      }
    }
    #expect(order.all == ["now"])
  }

  @Test("If the system had no thread left, the waiting jobs run once there is one")
  func noThread() async throws {
    let folder = try TemporaryFolder()
    await #expect(processExitsWith: .success) { [path = folder.path as String] in
      dieAtHang()
      becomeOrdinaryUser(owning: path)
      let threads = BackgroundThreads()
      let done = DispatchSemaphore(value: 0)
      try ResourceLimit.threads.set(to: 0)
      BackgroundLane(on: threads).perform { done.signal() }
      try ResourceLimit.threads.set(to: nil)
      threads.startIfNeeded()
      done.wait()
    }
  }

  @Test("Blocked lanes don't delay other lanes")
  func stuck() async {
    let release = DispatchSemaphore(value: 0)
    let lanes = (0..<8).map { _ in BackgroundLane(on: threads) }
    for lane in lanes { lane.perform { release.wait() } }
    await BackgroundLane(on: threads).finish()
    for _ in lanes { release.signal() }
    for lane in lanes { await lane.finish() }
  }

  @Test("A thousand lanes share a few threads, also on a slow machine")
  func threadCount() async {
    await #expect(processExitsWith: .success) {
      dieAtHang()
      let lanes = (0..<1_000).map { _ in BackgroundLane() }
      let counts = Log<Int>()
      let isDone = DispatchSemaphore(value: 0)
      let before = countThreads()
      for round in 0..<3 {
        for lane in lanes {
          lane.perform(after: 0.02 * Double(round)) {
            counts.append(countThreads())
            isDone.signal()
          }
        }
      }
      for _ in 0..<3 * lanes.count { isDone.wait() }
      #expect(counts.all.allSatisfy { $0 <= before + 32 }, "\(counts.all.max() ?? 0), \(before)")
    }
  }
}

/// The number of threads of this process.
private func countThreads() -> Int {
  (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count) ?? 0
}
