import Dispatch
import Observation
import Synchronization
import TestSupport
import Testing

@testable import Defaults

@Suite("Observations tied to objects", .prompt)
struct LifetimeTieTests {
  let suite = Defaults.MemorySuite()

  @Test("An observation tied to an object lasts as long as the object, without its token")
  func lifetimeTie() {
    final class Owner {}
    final class Canary: Sendable {}
    let key = Defaults.Key("x", default: 0, suite: suite)
    let seen = Log<Int>()
    weak var canary: Canary?
    var owner: Owner? = Owner()
    do {
      let captured = Canary()
      canary = captured
      guard let owner else { return }
      Defaults.observe(key, options: []) { change in
        _ = captured
        seen.append(change.newValue)
      }.tieToLifetime(of: owner)
    }
    Defaults[key] = 1
    #expect(seen.all == [1])
    owner = nil
    Defaults[key] = 2
    #expect(seen.all == [1])
    #expect(canary == nil)
    #expect(!suite.support.isObserved("x"))
    _ = owner
  }

  @Test("A tie keeps an observation's token alive with the object, for keys and for a suite")
  func tokenOfTie() {
    final class Owner {}
    let key = Defaults.Key("x", default: 0, suite: suite)
    let other = Defaults.Key("y", default: 0, suite: Defaults.MemorySuite())
    let tied = Owner()
    let seen = Log<Int>()
    weak var one: (any Defaults.Observation)?
    weak var several: (any Defaults.Observation)?
    weak var all: (any Defaults.Observation)?
    one = Defaults.observe(key, options: []) { seen.append($0.newValue) }.tieToLifetime(of: tied)
    several = Defaults.observe(keys: key, other, options: []) { seen.append(-1) }
      .tieToLifetime(of: tied)
    all = suite.observe(nil) { _ in seen.append(-2) }.tieToLifetime(of: tied)
    #expect(one != nil && several != nil && all != nil)
    Defaults[key] = 1
    #expect(seen.all == [1, -1, -2])
    // Tied to the token again, which nothing else keeps.
    one?.removeLifetimeTie()
    #expect(one == nil)
    several?.invalidate()
    #expect(several == nil)
    Defaults[key] = 2
    #expect(seen.all == [1, -1, -2, -2])
    withExtendedLifetime(tied) {}
  }

  @Test("A tied observation doesn't keep its suite alive")
  func suiteOfTie() {
    final class Owner {}
    let owner = Owner()
    weak var support: Defaults.SuiteSupport?
    do {
      let suite = Defaults.MemorySuite()
      support = suite.support
      suite.observe(nil) { _ in }.tieToLifetime(of: owner)
    }
    #expect(support == nil)
    withExtendedLifetime(owner) {}
  }

  /// An object that a handler captures and whose release calls a closure, like a controller that
  /// owns its token.
  private final class Controller: Sendable {
    let token = Mutex<(any Defaults.Observation)?>(nil)
    let atEnd: @Sendable () -> Void
    init(atEnd: @escaping @Sendable () -> Void) { self.atEnd = atEnd }
    func note() {}
    deinit {
      token.withLock { $0 }?.invalidate()
      atEnd()
    }
  }

  @Test("An object that a handler captured may end its own observation when it is released")
  func endInsideOfEnd() {
    final class Owner {}
    let ends = Log<Void>()
    func begin() -> any Defaults.Observation {
      let controller = Controller { [suite] in
        suite.set(ends.count, forKey: "x")
        suite.observe(["x"]) { _ in }.invalidate()
        ends.append(())
      }
      let token = suite.observe(["x"]) { [controller] _ in controller.note() }
      controller.token.withLock { $0 = token }
      return token
    }
    begin().invalidate()
    #expect(ends.count == 1)
    do {
      let owner = Owner()
      begin().tieToLifetime(of: owner)
      withExtendedLifetime(owner) {}
    }
    suite.set(-1, forKey: "x")
    #expect(ends.count == 2)
  }

  @Test(
    "An observer whose owner was released is removed with the next event, also with .prior",
    arguments: [[], [.prior]] as [Defaults.ObservationOptions])
  func forgotten(options: Defaults.ObservationOptions) {
    final class Owner {}
    do {
      let owner = Owner()
      suite.observe(["x"], options: options) { _ in }.tieToLifetime(of: owner)
      withExtendedLifetime(owner) {}
    }
    suite.set(1, forKey: "x")
    #expect(!suite.support.isObserved("x"))
  }

  @Test("An ended observation retains nothing although its token is retained")
  func scopeOfEndedObservation() throws {
    let folder = try TemporaryFolder()
    // Not in the table of open files, which retains suites while another test opens a file.
    var standIn: Defaults.StoredSuite? = try FileStore.open(
      StoredFile(path: folder["a.plist"])
    ).suite
    weak let storage = standIn
    var tokens: [any Defaults.Observation] = []
    var inScope: (any Defaults.Observation)?
    if let standIn {
      Defaults.withSuite(standIn) { inScope = standIn.observe(["a"]) { _ in } }
      for _ in 0..<9 { tokens.append(standIn.observe(["a"]) { _ in }) }
      standIn.set(1, forKey: "x")
      try standIn.flush(.snapshot)
    }
    standIn = nil
    inScope = nil
    // The storage is released with the observers' tokens, the last of which is released below.
    while !tokens.isEmpty { tokens.removeLast() }
    #expect(storage == nil)
    _ = inScope
  }

