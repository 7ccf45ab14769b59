import Defaults
import DefaultsTesting
import Foundation
import TestSupport
import Testing

@Suite("Exact values in UserDefaults", .prompt, .needsUserDefaults)
struct UserDefaultsExactValueTests {
  let domain: UserDefaultsDomain
  let userDefaults: UserDefaults
  let issues = IssueLog()
  let suite: Defaults.UserDefaultsSuite

  init() throws {
    domain = try UserDefaultsDomain()
    userDefaults = try domain.open()
    suite = Defaults.UserDefaultsSuite(userDefaults, onIssue: { [issues] in issues.append($0) })
  }

  @Test("A date with a fraction and text with a carriage return are stored in UserDefaults exactly")
  func keys() throws {
    let date = Date(timeIntervalSince1970: 1_763_730_224.25)
    let opened = Defaults.Key<Date?>("opened", suite: suite)
    let note = Defaults.Key("note", default: "", suite: suite)
    let days = Defaults.Key<[String: [Date]]>("days", default: [:], suite: suite)
    try suite.set(date, for: opened)
    try suite.set("line\r\nline\r", for: note)
    try suite.set(["a": [date, .distantPast]], for: days)
    try suite.flush()
    let other = Defaults.UserDefaultsSuite(try domain.open())
    #expect(other[opened] == date)
    #expect(other[note] == "line\r\nline\r")
    #expect(other[days] == ["a": [date, .distantPast]])
    #expect(issues.count == 0)
  }

  @Test("Each test value of the suite requirements is read from UserDefaults by another process")
  func everyValue() async throws {
    try suite.setEntries(
      Dictionary(uniqueKeysWithValues: ExactValue.all.map { ($0.name, $0.entry) }))
    try suite.setEntries(["a\rb": 1, "Defaults.exact:x": 2])
    try await suite.flush()
    await #expect(processExitsWith: .success) { [name = domain.name as String] in
      let suite = Defaults.UserDefaultsSuite(try #require(UserDefaults(suiteName: name)))
      let names = suite.names
      for value in ExactValue.all {
        #expect(suite.entry(named: value.name) == value.entry, "\(value.name)")
        #expect(names.contains(value.name))
      }
      #expect(suite.entry(named: "a\rb") == 1)
      #expect(suite.entry(named: "Defaults.exact:x") == 2)
      #expect(names.isSuperset(of: ["a\rb", "Defaults.exact:x"]))
    }
  }

  #if !canImport(Darwin)
    @Test(
      "Other code reads a date with whole seconds from UserDefaults, and any other date as text")
    func otherReaders() throws {
      suite.set(.date(Date(timeIntervalSinceReferenceDate: 5)), forKey: "whole")
      suite.set(.date(Date(timeIntervalSince1970: 1_763_730_224.25)), forKey: "fraction")
      suite.set("plain", forKey: "text")
      suite.set("a\rb", forKey: "return")
      suite.set(1, forKey: "a\rb")
      #expect(userDefaults.object(forKey: "whole") is Date)
      #expect(userDefaults.string(forKey: "text") == "plain")
      #expect(
        userDefaults.string(forKey: "fraction")
          == #"Defaults.exact:{"$date":"2025-11-21T13:03:44.25Z"}"#)
      #expect(userDefaults.string(forKey: "return") == #"Defaults.exact:"a\rb""#)
      #expect(userDefaults.integer(forKey: #"Defaults.exact:"a\rb""#) == 1)
      #expect(suite.names.contains("a\rb"))
      suite.removeEntry(named: "a\rb")
      #expect(userDefaults.object(forKey: #"Defaults.exact:"a\rb""#) == nil)
    }
  #endif

  @Test("Observers get values and not their text form in UserDefaults")
  func observation() throws {
    let key = Defaults.Key("x", default: "", suite: suite)
    let named = Defaults.Key("a\rb", default: 0, suite: suite)
    let seen = Log<String>()
    let texts = Defaults.observe(key) { seen.append($0.newValue) }
    let numbers = Defaults.observe(named, options: []) { seen.append("\($0.newValue)") }
    suite[key] = "a\rb"
    suite[key] = "a\rb"
    suite[named] = 5
    #expect(seen.all == ["", "a\rb", "5"])
    texts.invalidate()
    numbers.invalidate()
  }

  @Test("An import from UserDefaults reads exact values, with and without a domain")
  func importing() throws {
    let date = Date(timeIntervalSince1970: 1_763_730_224.25)
    suite.set(.date(date), forKey: "opened")
    suite.set("x", forKey: "a\rb")
    for name in [nil, domain.name] {
      let target = Defaults.MemorySuite()
      let opened = Defaults.Key<Date?>("opened", suite: target)
      let report = try target.importUserDefaults(
        .keys(opened), from: userDefaults, domain: name)
      #expect(report.taken == ["opened"])
      #expect(target[opened] == date)
      try target.importUserDefaults(.names("a\rb"), from: userDefaults, domain: name)
      #expect(target.entry(named: "a\rb") == "x")
    }
  }
}
