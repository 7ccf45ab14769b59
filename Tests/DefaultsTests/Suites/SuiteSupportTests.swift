import TestSupport
import Testing

@testable import Defaults

@Suite("Shared support of suites")
struct SuiteSupportTests {
  private func change(
    of name: String, _ source: Defaults.Change.Source = .local
  ) -> Defaults.Change {
    Defaults.Change([name: .init(old: nil, new: 1)], source: source)
  }

  @Test("A library thread delivers local changes only if an external change waits behind them")
  func deliveryByLibraryThread() {
    let support = Defaults.SuiteSupport(label: "test")
    let heard = Log<String>()
    let handler = Defaults.Handler<Defaults.Change> { change in
      for name in change.entries.keys { heard.append(name) }
    }
    let token = support.observe(nil, initial: [:], handler)
    support.enqueue(change(of: "mine"))
    support.deliverExternal()
    #expect(heard.all == [])
    support.deliver()
    #expect(heard.all == ["mine"])

    // In commit order: earlier changes of this process come first.
    support.enqueue(change(of: "also mine"))
    support.enqueue(change(of: "external", .external))
    support.deliverExternal()
    #expect(heard.all == ["mine", "also mine", "external"])

    support.enqueue(change(of: "later"))
    support.deliverExternal()
    #expect(heard.all == ["mine", "also mine", "external"])
    withExtendedLifetime(token) {}
  }

  @Test("An observer of one name isn't notified of other names in the same change")
  func restriction() {
    let support = Defaults.SuiteSupport(label: "test")
    let heard = Log<Set<String>>()
    let token = support.observe(["a"], initial: [:], .init { heard.append($0.names) })
    for names in [["a"], ["a", "b"], ["a", "b", "c"]] {
      support.enqueue(
        Defaults.Change(
          Dictionary(uniqueKeysWithValues: names.map { ($0, .init(old: nil, new: 1)) }))
      )
    }
    support.deliver()
    #expect(heard.all == [["a"], ["a"], ["a"]])
    withExtendedLifetime(token) {}
  }

  private static let refusal = Defaults.SuiteError(
    .locked, "another process has it", suite: "rejecting")

  @Test("A third-party suite whose transactions fail reports a failed set")
  func refusingSuite() {
    let issues = IssueLog()
    let suite = EmptySuite("rejecting", failingWith: Self.refusal) { issues.append($0) }
    suite.set(1, forKey: "a")
    #expect(issues.codes == [.locked])
    #expect(issues.last?.suite == "rejecting")
  }

  @Test(
    "A throwing setter of a third-party suite throws the error of its transaction",
    arguments: [[], ["old"]])
  func refusedSet(previousNames: [String]) {
    let issues = IssueLog()
    let suite = EmptySuite("rejecting", failingWith: Self.refusal) { issues.append($0) }
    let key =
      previousNames.isEmpty
      ? Defaults.Key("a", default: 0, suite: suite)
      : Defaults.Key("a", default: 0, suite: suite, .renamed(from: "old"))
    let error = #expect(throws: Defaults.SuiteError.self) { try suite.set(1, for: key) }
    #expect(error?.code == .locked && issues.codes == [])
    suite[key] = 1
    #expect(issues.codes == [.locked])
  }

  @Test("An initial value that was read stays the same if a set throws")
  func initialValueAfterRefusedSet() {
    let suite = EmptySuite("rejecting", failingWith: Self.refusal) { _ in }
    let computed = Log<Int>()
    let key = Defaults.Key("id", suite: suite, .generatedOnce) {
      computed.append(0)
      return computed.count
    }
    #expect(Defaults[key] == 1)
    #expect(throws: Defaults.SuiteError.self) { try suite.set(7, for: key) }
    #expect(Defaults[key] == 1)
  }

  @Test("After a reset, an initial value is computed again if a suite queues only observed changes")
  func initialValueAfterReset() {
    let suite = FrugalSuite()
    let computed = Log<Int>()
    let key = Defaults.Key("id", suite: suite, .generatedOnce) {
      computed.append(0)
      return computed.count
    }
    #expect((Defaults[key], Defaults[key]) == (1, 1))
    key.reset()
    #expect((Defaults[key], Defaults[key]) == (2, 2))
  }
}

/// A suite of a third party that queues a change only if its name has an observer.
private final class FrugalSuite: Defaults.Suite {
  let support = Defaults.SuiteSupport(label: "frugal")
  private let state = Lock([String: Defaults.PropertyListValue]())

  var entries: [String: Defaults.PropertyListValue] { state.withLock { $0 } }

  func entry(named name: String) -> Defaults.PropertyListValue? { entries[name] }

  func transaction<Result>(_ body: (inout Defaults.Draft) throws -> Result) throws -> Result {
    defer { support.deliver() }
    var draft = Defaults.Draft(of: self)
    let result = try body(&draft)
    state.withLock { entries in
      for (name, edit) in draft.edits {
        let old = entries[name]
        entries[name] = edit.entry
        guard support.isObserved(name) else { continue }
        support.enqueue(Defaults.Change([name: .init(old: old, new: edit.entry)]))
      }
    }
    return result
  }

  func observe(
    _ names: Set<String>?, options: Defaults.ObservationOptions,
    _ handler: Defaults.Handler<Defaults.Change>
  ) -> any Defaults.Observation {
    support.observe(names, options: options, initial: [:], handler)
  }

  func flush() {}
}
