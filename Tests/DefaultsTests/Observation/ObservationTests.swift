import Defaults
import Foundation
import TestSupport
import Testing

@Suite("Observations")
struct ObservationTests {
  let suite = Defaults.MemorySuite()

  @Test("By default, the first event of an observation has the current value")
  func initialEvent() {
    let key = Defaults.Key("isUnicornMode", default: false, suite: suite)
    let seen = Log<Defaults.KeyChange<Bool>>()
    let observation = Defaults.observe(key) { seen.append($0) }
    Defaults[key] = true
    #expect(seen.all.map(\.oldValue) == [false, false])
    #expect(seen.all.map(\.newValue) == [false, true])
    #expect(seen.all.map(\.isInitial) == [true, false])
    #expect(seen.all.allSatisfy { $0.source == .local && !$0.isPrior })
    observation.invalidate()
  }

  @Test("Two changes are equal if all their properties are")
  func equality() {
    let key = Defaults.Key("x", default: 0, suite: suite)
    let seen = Log<Defaults.KeyChange<Int>>()
    let first = Defaults.observe(key) { seen.append($0) }
    let second = Defaults.observe(key) { seen.append($0) }
    Defaults[key] = 1
    Defaults.withOrigin("here") { Defaults[key] = 0 }
    Defaults[key] = 1
    #expect(seen.count == 8)
    #expect(seen.all[0] == seen.all[1])
    #expect(seen.all[2] == seen.all[3])
    #expect(seen.all[2] != seen.all[4])
    #expect(seen.all[4] == seen.all[5])
    #expect(seen.all[2] == seen.all[6])
    first.invalidate()
    second.invalidate()
  }

