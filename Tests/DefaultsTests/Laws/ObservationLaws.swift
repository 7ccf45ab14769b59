import Defaults
import Foundation
import Synchronization
import Testing

/// Laws 7 to 10 of the design, for every suite in the package.
@Suite("Laws of observation")
struct ObservationLaws {
  @Test(
    "A setter without contention has run its handlers when it returns",
    arguments: SuiteKind.allCases)
  func synchronousDelivery(kind: SuiteKind) throws {
    let sample = try Sample(kind)
    let key = Defaults.Key("x", default: 0, suite: sample.suite)
    let seen = Log<[Int]>()
    let observation = Defaults.observe(key, options: []) {
      seen.append([$0.oldValue, $0.newValue])
    }
    Defaults[key] = 1
    #expect(seen.all == [[0, 1]])
    Defaults[key] = 2
    Defaults.reset(key)
    #expect(seen.all == [[0, 1], [1, 2], [2, 0]])
    observation.invalidate()
  }

  @Test("A handler may read, write, observe and invalidate", arguments: SuiteKind.allCases)
  func reentrancy(kind: SuiteKind) throws {
    let sample = try Sample(kind)
    let key = Defaults.Key("x", default: 0, suite: sample.suite)
    let other = Defaults.Key("y", default: 0, suite: sample.suite)
    let seen = Log<String>()
    let inner = Mutex<[any Defaults.Observation]>([])
    let observation = Defaults.observe(key, options: []) { change in
      seen.append("x\(change.newValue) begins")
      Defaults[other] = Defaults[key] * 10
      let observation = Defaults.observe(other) { seen.append("y\($0.newValue)") }
      inner.withLock { $0.append(observation) }
      if change.newValue < 3 { Defaults[key] += 1 }
      if change.newValue == 3 {
        for observation in inner.withLock({ $0 }) { observation.invalidate() }
      }
      seen.append("x\(change.newValue) ends")
    }
    Defaults[key] = 1
    // Each handler ends before the next begins: what a handler does is delivered after it.
    #expect(
      seen.all == [
        "x1 begins", "x1 ends", "y10",
        "x2 begins", "x2 ends", "y20", "y20",
        "x3 begins", "x3 ends",
      ])
    observation.invalidate()
  }

  @Test(
    "Handlers run one at a time, in the order of the commits, and end with the stored value",
    arguments: SuiteKind.allCases)
  func orderUnderContention(kind: SuiteKind) throws {
    let sample = try Sample(kind)
    let key = Defaults.Key("x", default: 0, suite: sample.suite)
    let seen = Log<[Int]>()
    let running = Atomic(0)
    let overlaps = Atomic(0)
    let observation = Defaults.observe(key, options: []) { change in
      if running.wrappingAdd(1, ordering: .sequentiallyConsistent).newValue > 1 {
        overlaps.add(1, ordering: .relaxed)
      }
      seen.append([change.oldValue, change.newValue])
      running.subtract(1, ordering: .sequentiallyConsistent)
    }
    let rounds = 50
    DispatchQueue.concurrentPerform(iterations: 4) { _ in
      for _ in 0..<rounds { Defaults.update(key) { $0 += 1 } }
    }
    // Every setter has returned, so every change has been delivered by one of them.
    #expect(seen.all == (0..<4 * rounds).map { [$0, $0 + 1] })
    #expect(overlaps.load(ordering: .relaxed) == 0)
    #expect(Defaults[key] == 4 * rounds)
    observation.invalidate()
  }

  @Test(
    "An observation that begins amid changes misses none and sees none twice",
    arguments: SuiteKind.allCases)
  func listenThenLook(kind: SuiteKind) throws {
    let sample = try Sample(kind)
    let key = Defaults.Key("x", default: 0, suite: sample.suite)
    let writer = Thread { for _ in 0..<300 { Defaults.update(key) { $0 += 1 } } }
    writer.start()
    var logs: [(Log<Defaults.KeyChange<Int>>, any Defaults.Observation)] = []
    while !writer.isFinished {
      let log = Log<Defaults.KeyChange<Int>>()
      logs.append((log, Defaults.observe(key) { log.append($0) }))
      if logs.count > 200 { break }
    }
    while !writer.isFinished { sched_yield() }
    // One more change, whose delivery waits for no other thread.
    Defaults[key] = -1
    for (log, observation) in logs {
      let changes = log.all
      #expect(changes.first?.isInitial == true)
      for (change, next) in zip(changes, changes.dropFirst()) {
        #expect(next.oldValue == change.newValue)
        #expect(next.isInitial == false)
      }
      #expect(changes.last?.newValue == -1)
      observation.invalidate()
    }
  }

  @Test(
    "Changes made without propagation reach nobody, all others do", arguments: SuiteKind.allCases)
  func silence(kind: SuiteKind) async throws {
    let sample = try Sample(kind)
    let key = Defaults.Key("x", default: 0, suite: sample.suite)
    let seen = Log<[Int]>()
    let observation = Defaults.observe(key, options: []) {
      seen.append([$0.oldValue, $0.newValue])
    }
    Defaults.withoutPropagation {
      Defaults[key] = 1
      Defaults.withoutPropagation { Defaults[key] = 2 }
      Defaults[key] = 3
    }
    #expect(seen.count == 0)
    Defaults[key] = 4
    #expect(seen.all == [[3, 4]])
    await Defaults.withoutPropagation {
      Defaults[key] = 5
      await withTaskGroup { group in
        group.addTask { Defaults[key] = 6 }
      }
    }
    #expect(seen.all == [[3, 4]])
    Defaults[key] = 7
    #expect(seen.all == [[3, 4], [6, 7]])
    observation.invalidate()
  }

  @Test("Another thread is heard while one is silent", arguments: SuiteKind.allCases)
  func silenceIsOfTheScope(kind: SuiteKind) throws {
    let sample = try Sample(kind)
    let key = Defaults.Key("x", default: 0, suite: sample.suite)
    let seen = Log<Int>()
    let observation = Defaults.observe(key, options: []) { seen.append($0.newValue) }
    Defaults.withoutPropagation {
      let done = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        Defaults[key] = 1
        done.signal()
      }
      done.wait()
    }
    #expect(seen.all == [1])
    observation.invalidate()
  }

  @Test("A task that outlives the silent scope is heard again", arguments: SuiteKind.allCases)
  func silenceEnds(kind: SuiteKind) async throws {
    let sample = try Sample(kind)
    let key = Defaults.Key("x", default: 0, suite: sample.suite)
    let seen = Log<Int>()
    let observation = Defaults.observe(key, options: []) { seen.append($0.newValue) }
    let (gate, opening) = AsyncStream.makeStream(of: Void.self)
    let task = Defaults.withoutPropagation {
      Task {
        for await _ in gate {}
        Defaults[key] = 1
      }
    }
    opening.finish()
    await task.value
    #expect(seen.all == [1])
    observation.invalidate()
  }

  @Test(
    "A reader that lags loses the oldest values, never the newest", arguments: SuiteKind.allCases)
  func lag(kind: SuiteKind) async throws {
    let sample = try Sample(kind)
    let key = Defaults.Key("x", default: 0, suite: sample.suite)
    let stream = Defaults.updates(key)
    for number in 1...100 { Defaults[key] = number }
    var values: [Int] = []
    for await value in stream {
      values.append(value)
      if value == 100 { break }
    }
    #expect(values == Array(37...100))
  }

  @Test(
    "Cancelling the task that reads a stream ends the observation at once",
    arguments: SuiteKind.allCases)
  func cancellation(kind: SuiteKind) async throws {
    let sample = try Sample(kind)
    let key = Defaults.Key("x", default: Tracked(), suite: sample.suite)
    let (started, start) = AsyncStream.makeStream(of: Void.self)
    let task = Task {
      for await _ in Defaults.updates(key) { start.yield() }
    }
    for await _ in started { break }
    task.cancel()
    await task.value
    #expect(!sample.suite.support.isObserved("x"))
  }

  private struct Tracked: Codable, Defaults.Serializable {}

  @Test("Releasing a stream ends the observation", arguments: SuiteKind.allCases)
  func release(kind: SuiteKind) async throws {
    let sample = try Sample(kind)
    let key = Defaults.Key("x", default: 0, suite: sample.suite)
    do {
      let stream = Defaults.updates(key)
      #expect(sample.suite.support.isObserved("x"))
      for await _ in stream { break }
    }
    #expect(!sample.suite.support.isObserved("x"))
  }
}
