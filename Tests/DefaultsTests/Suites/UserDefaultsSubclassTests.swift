import Defaults
import Foundation
import TestSupport
import Testing

/// User defaults that call a closure after each set, like a key-value observer, and count removals.
private final class ObservedDefaults: UserDefaults {
  var didSet: (String) -> Void = { _ in }
  var removals = 0

  override func set(_ value: Any?, forKey name: String) {
    super.set(value, forKey: name)
    didSet(name)
  }

  override func removeObject(forKey name: String) {
    removals += 1
    super.removeObject(forKey: name)
  }
}

@Suite("Suites on a subclass of UserDefaults", .prompt, .needsUserDefaults)
struct UserDefaultsSubclassTests {
  private let domain: UserDefaultsDomain
  private let userDefaults: ObservedDefaults
  private let suite: Defaults.UserDefaultsSuite

  init() throws {
    domain = try UserDefaultsDomain()
    userDefaults = try #require(ObservedDefaults(suiteName: domain.name))
    suite = Defaults.UserDefaultsSuite(userDefaults)
  }

  @Test("Code that Foundation calls during a set can read, write and observe the suite")
  func nestedCalls() throws {
    let changes = Log<Set<String>>()
    let observation = suite.observe(nil, options: []) { changes.append($0.names) }
    defer { observation.invalidate() }
    var seen: [Defaults.PropertyListValue?] = []
    userDefaults.didSet = { [suite] name in
      seen.append(suite.entry(named: "a"))
      guard name == "a" else { return }
      let nested = suite.observe(["b"], options: [.initial]) { _ in }
      #expect(throws: Never.self) { try suite.transaction { try $0.setEntry(2, named: "b") } }
      #expect(changes.all.isEmpty)
      nested.invalidate()
    }
    suite.set(1, forKey: "a")
    #expect(seen == [1, 1])
    #expect(suite.entry(named: "a") == 1 && suite.entry(named: "b") == 2)
    #expect(changes.all == [["b"], ["a"]])
  }

  @Test("An entry is removed before a set only if Foundation would ignore the set")
  func removals() {
    let values: [(Defaults.PropertyListValue, removals: Int)] = [
      (1, 0), (2, 0), ("x", 0), (1.5, 0), (2, 0), (2.0, 1), (true, 1), (1, 2), ([1], 2), ([2], 2),
      ([2.0], 3), (["a": 1], 3), (["a": true], 4), ("\u{e9}", 4), ("e\u{301}", 5),
    ]
    for (value, removals) in values {
      suite.set(value, forKey: "x")
      #expect(suite.entry(named: "x") == value)
      #expect(userDefaults.removals == removals)
    }
  }
}
