import Defaults
import Foundation
import TestSupport
import Testing

/// Behavior specific to this suite; the requirements are tested for every suite.
@Suite("Suites on UserDefaults", .prompt, .needsUserDefaults)
struct UserDefaultsSuiteTests {
  let domain: UserDefaultsDomain
  let userDefaults: UserDefaults
  let issues = IssueLog()
  let suite: Defaults.UserDefaultsSuite

  init() throws {
    domain = try UserDefaultsDomain()
    userDefaults = try domain.open()
    suite = Defaults.UserDefaultsSuite(userDefaults, onIssue: { [issues] in issues.append($0) })
  }

  @Test("The next read returns a value that other code set in UserDefaults, with its exact type")
  func foreignChanges() {
    let key = Defaults.Key("x", default: 0, suite: suite)
    #expect(Defaults[key] == 0)
    userDefaults.set(5, forKey: "x")
    #expect(Defaults[key] == 5)
    userDefaults.set(true, forKey: "x")
    #expect(suite.entry(named: "x") == true)
    userDefaults.set(["a": [1, true]], forKey: "x")
    #expect(suite.entry(named: "x") == ["a": [1, true]])
  }

  @Test("A number replaces a number of another type that Foundation considers equal")
  func numberTypes() {
    for value in [1, 1.0, true, 1, true, 1.0] as [Defaults.PropertyListValue] {
      suite.set(value, forKey: "x")
      #expect(suite.entry(named: "x") == value)
    }
  }

  @Test("Other code reads the values that the suite set in UserDefaults")
  func ownChanges() {
    suite.set(5, forKey: "x")
    suite.set("text", forKey: "y")
    #expect(userDefaults.integer(forKey: "x") == 5)
    #expect(userDefaults.string(forKey: "y") == "text")
    suite.removeEntry(named: "y")
    #expect(userDefaults.object(forKey: "y") == nil)
    #expect(suite.contains("x"))
  }

  @Test("Two suites on one UserDefaults object have equal keys and share their observers")
  func sameObject() throws {
    let other = Defaults.UserDefaultsSuite(userDefaults)
    let key = Defaults.Key("x", default: 0, suite: suite)
    let same = Defaults.Key("x", default: 0, suite: other)
    let seen = Log<Int>()
    let observation = Defaults.observe(key, options: []) { seen.append($0.newValue) }
    defer { observation.invalidate() }
    #expect(key == same)
    #expect(Set([key, same]).count == 1)
    Defaults[same] = 1
    other.set(2, forKey: "x")
    suite.set(3, forKey: "x")
    #expect(seen.all == [1, 2, 3])
    other.register(defaults: ["y": 5])
    #expect(suite.integer(forKey: "y") == 5)
    try suite.transaction { draft in
      draft[key] = 4
      #expect(Defaults[same] == 3)
    }
    #expect(Defaults[same] == 4)
    // Issues go to the handler of the first suite.
    other.set("text", forKey: "x")
    #expect(Defaults[key] == 0)
    #expect(Defaults[same] == 0)
    #expect(issues.all.map(\.key) == ["x"])
  }

  @Test("Suites on two UserDefaults objects differ, also after one was released")
  func otherObject() throws {
    let object = try #require(UserDefaults(suiteName: domain.name + "-2"))
    let other = Defaults.UserDefaultsSuite(object)
    #expect(
      Defaults.Key("x", default: 0, suite: other) != Defaults.Key("x", default: 0, suite: suite))
    weak var support: Defaults.SuiteSupport?
    do {
      let passing = Defaults.UserDefaultsSuite(try domain.open())
      support = passing.support
    }
    #expect(support == nil)
  }

  @Test("A write to another suite on the same UserDefaults object traps in a transaction")
  func nestedTransactions() async {
    await #expect(processExitsWith: .failure) {
      let object = UserDefaults()
      let (a, b) = (Defaults.UserDefaultsSuite(object), Defaults.UserDefaultsSuite(object))
      try a.transaction { _ in b.set(1, forKey: "x") }
    }
  }

  @Test("If UserDefaults can't synchronize, flush throws")
  func failedFlush() async throws {
    // In a process of its own: Foundation synchronizes all domains of a process and reports a
    // common result.
    try FileManager.default.createDirectory(at: domain.file, withIntermediateDirectories: false)
    await #expect(processExitsWith: .success) { [name = domain.name as String] in
      let suite = Defaults.UserDefaultsSuite(try #require(UserDefaults(suiteName: name)))
      suite.set(1, forKey: "x")
      do {
        try await suite.flush()
        fatalError("The flush succeeded")
      } catch let error as Defaults.SuiteError {
        precondition(error.code == .unwritable)
      }
      precondition(suite.integer(forKey: "x") == 1)
    }
  }
}
