import Defaults
import DefaultsHistory
import DefaultsLayers
import Foundation
import TestSupport
import Testing

extension ProfileTests {
  @Test(
    "A profile name that isn't allowed is rejected",
    arguments: [
      "", ".", "..", "a/b", "a.b", "-work", ".hidden", "a b", "a\u{0}", "a\nb", "default",
      "Default",
      String(repeating: "a", count: 65), "e\u{301}\u{200B}", "\u{301}a",
    ])
  func names(name: String) throws {
    let error = #expect(throws: Defaults.SuiteError.self) { try profiles.create(name) }
    #expect(error?.code == .invalidProfile)
    #expect(base.entries == [:])
  }

  @Test("Creating a profile whose name exists, also in another letter case, is rejected")
  func collisions() throws {
    try profiles.create("Work")
    try profiles.create("büro")
    for name in ["Work", "work", "WORK", "BÜRO", "bu\u{308}ro"] {
      #expect(throws: Defaults.SuiteError.self) { try profiles.create(name) }
    }
    #expect(profiles.names == ["Work", "büro"])
    #expect(throws: Defaults.SuiteError.self) { try profiles.choose("wrk") }
    #expect(throws: Defaults.SuiteError.self) { try profiles.delete("work") }
  }

  @Test("Profiles are neither exported as settings nor removed with them")
  func reserved() throws {
    try profiles.create("work")
    try profiles.choose("work")
    suite[volume] = 7
    try profiles.choose(nil)
    suite[volume] = 5
    let exported = String(
      decoding: try suite.exportData(as: Defaults.JSONFormat()), as: UTF8.self)
    #expect(!exported.contains("profile"))
    #expect(suite.entries == ["volume": 5])
    base.removeAll()
    #expect(profiles.names == ["work"] && profiles.settings(of: "work") == ["volume"])
    #expect(base.unknownNames(declaring: [volume]) == [])
    #expect(base.unknownNames(declaring: [theme]).map(\.name) == ["Defaults.profiles.work.volume"])
  }

  @Test("A migration migrates the settings of all profiles")
  func migration() throws {
    base.set(3, forKey: "loudness")
    try profiles.create("work", copying: "default")
    try profiles.create("home")
    let steps = [
      Defaults.Migration(1) { draft in
        try draft.renameEntry("loudness", to: "volume")
        try draft.setEntry("dark", named: "theme")
      }
    ]
    try suite.migrate(to: 1, steps: steps)
    #expect(base.entry(named: "volume") == 3 && base.entry(named: "loudness") == nil)
    #expect(profiles.settings(of: "work") == ["theme", "volume"])
    #expect(base.entry(named: "Defaults.profiles.work.volume") == 3)
    #expect(try base.version == 1)
  }

  @Test("A migration migrates a profile's setting whose name begins with a combining character")
  func migrationOfCombiningName() throws {
    try profiles.create("work")
    base.set(3, forKey: "Defaults.profiles.work.\u{301}loudness")
    let step = Defaults.Migration(1) { draft in
      try draft.renameEntry("\u{301}loudness", to: "volume")
    }
    try suite.migrate(to: 1, steps: [step])
    #expect(profiles.settings(of: "work") == ["volume"])
    #expect(base.entry(named: "Defaults.profiles.work.volume") == 3)
  }

  @Test("A set in a profile removes only that profile's entry under the setting's previous name")
  func previousName() throws {
    let key = Defaults.Key("level", default: 0, suite: suite, .renamed(from: "oldLevel"))
    base.set(3, forKey: "oldLevel")
    base.set(4, forKey: "Defaults.profiles.work.oldLevel")
    try profiles.choose("work")
    #expect(suite[key] == 4)
    suite[key] = 5
    #expect(profiles.settings(of: "work") == ["level"])
    #expect(base.entry(named: "oldLevel") == 3)
  }

  @Test(
    "The history has the chosen profile's changes; an undo applies to the profile of the change")
  func history() throws {
    let stack = Defaults.UndoStack(suite) { !$0.names.contains("Defaults.profile") }
    suite[volume] = 5
    try profiles.choose(nil)
    base.set(true, forKey: "Defaults.profiles.work")
    try profiles.choose("work")
    suite[volume] = 7
    #expect(try suite.history(of: volume).map(\.newValue) == [7])
    try profiles.choose(nil)
    #expect(try suite.history(of: volume).map(\.newValue) == [5])
    try stack.undo()
    #expect(suite[volume] == 5 && profiles.settings(of: "work") == [])
  }

  @Test("A secret is redacted in the history of a profile")
  func secret() throws {
    let token = Defaults.Key("profileToken", default: "", suite: suite, .secret)
    try profiles.create("work")
    try profiles.choose("work")
    suite[token] = "hunter2"
    let changes = try suite.history().filter { $0.name.hasSuffix("profileToken") }
    #expect(changes.map(\.isSecret) == [true] && changes.first?.new == nil)
    #expect(!"\(base)".contains("hunter2") && !"\(suite)".contains("hunter2"))
  }

  @Test("If an entry of a profile isn't a valid value, the user's own value is used")
  func invalid() throws {
    suite[volume] = 5
    try profiles.create("work")
    try profiles.choose("work")
    base.set("loud", forKey: "Defaults.profiles.work.volume")
    #expect(suite[volume] == 5)
    #expect(base.entry(named: "Defaults.profiles.work.volume") == "loud")
  }

  @Test("An entry of a profile that a text editor makes invalid is an issue, once for each time")
  func invalidByEditor() throws {
    suite[volume] = 5
    try profiles.create("work")
    try profiles.choose("work")
    for count in 1...2 {
      for _ in 1...2 {
        // A new text, since an earlier one would look like an edit of an earlier file.
        try edit(["Defaults.profiles.work.volume": .string(UUID().uuidString)])
        #expect(suite[volume] == 5)
        #expect(issues.codes == Array(repeating: .undecodable, count: count))
      }
      try edit(["Defaults.profiles.work.volume": 5])
      #expect(suite[volume] == 5)
    }
  }

  /// Changes entries of the file as a text editor does.
  private func edit(_ changes: [String: Defaults.PropertyListValue]) throws {
    try base.flush(.snapshot)
    let entries = base.entries.merging(changes) { $1 }
    try Defaults.PropertyListFormat.xml.encode(entries)
      .write(to: folder.url("app.plist"), options: .atomic)
    try suite.refresh()
  }

  @Test("A copy of a profile has the settings that are stored under another spelling of its name")
  func copyOfOtherSpelling() throws {
    try profiles.create("caf\u{e9}")
    base.set(7, forKey: "Defaults.profiles.cafe\u{301}.volume")
    try profiles.create("copy", copying: "caf\u{e9}")
    #expect(base.entry(named: "Defaults.profiles.copy.volume") == 7)
  }
}
