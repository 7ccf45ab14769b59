import Foundation
import TestSupport
import Testing

@testable import Defaults

@Suite("Descriptions of values")
struct DescriptionTests {
  let suite = Defaults.MemorySuite(["volume": 7, "name": "Ada"])

  private enum PlayerError: Error { case offline, code(Int) }

  @Test("The description of a key has its name, type, value and location")
  func keys() {
    let volume = Defaults.Key("volume", default: 5, suite: suite)
    #expect("\(volume)" == "volume: Int = 7, in memory")
    let name = Defaults.Key<String?>("name", suite: suite)
    #expect("\(name)" == #"name: String? = "Ada", in memory"#)
    suite.reset(name, volume)
    #expect("\(name)" == "name: String? = nil, in memory")
    #expect("\(volume as Defaults.AnyKey)" == "volume: Int = 5, in memory")
  }

  @Test("Describing a key stores, moves and reports nothing, and shortens a long value")
  func keysAreLeftAlone() {
    let issues = IssueLog()
    let suite = Defaults.MemorySuite(
      ["old": 3, "wrong": "x", "long": .string(String(repeating: "a", count: 1_000))],
      onIssue: { issues.append($0) })
    let before = suite.entries
    let initial = Defaults.Key("initial", suite: suite, .generatedOnce) { UUID() }
    #expect("\(initial)" == "initial: UUID, not stored yet, in memory")
    let renamed = Defaults.Key("new", default: 0, suite: suite, .renamed(from: "old"))
    #expect("\(renamed)" == "new: Int = 3, in memory")
    let wrong = Defaults.Key("wrong", default: 0, suite: suite)
    #expect("\(wrong)" == "wrong: Int, stored in an unreadable form, in memory")
    let long = Defaults.Key("long", default: "", suite: suite)
    #expect("\(long)".count < 150)
    #expect(suite.entries == before)
    #expect(issues.codes == [])
  }

  @Test(
    "The description of a suite has its path, with ~ for home, and its number of entries",
    .needsUserDefaults)
  func suites() throws {
    #expect("\(suite)" == "memory, 2 entries")
    let label = NSHomeDirectory() + "/x.plist"
    #expect("\(Defaults.MemorySuite(["a": 1], label: label))" == "~/x.plist, 1 entry")
    let domain = try UserDefaultsDomain()
    let userDefaults = Defaults.UserDefaultsSuite(try domain.open())
    #expect("\(userDefaults)" == "UserDefaults, \(userDefaults.names.count) entries")
    let key = Defaults.Key("a", default: 0, suite: Defaults.MemorySuite(label: label))
    #expect("\(key)" == "a: Int = 0, in ~/x.plist")
  }

  @Test("The description of a change has its entries before and after, in order")
  func changes() {
    let seen = Log<String>()
    let all = suite.observe(["volume", "theme"], options: [.initial]) { seen.append("\($0)") }
    let volume = Defaults.Key("volume", default: 5, suite: suite)
    let one = Defaults.observe(volume, options: []) { seen.append("\($0)") }
    suite.write { draft in
      draft.removeEntry(named: "volume")
      draft.write(.set("dark"), named: "theme")
    }
    #expect(
      seen.all == [
        #"theme: none, volume: 7"#, #"theme: none -> "dark", volume: 7 -> none"#, "7 -> 5",
      ])
    all.invalidate()
    one.invalidate()
    let external = Defaults.Change(["a": .init(old: 1, new: 2)], source: .external)
    #expect("\(external)" == "a: 1 -> 2 (external)")
  }

  @Test("The description of a stored property resembles its declaration")
  func properties() {
    struct Preferences: Defaults.Schema {
      @Stored var volume = 5
      @Stored var name: String?
    }
    let preferences = Preferences(suite: suite)
    #expect(
      preferences.storedProperties.map { "\($0)" } == [
        "volume: Int = 7", #"name: String? = "Ada""#,
      ])
  }

  @Test("Every description of a program's error enum includes the enum's type")
  func errors() throws {
    #expect(PlayerError.offline.words == "PlayerError.offline")
    #expect(PlayerError.code(3).words == "PlayerError.code(3)")
    #expect(
      Defaults.SuiteError(wrapping: PlayerError.offline, .unwritable, suite: "a").description
        == "a: PlayerError.offline")
    let error = #expect(throws: Defaults.SuiteError.self) {
      try suite.migrate(to: 1, steps: [.init(1) { _ in throw PlayerError.offline }])
    }
    #expect(error?.description.hasSuffix("PlayerError.offline") == true)
  }

  @Test("The description of an error without suite and path doesn't begin with a colon")
  func emptyParts() {
    let error = Defaults.SuiteError(.unwritable, "it is full", suite: "", path: "")
    #expect(error.description == "it is full")
    #expect(
      Defaults.SuiteError(.unwritable, "it is full", suite: "", key: "a").description
        == #""a": it is full"#)
  }
}