  @Test("With .prior, every observer gets the announcement before any gets the change")
  func priorEvents() {
    let key = Defaults.Key("x", default: 0, suite: suite)
    let seen = Log<String>()
    func note(_ name: String) -> @Sendable (Defaults.KeyChange<Int>) -> Void {
      { change in
        let kind = change.isInitial ? "initial" : change.isPrior ? "prior" : "change"
        seen.append("\(name) \(kind) \(change.oldValue) \(change.newValue)")
      }
    }
    let first = Defaults.observe(key, options: [.initial, .prior], handler: note("first"))
    let second = Defaults.observe(key, options: [.prior], handler: note("second"))
    Defaults[key] = 1
    #expect(
      seen.all == [
        "first initial 0 0",
        "first prior 0 1", "second prior 0 1",
        "first change 0 1", "second change 0 1",
      ])
    first.invalidate()
    second.invalidate()
  }

  @Test("The first change of a key with an initial value has an existing entry as its old value")
  func initialValue() {
    suite.set(1, forKey: "id")
    let key = Defaults.Key("id", default: 7, suite: suite, .generatedOnce)
    let seen = Log<[Int]>()
    let observation = observe(key, in: seen)
    Defaults[key] = 2
    Defaults[key] = 3
    #expect(seen.all == [[1, 2], [2, 3]])
    observation.invalidate()
  }

  @Test("The first change of a key with an initial value has a registered default as its old value")
  func registeredInitialValue() {
    suite.register(defaults: ["id": 3])
    let key = Defaults.Key("id", default: 1, suite: suite, .generatedOnce)
    let seen = Log<[Int]>()
    let observation = observe(key, in: seen)
    Defaults[key] = 3
    Defaults[key] = 5
    #expect(seen.all == [[3, 5]])
    observation.invalidate()
  }

  private func observe(
    _ key: Defaults.Key<Int>, in seen: Log<[Int]>
  ) -> some Defaults.Observation {
    Defaults.observe(key, options: []) { seen.append([$0.oldValue, $0.newValue]) }
  }

  @Test("Observers are notified only of their own keys")
  func otherKeys() throws {
    let x = Defaults.Key("x", default: 0, suite: suite)
    let y = Defaults.Key("x.y", default: 0, suite: suite)
    let seen = Log<Int>()
    let observation = Defaults.observe(x, options: []) { seen.append($0.newValue) }
    Defaults[y] = 1
    #expect(seen.count == 0)
    try suite.transaction { draft in
      draft[x] = 2
      draft[y] = 2
    }
    #expect(seen.all == [2])
    observation.invalidate()
  }

  @Test("An observer of several keys is called once per transaction, and once at the start")
  func severalKeys() throws {
    let x = Defaults.Key("x", default: 0, suite: suite)
    let y = Defaults.Key("y", default: "", suite: suite)
    let elsewhere = Defaults.Key("z", default: 0, suite: Defaults.MemorySuite())
    let calls = Log<Void>()
    let observation = Defaults.observe(keys: x, y, elsewhere) { calls.append(()) }
    #expect(calls.count == 1)
    try suite.transaction { draft in
      draft[x] = 1
      draft[y] = "a"
    }
    #expect(calls.count == 2)
    Defaults[elsewhere] = 1
    #expect(calls.count == 3)
    observation.invalidate()
    Defaults[x] = 2
    Defaults[elsewhere] = 2
    #expect(calls.count == 3)
  }

  @Test("A change in another suite during the initial call to an observer of several keys is heard")
  func changeInInitialCall() {
    let x = Defaults.Key("x", default: 0, suite: suite)
    let elsewhere = Defaults.Key("z", default: 0, suite: Defaults.MemorySuite())
    for keys in [[x, elsewhere], [elsewhere, x]] {
      let calls = Log<Void>()
      let observation = Defaults.observe(keys: keys) {
        calls.append(())
        if calls.count == 1 { for key in [x, elsewhere] { Defaults[key] += 1 } }
      }
      #expect(calls.count == 3)
      observation.invalidate()
    }
  }

  @Test("An observer of no keys is called once, at the start", .timeLimit(.aHang))
  func noKeys() async {
    let calls = Log<Void>()
    let observation = Defaults.observe(keys: [Defaults.AnyKey]()) { calls.append(()) }
    #expect(calls.count == 1)
    observation.invalidate()
    var stream = Defaults.updates([Defaults.AnyKey]()).makeAsyncIterator()
    #expect(await stream.next() != nil)
  }

  @Test("Invalidating an observation ends it and releases what the closure captured")
  func invalidation() {
    final class Canary: Sendable {}
    let key = Defaults.Key("x", default: 0, suite: suite)
    weak var canary: Canary?
    let observation: any Defaults.Observation
    do {
      let captured = Canary()
      canary = captured
      observation = Defaults.observe(key, options: []) { _ in _ = captured }
    }
    #expect(canary != nil)
    observation.invalidate()
    observation.invalidate()
    #expect(canary == nil)
    #expect(!suite.support.isObserved("x"))
  }

  @Test("Releasing the token of an observation ends it and releases what the closure captured")
  func release() {
    final class Canary: Sendable {}
    let key = Defaults.Key("x", default: 0, suite: suite)
    weak var canary: Canary?
    let seen = Log<Int>()
    var observation: (any Defaults.Observation)?
    do {
      let captured = Canary()
      canary = captured
      observation = Defaults.observe(key, options: []) { change in
        _ = captured
        seen.append(change.newValue)
      }
    }
    Defaults[key] = 1
    observation = nil
    Defaults[key] = 2
    #expect(seen.all == [1])
    #expect(canary == nil)
    _ = observation
  }

  @Test("A handler that invalidates its own observation gets no further event")
  func selfInvalidation() {
    final class Holder: Sendable {
      let log = Log<any Defaults.Observation>()
    }
    let key = Defaults.Key("x", default: 0, suite: suite)
    let holder = Holder()
    let seen = Log<Int>()
    holder.log.append(
      Defaults.observe(key, options: [.prior]) { [weak holder] change in
        seen.append(change.newValue)
        holder?.log.last?.invalidate()
      })
    Defaults[key] = 1
    Defaults[key] = 2
    #expect(seen.all == [1])
  }

  @Test("If an observer of a change invalidates a later observer, the later observer isn't called")
  func invalidationInTheSameRound() {
    let key = Defaults.Key("x", default: 0, suite: suite)
    let tokens = Log<any Defaults.Observation>()
    let seen = Log<String>()
    let first = Defaults.observe(key, options: []) { _ in
      seen.append("first")
      tokens.last?.invalidate()
    }
    tokens.append(Defaults.observe(key, options: []) { _ in seen.append("second") })
    Defaults[key] = 1
    #expect(seen.all == ["first"])
    first.invalidate()
  }

  @Test("A change of a store by another writer is external")
  func externalChanges() async throws {
    let rows = RowStore()
    let suite = try Defaults.StoredSuite(rows)
    let kept = Defaults.Key("kept", default: 0, suite: suite)
    let changed = Defaults.Key("changed", default: 0, suite: suite)
    Defaults[kept] = 1
    try await suite.flush()
    var changes = suite.changes().makeAsyncIterator()
    rows.change { $0["changed"] = 5 }
    let change = await changes.next()
    #expect(change?.source == .external)
    #expect(change?.entries == ["changed": .init(old: nil, new: 5)])
    #expect((Defaults[kept], Defaults[changed]) == (1, 5))
    rows.change { $0["kept"] = nil }
    #expect(await changes.next()?.entries == ["kept": .init(old: 1, new: nil)])
    #expect(Defaults[kept] == 0)
  }

  @Test("Changes are posted to the notification center with their names")
  func notifications() throws {
    let name = Defaults.didChangeNotification
    let label = "notifications"
    let suite = Defaults.MemorySuite(label: label)
    let posted = Log<[String]>()
    let token = NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) {
      guard $0.userInfo?[Defaults.suiteLabelKey] as? String == label else { return }
      posted.append($0.userInfo?[Defaults.changedNamesKey] as? [String] ?? [])
    }
    defer { NotificationCenter.default.removeObserver(token) }
    suite.set(1, forKey: "b")
    suite.set(1, forKey: "b")
    try suite.transaction { draft in
      draft[Defaults.Key("b", default: 0, suite: suite)] = 2
      draft[Defaults.Key("a", default: 0, suite: suite)] = 2
    }
    Defaults.withoutPropagation { suite.set(3, forKey: "b") }
    #expect(posted.all == [["b"], ["a", "b"]])
  }
}
