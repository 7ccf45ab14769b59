import Defaults
import Foundation
import Testing

/// What is particular to this suite; the laws are tested for it as for every other.
@Suite("Suites on UserDefaults")
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

  @Test("What other code sets is seen by the next read, with its exact type")
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

  @Test("A number replaces one of another type that is equal to Foundation")
  func numberTypes() {
    for value in [1, 1.0, true, 1, true, 1.0] as [Defaults.PropertyListValue] {
      suite.set(value, forKey: "x")
      #expect(suite.entry(named: "x") == value)
    }
  }

  @Test("Other code finds what the suite set")
  func ownChanges() {
    suite.set(5, forKey: "x")
    suite.set("text", forKey: "y")
    #expect(userDefaults.integer(forKey: "x") == 5)
    #expect(userDefaults.string(forKey: "y") == "text")
    suite.removeEntry(named: "y")
    #expect(userDefaults.object(forKey: "y") == nil)
    #expect(suite.contains("x"))
  }

  @Test("A synchronization that fails is an error")
  func failedFlush() async throws {
    // In a process of its own: Foundation synchronizes all domains of a process, and says of all
    // whether that worked.
    try FileManager.default.createDirectory(at: domain.file, withIntermediateDirectories: false)
    await #expect(processExitsWith: .success) { [name = domain.name as String] in
      let suite = Defaults.UserDefaultsSuite(try #require(UserDefaults(suiteName: name)))
      suite.set(1, forKey: "x")
      do {
        try await suite.flush()
        fatalError("it was flushed")
      } catch let error as Defaults.SuiteError {
        precondition(error.code == .unwritable)
      }
      precondition(suite.integer(forKey: "x") == 1)
    }
  }
}
