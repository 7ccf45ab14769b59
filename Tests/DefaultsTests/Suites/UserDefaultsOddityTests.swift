import Defaults
import Foundation
import TestSupport
import Testing

/// Each in a process of its own: defaults registered with Foundation apply to a whole process.
@Suite("UserDefaults values that aren't property lists", .prompt, .needsUserDefaults)
struct UserDefaultsOddityTests {
  let domain: UserDefaultsDomain

  init() throws { domain = try UserDefaultsDomain() }

  @Test(
    "A UserDefaults value that isn't a property list stays, reads as missing, and is reported")
  func suite() async {
    await #expect(processExitsWith: .success) { [name = domain.name as String] in
      let userDefaults = try #require(UserDefaults(suiteName: name))
      userDefaults.register(defaults: ["id": UUID(), "wide": UInt128.max, "nested": [[NSNull()]]])
      let issues = IssueLog()
      let suite = Defaults.UserDefaultsSuite(userDefaults, onIssue: { issues.append($0) })
      for name in ["id", "wide", "nested", "id"] { #expect(suite.entry(named: name) == nil) }
      #expect(issues.codes == [.undecodable, .undecodable, .undecodable])
      #expect(issues.all.map(\.key) == ["id", "wide", "nested"])
      #expect(issues.all.first?.description.contains("a UUID can't be stored") == true)
      #expect(issues.all.dropFirst().first?.description.contains("more than 64 bits") == true)
      #expect(issues.all.allSatisfy { $0.underlying != nil })
      let key = Defaults.Key("id", default: "none", suite: suite)
      #expect(Defaults[key] == "none")
      Defaults[key] = "some"
      #expect(suite.entry(named: "id") == "some")
      #expect(userDefaults.string(forKey: "id") == "some")
    }
  }

  @Test("The event of a reset has the value that Foundation's registered defaults give")
  func reset() async {
    await #expect(processExitsWith: .success) { [name = domain.name as String] in
      let userDefaults = try #require(UserDefaults(suiteName: name))
      userDefaults.register(defaults: ["number": 5])
      let suite = Defaults.UserDefaultsSuite(userDefaults)
      let key = Defaults.Key("number", default: 1, suite: suite)
      let seen = Log<[Int]>()
      let observation = Defaults.observe(key, options: []) {
        seen.append([$0.oldValue, $0.newValue])
      }
      Defaults[key] = 7
      key.reset()
      Defaults[key] = 5
      #expect(seen.all == [[5, 7], [7, 5]])
      #expect(Defaults[key] == 5)
      observation.invalidate()
    }
  }

  @Test("Setting a value that an argument or a registered default has stores it in UserDefaults")
  func equalSets() async throws {
    await #expect(processExitsWith: .success) { [name = domain.name as String] in
      let userDefaults = try #require(UserDefaults(suiteName: name))
      userDefaults.register(defaults: ["size": 5])
      userDefaults.setVolatileDomain(["volume": 3], forName: UserDefaults.argumentDomain)
      let suite = Defaults.UserDefaultsSuite(userDefaults)
      let changes = Log<Defaults.Change>()
      let observation = suite.observe(nil, options: []) { changes.append($0) }
      suite.set(5, forKey: "size")
      suite.set(3, forKey: "volume")
      #expect(changes.all.isEmpty)
      observation.invalidate()
      try suite.flush()
    }
    // This process has neither the argument nor the registered default.
    let suite = Defaults.UserDefaultsSuite(try domain.open())
    #expect(suite.entry(named: "size") == 5 && suite.entry(named: "volume") == 3)
  }

  @Test("An import skips UserDefaults values that aren't property lists, with the reason")
  func importing() async {
    await #expect(processExitsWith: .success) { [name = domain.name as String] in
      let userDefaults = try #require(UserDefaults(suiteName: name))
      userDefaults.register(defaults: ["id": UUID()])
      userDefaults.set(1, forKey: "a")
      let suite = Defaults.MemorySuite()
      let report = try suite.importUserDefaults(.names("id", "a"), from: userDefaults)
      #expect(report.taken == ["a"])
      guard case .unusable(let error)? = report.skipped["id"] else {
        Issue.record("\(report)")
        return
      }
      #expect(error.code == .undecodable)
      #expect(error.key == "id")
      #expect(error.reason.contains("a UUID can't be stored"))
      #expect(!suite.contains("id"))
    }
  }

  @Test("An argument under a setting's name doesn't hide the stored value under a previous name")
  func argumentOverPreviousName() async {
    await #expect(processExitsWith: .success) { [name = domain.name as String] in
      let userDefaults = try #require(UserDefaults(suiteName: name))
      userDefaults.setVolatileDomain(["volume": 7], forName: UserDefaults.argumentDomain)
      userDefaults.set(3, forKey: "vol")
      let suite = Defaults.MemorySuite()
      let key = Defaults.Key("volume", default: 5, suite: suite, .renamed(from: "vol"))
      #expect(try suite.importUserDefaults(.keys(key), from: userDefaults).taken == ["volume"])
      #expect(suite[key] == 3)
    }
  }

  @Test("An import skips UserDefaults values that come from arguments")
  func arguments() async {
    await #expect(processExitsWith: .success) { [name = domain.name as String] in
      let userDefaults = try #require(UserDefaults(suiteName: name))
      userDefaults.setVolatileDomain(["shared": 1], forName: UserDefaults.argumentDomain)
      userDefaults.set(1, forKey: "own")
      let suite = Defaults.MemorySuite()
      let report = try suite.importUserDefaults(.names("shared", "own"), from: userDefaults)
      #expect(report.taken == ["own"])
      #expect(
        report.skipped["shared"]?.description
          == "this program didn't store the value in UserDefaults")
      // The setting may be stored later.
      userDefaults.removeVolatileDomain(forName: UserDefaults.argumentDomain)
      userDefaults.set(2, forKey: "shared")
      #expect(
        try suite.importUserDefaults(.names("shared"), from: userDefaults).taken == ["shared"])
      #expect(suite.integer(forKey: "shared") == 2)
    }
  }
}