  @Test("A tie can be moved and removed")
  func movedTie() {
    final class Owner {}
    let key = Defaults.Key("x", default: 0, suite: suite)
    let seen = Log<Int>()
    var first: Owner? = Owner()
    var second: Owner? = Owner()
    var observation: (any Defaults.Observation)? = Defaults.observe(key, options: []) {
      seen.append($0.newValue)
    }
    if let first { observation?.tieToLifetime(of: first) }
    if let second { observation?.tieToLifetime(of: second) }
    first = nil
    Defaults[key] = 1
    observation?.removeLifetimeTie()
    second = nil
    Defaults[key] = 2
    observation = nil
    Defaults[key] = 3
    #expect(seen.all == [1, 2])
    _ = (first, second, observation)
  }

  @Test("Removing a tie to a released object doesn't resume the observation")
  func removedTieOfDead() {
    final class Owner {}
    let key = Defaults.Key("x", default: 0, suite: suite)
    let seen = Log<Int>()
    let observation = Defaults.observe(key, options: []) { seen.append($0.newValue) }
    do { observation.tieToLifetime(of: Owner()) }
    observation.removeLifetimeTie()
    Defaults[key] = 1
    #expect(seen.count == 0)
    withExtendedLifetime(observation) {}
  }

  @Test("A new tie doesn't resume an observation that ended with an object")
  func tieAfterDeath() {
    final class Owner {}
    let key = Defaults.Key("x", default: 0, suite: suite)
    let seen = Log<Int>()
    let observation = Defaults.observe(key, options: []) { seen.append($0.newValue) }
    do { observation.tieToLifetime(of: Owner()) }
    let second = Owner()
    observation.tieToLifetime(of: second)
    Defaults[key] = 1
    #expect(seen.count == 0)
    withExtendedLifetime((observation, second)) {}
  }

  /// Keeps the observation that is tied to it.
  private final class Model: Sendable {
    private let token = Mutex((any Defaults.Observation)?.none)

    init(_ key: Defaults.Key<Int>) {
      let observation: any Defaults.Observation = Defaults.observe(key, options: []) { _ in }
      token.withLock { $0 = observation.tieToLifetime(of: self) }
    }
  }

  @Test("An owner may be released while a change is delivered to it or a sweep checks it")
  func lastRelease() async {
    await #expect(processExitsWith: .success) {
      let suite = Defaults.MemorySuite()
      let key = Defaults.Key("x", default: 0, suite: suite)
      let isOver = Atomic(false)
      DispatchQueue.concurrentPerform(iterations: 2) { part in
        if part == 0 {
          for _ in 0..<20_000 { _ = Model(key) }
          isOver.store(true, ordering: .relaxed)
        } else {
          while !isOver.load(ordering: .relaxed) { Defaults[key] += 1 }
        }
      }
    }
  }

  /// Writes when it is released.
  private final class Farewell: Sendable {
    let suite: Defaults.MemorySuite

    init(_ suite: Defaults.MemorySuite) { self.suite = suite }

    deinit { suite.set(true, forKey: "farewell") }
  }

  private struct Preferences: Defaults.Schema {
    @Stored var volume = 5
  }

  /// Observes a name that never changes, tied to a released object.
  private func observeForTheDead() {
    final class Owner {}
    let (owner, captured) = (Owner(), Farewell(suite))
    suite.observe(["never changed"]) { _ in _ = captured }.tieToLifetime(of: owner)
  }

  // In processes of their own, since observations of other tests release handlers, too.

  @Test("An object that a handler captured may use the suite when a sweep releases it")
  func farewell() async {
    await #expect(processExitsWith: .success) {
      let tests = LifetimeTieTests()
      tests.observeForTheDead()
      let tokens = (0..<200).map { number in tests.suite.observe(["\(number)"]) { _ in } }
      #expect(tests.suite.bool(forKey: "farewell"))
      for token in tokens { token.invalidate() }
    }
  }

  @Test("Tracking in a transaction doesn't release ended observers; a later call does")
  func farewellAfterTracking() async {
    await #expect(processExitsWith: .success) {
      let tests = LifetimeTieTests()
      let suite = tests.suite
      tests.observeForTheDead()
      try suite.transaction { draft in
        for number in 0..<200 {
          let preferences = Preferences(suite: suite, namePrefix: "\(number).")
          #expect(preferences.volume == 5)
        }
        draft[Defaults.Key("x", default: 0, suite: suite)] = 1
      }
      let token = suite.observe(["x"]) { _ in }
      #expect(suite.bool(forKey: "farewell"))
      token.invalidate()
    }
  }
}
