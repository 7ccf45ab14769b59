import Defaults
import Foundation
import TestSupport
import Testing

private struct Service: Defaults.Schema {
  @Stored(.required, .in(1...65535)) var port: Int
  @Stored(.required, coding: .iso8601) var start: Date
  @Stored var workers = 4
}

@Suite("Required settings", .prompt)
struct RequiredKeyTests {
  let issues: IssueLog
  let suite: Defaults.MemorySuite
  let port: Defaults.Key<Int>

  init() {
    let issues = IssueLog()
    self.issues = issues
    suite = Defaults.MemorySuite(label: "settings", onIssue: { issues.append($0) })
    port = .required("port", suite: suite, .in(1...65535))
  }

  @Test("A required setting has the stored value, or a registered default")
  func values() throws {
    suite.register(defaults: ["port": 8080])
    #expect(try suite.value(for: port) == 8080)
    suite[port] = 80
    #expect(suite[port] == 80)
    #expect(port.isRequired && !port.isDefaultValue)
    #expect(!Defaults.Key("workers", default: 4, suite: suite).isRequired)
    #expect(issues.codes == [])
  }

  @Test("An invalid entry of a required setting reads as the registered default, if there is one")
  func registeredDefaultOfInvalidEntry() {
    suite.register(defaults: ["port": 8080])
    suite.set(0, forKey: "port")
    #expect(suite[port] == 8080)
    #expect(issues.codes == [.invalid])
    suite[port] = 80
    #expect(suite[port] == 80)
    suite.set(0, forKey: "port")
    #expect(suite[port] == 8080)
    suite.removeAll()
    #expect(suite[port] == 8080)
  }

  @Test("If a required setting has no value, every throwing call reports the missing value")
  func missing() {
    for body in [
      { _ = try suite.value(for: port) }, { try suite.update(port) { $0 += 1 } },
      { try suite.transaction { draft in _ = try draft.value(for: port) } },
    ] {
      let error = #expect(throws: Defaults.SuiteError.self) { try body() }
      #expect(error?.code == .missing)
      #expect(error?.description == "settings: \"port\": The setting is required and has no value")
    }
    #expect("\(port)" == "port: Int, required and not set, in settings")
    #expect(!suite.contains(port))
  }

