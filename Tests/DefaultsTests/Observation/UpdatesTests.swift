import Defaults
import Testing

@Suite("Streams of updates")
struct UpdatesTests {
  let suite = Defaults.MemorySuite()

  @Test("A stream of a key begins with the current value and continues with each change")
  func values() async {
    let key = Defaults.Key("x", default: 0, suite: suite)
    var values = Defaults.updates(key).makeAsyncIterator()
    #expect(await values.next() == 0)
    Defaults[key] = 1
    Defaults[key] = 1
    Defaults[key] = 2
    #expect(await values.next() == 1)
    #expect(await values.next() == 2)
  }

  @Test("With `initial: false`, a stream begins with the first change")
  func withoutInitial() async {
    let key = Defaults.Key<String?>("x", suite: suite)
    var values = Defaults.updates(key, initial: false).makeAsyncIterator()
    Defaults[key] = "a"
    Defaults[key] = nil
    #expect(await values.next() == .some("a"))
    #expect(await values.next() == .some(nil))
  }

  @Test("A stream of several keys gives their values together, once per transaction")
  func tuples() async throws {
    let number = Defaults.Key("number", default: 0, suite: suite)
    let text = Defaults.Key("text", default: "", suite: suite)
    let elsewhere = Defaults.Key("flag", default: false, suite: Defaults.MemorySuite())
    var tuples = Defaults.updates(number, text, elsewhere).makeAsyncIterator()
    #expect(await tuples.next() ?? (-1, "", true) == (0, "", false))
    try suite.transaction { draft in
      draft[number] = 1
      draft[text] = "one"
    }
    Defaults[elsewhere] = true
    #expect(await tuples.next() ?? (-1, "", true) == (1, "one", false))
    #expect(await tuples.next() ?? (-1, "", true) == (1, "one", true))
  }

  @Test("A stream of several keys never mixes the values of two transactions")
  func consistency() async throws {
    let a = Defaults.Key("a", default: 0, suite: suite)
    let b = Defaults.Key("b", default: 0, suite: suite)
    let tuples = Defaults.updates(a, b, initial: false)
    let rounds = 200
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<2 {
        group.addTask {
          for _ in 0..<rounds {
            try suite.transaction { draft in
              draft[a] += 1
              draft[b] += 1
            }
          }
        }
      }
      try await group.waitForAll()
    }
    for await (first, second) in tuples {
      #expect(first == second)
      if first == 2 * rounds { break }
    }
  }

  @Test("A stream of a list of keys gives an event for each change")
  func events() async {
    let number = Defaults.Key("number", default: 0, suite: suite)
    let text = Defaults.Key("text", default: "", suite: suite)
    let keys: [Defaults.AnyKey] = [number, text]
    var events = Defaults.updates(keys).makeAsyncIterator()
    #expect(await events.next() != nil)
    Defaults[text] = "a"
    #expect(await events.next() != nil)
    var later = Defaults.updates(keys, initial: false).makeAsyncIterator()
    Defaults[number] = 1
    #expect(await later.next() != nil)
    #expect(await events.next() != nil)
  }

  @Test("The stream of a suite has all its changes, one element per transaction")
  func suiteChanges() async throws {
    var changes = suite.changes().makeAsyncIterator()
    suite.set(1, forKey: "a")
    try suite.transaction { draft in
      draft.removeAll()
      draft[Defaults.Key("b", default: 0, suite: suite)] = 2
    }
    #expect(await changes.next()?.entries == ["a": .init(old: nil, new: 1)])
    #expect(
      await changes.next()?.entries == ["a": .init(old: 1, new: nil), "b": .init(old: nil, new: 2)])
  }

  @Test("The stream of a suite retains the suite until the stream is released")
  func suiteOfChanges() {
    weak var support: Defaults.SuiteSupport?
    var changes: AsyncStream<Defaults.Change>?
    do {
      let suite = Defaults.MemorySuite()
      support = suite.support
      changes = suite.changes()
    }
    #expect(support != nil)
    withExtendedLifetime(changes) {}
    changes = nil
    #expect(support == nil)
    _ = changes
  }

  @Test("A stream of keys in two suites decodes outside every lock")
  func decoding() async {
    let other = Defaults.MemorySuite()
    let b = Defaults.Key("b", default: 0, suite: other)
    let suite = Defaults.MemorySuite(["a": "no number"], onIssue: { _ in Defaults[b] = 7 })
    let a = Defaults.Key("a", default: 1, suite: suite)
    var stream = Defaults.updates(a, b).makeAsyncIterator()
    var seen: [[Int]] = []
    while seen.last?.last != 7, let (a, b) = await stream.next() { seen.append([a, b]) }
    #expect(seen == [[1, 0], [1, 7]])
  }
}
