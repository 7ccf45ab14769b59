import Defaults
import Foundation
import Testing

private class Preferences: Defaults.Settings {
  @Stored var volume = 5
  @Stored var nickname: String?
}

private final class MorePreferences: Preferences {
  override class var namePrefix: String { "more." }

  @Stored(name: "other-name") var title = "x"
  @Stored(coding: .iso8601) var expiry: Date?
  let editor = Editor()
  var unstored = 1
}

private struct Editor: Defaults.Schema {
  @Stored var fontSize = 12
}

@MainActor
private final class OfMainActor: Defaults.Settings {
  @Stored var volume = 5
}

@Suite("Settings classes")
struct SettingsClassTests {
  let suite = Defaults.MemorySuite()

  @Test("Properties of a settings class, its superclass and its groups are settings")
  func inheritance() {
    let preferences = MorePreferences(suite: suite)
    preferences.volume += 1
    preferences.nickname = "Ada"
    preferences.title = "y"
    preferences.expiry = Date(timeIntervalSince1970: 0)
    preferences.editor.fontSize = 14
    preferences.unstored = 2
    #expect(
      suite.entries == [
        "more.volume": 6, "more.nickname": "Ada", "more.other-name": "y",
        "more.expiry": "1970-01-01T00:00:00Z", "more.editor.fontSize": 14,
      ])
    #expect(
      preferences.storedProperties.map(\.property) == [
        "volume", "nickname", "title", "expiry", "editor.fontSize",
      ])
  }

  @Test("A settings class without a suite uses the program's suite")
  func standardSuite() {
    Defaults.withSuite(suite) {
      Preferences().volume = 1
      MorePreferences().title = "y"
      MorePreferences(namePrefix: "my.").title = "z"
    }
    #expect(suite.entries == ["volume": 1, "more.other-name": "y", "my.other-name": "z"])
  }

  @Test("An instance of a settings class has its own suite and prefix")
  func binding() {
    let first = Preferences(suite: suite)
    let second = Preferences(suite: suite, namePrefix: "second.")
    first.volume = 1
    second.volume = 2
    #expect(suite.entries == ["volume": 1, "second.volume": 2])
    second.resetAll()
    #expect(suite.entries == ["volume": 1])
  }

  @Test("A settings class may belong to an actor")
  @MainActor
  func actor() {
    let preferences = OfMainActor(suite: suite)
    preferences.volume = 6
    #expect(suite.entries == ["volume": 6])
  }
}