  @Test("A subscript of a required setting without a value traps with advice to call `validate`")
  func trap() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let suite = Defaults.MemorySuite(label: "settings", onIssue: { _ in })
      _ = suite[Defaults.Key<Int>.required("port", suite: suite)]
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(
      text.contains(
        "the required setting \"port\" has no value in settings; call `try suite.validate(keys)` "
          + "when the program starts"))
  }

  @Test(
    "If a required value is invalid or removed, reads return the last valid value, with an issue")
  func removal() throws {
    suite[port] = 80
    try suite.validate([port])
    suite.removeAll()
    #expect(suite[port] == 80)
    #expect(issues.codes == [.missing])
    suite.set("many", forKey: "port")
    #expect(suite[port] == 80)
    #expect(issues.codes == [.missing, .undecodable])
    suite[port] = 81
    #expect(suite[port] == 81)
    #expect(throws: Never.self) { try suite.validate([port]) }
  }

  @Test("A required setting doesn't remember a value of a transaction that throws")
  func uncommittedValue() throws {
    struct Abort: Error {}
    suite[port] = 80
    #expect(suite[port] == 80)
    suite.removeAll()
    #expect(throws: Abort.self) {
      try suite.transaction { draft in
        draft[port] = 81
        #expect(draft[port] == 81)
        throw Abort()
      }
    }
    #expect(suite[port] == 80)
  }

  @Test("A required setting remembers a value that `value(for:)` has returned")
  func valueOfThrowingRead() throws {
    suite.set(80, forKey: "port")
    #expect(try suite.value(for: port) == 80)
    suite.removeAll()
    #expect(suite[port] == 80)
    #expect(issues.codes == [.missing])
  }

  @Test("A required setting doesn't have the last value of its own suite in another suite")
  func valueInAnotherSuite() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let suite = Defaults.MemorySuite(["port": 80], label: "own", onIssue: { _ in })
      let port = Defaults.Key<Int>.required("port", suite: suite)
      _ = suite[port]
      _ = Defaults.MemorySuite(label: "other", onIssue: { _ in })[port]
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("the required setting \"port\" has no value in other"))
  }

  @Test("Validation lists every missing and every invalid setting in one error")
  func validation() {
    let service = Service(suite: suite)
    suite.set(0, forKey: "port")
    suite.set("many", forKey: "workers")
    let error = #expect(throws: Defaults.ValidationError.self) {
      try suite.validate(Service.self)
    }
    #expect(error?.problems.map(\.code) == [.invalid, .missing, .undecodable])
    let lines = "\(error.map { "\($0)" } ?? "")".split(separator: "\n")
    #expect(lines.first == "3 problems in the settings:")
    #expect(lines.dropFirst().allSatisfy { $0.hasPrefix("  settings: \"") })
    suite[service.$port] = 80
    suite[service.$start] = Date(timeIntervalSince1970: 0)
    suite.removeEntry(named: "workers")
    #expect(throws: Never.self) { try suite.validate(service.keys) }
    #expect((service.port, service.start.timeIntervalSince1970) == (80, 0))
  }

  @Test("Validation counts a single problem in the singular")
  func oneProblem() {
    let error = #expect(throws: Defaults.ValidationError.self) { try suite.validate([port]) }
    #expect(error?.description.hasPrefix("1 problem in the settings:\n  ") == true)
  }

  @Test("A list of settings shows a required one without a value as unset")
  func list() {
    let service = Service(suite: suite)
    let texts = service.storedProperties.map(\.description)
    #expect(texts == ["port: Int = nil", "start: Date = nil", "workers: Int = 4"])
    #expect(service.storedProperties.map(\.isSet) == [false, false, false])
    suite[service.$port] = 80
    #expect(service.storedProperties[0].description == "port: Int = 80")
  }

  @Test("An observation of a required setting reports each of its values")
  func observation() {
    suite[port] = 80
    let log = Log<String>()
    let observation = Defaults.observe(port) {
      log.append("\($0.oldValue) \($0.newValue) \($0.error?.code.rawValue ?? "-")")
    }
    suite[port] = 81
    suite.removeAll()
    suite[port] = 82
    #expect(log.all == ["80 80 -", "80 81 -", "81 81 missing", "81 82 -"])
    observation.invalidate()
  }

  @Test("An observer of a required setting that was never set is notified of its first value")
  func firstValue() {
    let log = Log<String>()
    let observation = Defaults.observe(port) { log.append("\($0.newValue)") }
    let others = Log<Int>()
    let other = Defaults.observe(keys: [port]) { others.append(0) }
    #expect(issues.codes == [.missing])
    suite.set(0, forKey: "port")
    suite[port] = 80
    #expect(log.all == ["80"])
    #expect(others.all.count == 2)
    withExtendedLifetime((observation, other)) {}
  }

  @Test("A stream of a required setting that was never set begins with its first value")
  func firstUpdate() async {
    var ports = Defaults.updates(port).makeAsyncIterator()
    var later = Defaults.updates(port, initial: false).makeAsyncIterator()
    suite[port] = 80
    suite[port] = 81
    #expect(await [ports.next(), ports.next()] == [80, 81])
    #expect(await [later.next(), later.next()] == [80, 81])
  }

  @Test("After an invalid entry, observers of a required setting get the change to the next value")
  func valueAfterInvalidEntry() async {
    let log = Log<String>()
    let observation = Defaults.observe(port) { log.append("\($0.oldValue) \($0.newValue)") }
    var ports = Defaults.updates(port).makeAsyncIterator()
    suite.set(0, forKey: "port")
    suite[port] = 80
    suite.set("many", forKey: "port")
    suite[port] = 82
    suite[port] = 83
    #expect(log.all == ["80 80", "80 80", "80 82", "82 83"])
    #expect(await [ports.next(), ports.next(), ports.next()] == [80, 82, 83])
    observation.invalidate()
  }

  @Test("A stream of several keys has no tuple until each required setting has a value")
  func tuples() async {
    let workers = Defaults.Key("workers", default: 4, suite: suite)
    var tuples = Defaults.updates(port, workers).makeAsyncIterator()
    #expect(issues.codes == [.missing])
    var later = Defaults.updates(workers, workers, port, initial: false).makeAsyncIterator()
    suite[workers] = 5
    suite[port] = 80
    suite[workers] = 6
    #expect(await tuples.next() ?? (0, 0) == (80, 5))
    #expect(await tuples.next() ?? (0, 0) == (80, 6))
    #expect(await later.next() ?? (0, 0, 0) == (5, 5, 80))
    suite.removeAll()
    #expect(await tuples.next() ?? (0, 0) == (80, 4))
  }

  @Test("A required setting can't also have a generated value")
  func generated() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Defaults.Key<Int>.required("id", suite: Defaults.MemorySuite(), .generatedOnce)
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("the key \"id\" has no default to compute or generate"))
  }
}
