import Defaults
import Foundation
import TestSupport
import Testing

@Suite("Handlers of actors")
struct ActorHandlerTests {
  let suite = Defaults.MemorySuite()
  let key: Defaults.Key<Int>

  init() { key = Defaults.Key("volume", default: 5, suite: suite) }

  /// A controller as in an app's window.
  @MainActor
  private final class Controller {
    var seen: [Int] = []
    var redraws = 0
    var observation: (any Defaults.Observation)?

    func start(_ key: Defaults.Key<Int>) {
      observation = Defaults.observe(key) { change in
        self.seen.append(change.newValue)
        MainActor.assertIsolated()
      }
      Defaults.observe(keys: key) { [weak self] in self?.redraws += 1 }.tieToLifetime(of: self)
    }
  }

  private actor Collector {
    var seen: [Int] = []
    var observation: (any Defaults.Observation)?

    func start(_ key: Defaults.Key<Int>, until end: Int, _ done: AsyncStream<Void>.Continuation) {
      observation = Defaults.observe(key) { change in
        self.seen.append(change.newValue)
        self.assertIsolated()
        if change.newValue == end { done.finish() }
      }
    }
  }

  /// Sets values on another thread, which has ended when this returns.
  private func setElsewhere(_ values: some Sequence<Int> & Sendable) {
    let done = DispatchSemaphore(value: 0)
    Thread.detachNewThread { [key] in
      for value in values { Defaults[key] = value }
      done.signal()
    }
    done.wait()
  }

  @Test("A main-actor handler has run when `observe` or a main-thread setter returns")
  @MainActor
  func mainThread() {
    let controller = Controller()
    controller.start(key)
    #expect(controller.seen == [5])
    #expect(controller.redraws == 1)
    Defaults[key] = 6
    #expect(controller.seen == [5, 6])
    #expect(controller.redraws == 2)
  }

  @Test("A main-actor handler gets all changes of other threads, on the main thread, in order")
  @MainActor
  func otherThreads() async {
    let controller = Controller()
    controller.start(key)
    // The main thread waits here, so nothing can run on it.
    setElsewhere(10..<1_000)
    #expect(controller.seen == [5])
    // This change comes after the waiting ones and is delivered with them.
    Defaults[key] = 1_000
    #expect(controller.seen == [5] + (10...1_000))
    setElsewhere(2_000..<2_010)
    while controller.seen.last != 2_009 { await Task.yield() }
    #expect(controller.seen == [5] + (10...1_000) + (2_000..<2_010))
  }

  @Test("An observation that ends on the main thread gets none of the waiting events")
  @MainActor
  func endWithEventsWaiting() async {
    let controller = Controller()
    controller.start(key)
    setElsewhere([6, 7])
    controller.observation?.invalidate()
    // An observation whose owner was released has also ended.
    final class Owner {}
    let heard = Log<Int>()
    var owner: Owner? = Owner()
    if let owner {
      Defaults.observe(key, options: []) { @MainActor in heard.append($0.newValue) }
        .tieToLifetime(of: owner)
    }
    setElsewhere([8])
    owner = nil
    // A later observer runs on the main actor after the ended ones would have run.
    let later = Controller()
    later.start(key)
    setElsewhere([9])
    while later.seen != [8, 9] { await Task.yield() }
    for _ in 0..<100 { await Task.yield() }
    #expect(controller.seen == [5])
    #expect(heard.all == [])
  }

  @Test("A handler of another actor runs on that actor and gets all changes in order")
  func otherActor() async {
    let collector = Collector()
    let (done, report) = AsyncStream.makeStream(of: Void.self)
    await collector.start(key, until: 199, report)
    for value in 100..<200 { Defaults[key] = value }
    for await _ in done {}
    #expect(await collector.seen == [5] + (100..<200))
  }

  private actor Chain {
    private var isStopped = false
    private var observation: (any Defaults.Observation)?

    /// Observes a key with a handler that sets it again, until `stop()` is called.
    func start(_ key: Defaults.Key<Int>) {
      observation = Defaults.observe(key, options: []) { change in
        if !self.isStopped { Defaults[key] = change.newValue + 1 }
      }
    }

    func stop() { isStopped = true }
  }

  @Test("Other code of an actor runs while events of its handler never end", .prompt)
  func endlessEvents() async {
    let chain = Chain()
    await chain.start(key)
    Defaults[key] = 10
    while Defaults[key] < 100 { await Task.yield() }
    await chain.stop()
    #expect(Defaults[key] >= 100)
  }

  @Test("An observer of a suite belongs to the actor whose code creates it")
  @MainActor
  func suiteObserver() async {
    var names: [String] = []
    let observation = suite.observe(nil) { change in names += change.entries.keys }
    setElsewhere([6])
    #expect(names == [])
    suite.set(1, forKey: "a")
    #expect(names == ["volume", "a"])
    observation.invalidate()
  }

  @Test("A handler without isolation runs on the writing thread, wherever it was created")
  @MainActor
  func nonisolated() {
    let seen = Log<Int>()
    @Sendable nonisolated func note(_ change: Defaults.KeyChange<Int>) {
      seen.append(change.newValue)
    }
    let observation = Defaults.observe(key, options: [], handler: note)
    // The main actor waits here.
    setElsewhere([6])
    #expect(seen.all == [6])
    observation.invalidate()
  }

  @Test("A main-actor handler may set the observed key, and the events come one after another")
  @MainActor
  func reentrancy() {
    var seen: [Int] = []
    let observation = Defaults.observe(key, options: [.prior]) { [key] change in
      seen.append(change.isPrior ? -change.newValue : change.newValue)
      if !change.isPrior, change.newValue < 8 { Defaults[key] += 1 }
    }
    Defaults[key] = 6
    #expect(seen == [-6, 6, -7, 7, -8, 8])
    observation.invalidate()
  }

  @Test("A main-actor handler runs outside the transaction in which another thread wrote")
  @MainActor
  func transactionElsewhere() async throws {
    let other = Defaults.MemorySuite()
    let copy = Defaults.Key("copy", default: 0, suite: other)
    let observation = Defaults.observe(key, options: []) { Defaults[copy] = $0.newValue }
    // The change is delivered during a transaction of the suite that the handler writes.
    let task = Task.detached { [key] in
      try other.transaction { _ in Defaults[key] = 6 }
    }
    try await task.value
    while Defaults[copy] != 6 { await Task.yield() }
    observation.invalidate()
  }

  @Test("A main-actor handler runs in the scope in which it was created")
  func scope() async {
    let key = Defaults.Key("scoped", default: 0)
    let scoped = Defaults.MemorySuite()
    await Defaults.withSuite(scoped) {
      let seen = await MainActor.run {
        let seen = Log<Int>()
        let observation = Defaults.observe(key, options: []) { _ in seen.append(Defaults[key]) }
        return (seen, observation)
      }
      Thread.detachNewThread { scoped[key] = 6 }
      while seen.0.all != [6] { await Task.yield() }
      seen.1.invalidate()
    }
  }
}
