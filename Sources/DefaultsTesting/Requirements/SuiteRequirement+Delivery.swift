import Defaults
import Foundation
import Synchronization
import Testing

extension Defaults.SuiteRequirement {
  /// Requirements on the notifications of a change, their time and their order.
  static let ofDelivery: [Self] = [
    Self(
      7, "A setter without contention runs its handlers before it returns",
      synchronousDelivery),
    Self(
      7, "An observer of some names is notified only of changes of these names",
      observedNames),
    Self(
      7, "A handler may read, write, observe and invalidate",
      reentrancy),
    Self(
      7, "Handlers run one at a time, in the order of the commits, and end with the stored value",
      orderUnderContention),
    Self(
      8, "An observation that begins during changes misses none and reports none twice",
      listenThenLook),
  ]

  private static func synchronousDelivery(_ subject: Defaults.SuiteUnderTest) throws {
    let suite = subject.suite
    let key = Defaults.Key("x", default: 0, suite: suite)
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

  private static func observedNames(_ subject: Defaults.SuiteUnderTest) throws {
    let suite = subject.suite
    let changes = Log<Defaults.Change>()
    let observation = suite.observe(["a"], options: []) { changes.append($0) }
    suite.set(1, forKey: "b")
    suite.removeObject(forKey: "b")
    try suite.transaction { draft in
      try draft.setEntry(2, named: "b")
      try draft.setEntry(2, named: "c")
    }
    #expect(changes.count == 0)
    try suite.transaction { draft in
      try draft.setEntry(3, named: "a")
      try draft.setEntry(3, named: "b")
    }
    #expect(changes.all.map(\.names) == [["a"]])
    observation.invalidate()
  }

  private static func reentrancy(_ subject: Defaults.SuiteUnderTest) throws {
    let suite = subject.suite
    let key = Defaults.Key("x", default: 0, suite: suite)
    let other = Defaults.Key("y", default: 0, suite: suite)
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
    // Each handler ends before the next one begins, so changes of a handler are delivered after it.
    #expect(
      seen.all == [
        "x1 begins", "x1 ends", "y10",
        "x2 begins", "x2 ends", "y20", "y20",
        "x3 begins", "x3 ends",
      ])
    observation.invalidate()
  }

  private static func orderUnderContention(_ subject: Defaults.SuiteUnderTest) throws {
    let suite = subject.suite
    let key = Defaults.Key("x", default: 0, suite: suite)
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
      for _ in 0..<rounds {
        #expect(throws: Never.self) { try Defaults.update(key) { $0 += 1 } }
      }
    }
    // Every setter has returned, so one of them has delivered each change.
    #expect(seen.all == (0..<4 * rounds).map { [$0, $0 + 1] })
    #expect(overlaps.load(ordering: .relaxed) == 0)
    #expect(Defaults[key] == 4 * rounds)
    observation.invalidate()
  }

  private static func listenThenLook(_ subject: Defaults.SuiteUnderTest) throws {
    let suite = subject.suite
    let key = Defaults.Key("x", default: 0, suite: suite)
    let end = DispatchSemaphore(value: 0)
    let writer = Thread {
      for _ in 0..<300 { _ = try? Defaults.update(key) { $0 += 1 } }
      end.signal()
    }
    writer.start()
    var logs: [(Log<Defaults.KeyChange<Int>>, any Defaults.Observation)] = []
    repeat {
      let log = Log<Defaults.KeyChange<Int>>()
      logs.append((log, Defaults.observe(key) { log.append($0) }))
    } while !writer.isFinished && logs.count <= 200
    end.wait()
    // One more change, whose delivery doesn't depend on another thread.
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
}
