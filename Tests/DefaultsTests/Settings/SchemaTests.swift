import Defaults
import Foundation
import Testing

private struct Preferences: Defaults.Schema {
  @Stored var volume = 5
  @Stored var nickname: String?
  @Stored(name: "other-name") var title = "x"
  @Stored var `default` = true
  @Stored private(set) var größe = 1.5
  @Stored(coding: .json) var device = Device()
  @Stored(coding: .iso8601) var expiry: Date?
  @Stored(coding: .json) var spare: Device? = Device(name: "spare")
  @Stored(name: "motto", coding: .base64) var motto = Data("a".utf8)
  @Stored(.computed) var answer = 6 * 7
  @Stored var plain = PlainCodable()
  @Stored var optionalPlain: PlainCodable?
}

private struct Device: Codable, Equatable {
  var name = "none"
}

private struct PlainCodable: Codable, Equatable {
  var number = 1
}

private struct Window: Defaults.Schema {
  static let namePrefix = "window-"

  @Stored var width = 800
}

private struct Editor: Defaults.Schema {
  @Stored var fontSize = 12
}

private struct Grouped: Defaults.Schema {
  @Stored var volume = 5
  let editor = Editor()
  let window = Window()
}

@Suite("Schemas")
struct SchemaTests {
  let suite = Defaults.MemorySuite()

  @Test("A schema has the names and defaults of its declarations")
  func declarations() {
    let preferences = Preferences(suite: suite)
    #expect(preferences.volume == 5)
    #expect(preferences.nickname == nil)
    #expect(preferences.title == "x")
    #expect(preferences.größe == 1.5)
    #expect(preferences.answer == 42)
    #expect(preferences.spare == Device(name: "spare"))
    #expect(
      preferences.keys.map(\.name) == [
        "volume", "nickname", "other-name", "default", "größe", "device", "expiry", "spare",
        "motto", "answer", "plain", "optionalPlain",
      ])
    #expect(suite.entries.isEmpty)
  }

  @Test("Properties of a constant schema can be set and are stored by their codings")
  func writing() throws {
    let preferences = Preferences(suite: suite)
    preferences.volume += 1
    preferences.nickname = "Ada"
    preferences.device = Device(name: "phone")
    preferences.expiry = Date(timeIntervalSince1970: 0)
    preferences.motto = Data("b".utf8)
    preferences.optionalPlain = PlainCodable(number: 2)
    #expect(
      suite.entries == [
        "volume": 6, "nickname": "Ada", "device": #"{"name":"phone"}"#,
        "expiry": "1970-01-01T00:00:00Z", "motto": "Yg==", "optionalPlain": #"{"number":2}"#,
      ])
    preferences.nickname = nil
    #expect(!suite.contains("nickname"))
  }

  @Test("A property, a key of its name and the property of another instance are the same setting")
  func sameCell() {
    let (first, second) = (Preferences(suite: suite), Preferences(suite: suite))
    let key = Defaults.Key("volume", default: 0, suite: suite)
    first.volume = 7
    #expect(second.volume == 7)
    #expect(Defaults[key] == 7)
    Defaults[key] = 8
    #expect(first.volume == 8)
    #expect(first.$volume == key)
    let copy = first
    copy.volume = 9
    #expect(first.volume == 9)
  }

  @Test("The projected value of a stored property is its key")
  func projection() async throws {
    let preferences = Preferences(suite: suite)
    #expect(preferences.$title.name == "other-name")
    #expect(preferences.$volume.isDefaultValue)
    var updates = Defaults.updates(preferences.$volume).makeAsyncIterator()
    #expect(await updates.next() == 5)
    preferences.volume = 6
    #expect(await updates.next() == 6)
    #expect(!preferences.$volume.isDefaultValue)
    preferences.$volume.reset()
    #expect(await updates.next() == 5)
    try suite.update(preferences.$volume) { $0 += 10 }
    #expect(preferences.volume == 15)
  }

  @Test("Each schema instance has its own suite and prefix")
  func binding() {
    let other = Defaults.MemorySuite()
    let (here, there) = (Preferences(suite: suite), Preferences(suite: other))
    let prefixed = Preferences(suite: suite, namePrefix: "second.")
    here.volume = 1
    there.volume = 2
    prefixed.volume = 3
    #expect(suite.entries == ["volume": 1, "second.volume": 3])
    #expect(other.entries == ["volume": 2])
    #expect(Window(suite: suite).$width.name == "window-width")
  }

  @Test("Groups have the names of their properties or custom prefixes", arguments: 1...3)
  func groups(_: Int) {
    let grouped = Grouped(suite: suite, namePrefix: "my.")
    grouped.editor.fontSize = 14
    grouped.window.width = 640
    grouped.volume = 1
    #expect(suite.entries == ["my.editor.fontSize": 14, "my.window-width": 640, "my.volume": 1])
    #expect(
      grouped.storedProperties.map(\.property) == ["volume", "editor.fontSize", "window.width"])
  }

  @Test("A schema lists its settings with name, type, default, value and whether they are set")
  func list() throws {
    let preferences = Preferences(suite: suite)
    preferences.volume = 6
    preferences.title = "x"
    let list = preferences.storedProperties
    let volume = try #require(list.first)
    #expect(volume.name == "volume")
    #expect(ObjectIdentifier(volume.type) == ObjectIdentifier(Int.self))
    #expect(volume.defaultValue as? Int == 5)
    #expect(volume.value as? Int == 6)
    #expect(volume.isSet && !volume.isDefaultValue)
    let title = list[2]
    #expect(title.property == "title" && title.name == "other-name")
    #expect(title.isSet && title.isDefaultValue)
    #expect(list.filter(\.isSet).count == 2)
    #expect(ObjectIdentifier(list[1].type) == ObjectIdentifier(String?.self))
  }

  @Test("Resetting a schema is one transaction of its own settings")
  func reset() async {
    let preferences = Preferences(suite: suite)
    suite.set(1, forKey: "another program's")
    preferences.volume = 6
    preferences.title = "y"
    var changes = suite.changes().makeAsyncIterator()
    preferences.resetAll()
    #expect(await changes.next()?.names == ["volume", "other-name"])
    #expect(suite.entries == ["another program's": 1])
  }

  @Test("A schema can be used by several tasks, and concurrent first uses make one key")
  func tasks() async {
    let preferences = Preferences(suite: suite)
    await withTaskGroup { group in
      for _ in 0..<8 {
        group.addTask {
          for _ in 0..<100 { _ = try? Defaults.update(preferences.$volume) { $0 += 1 } }
        }
      }
    }
    #expect(preferences.volume == 805)
  }

  @Test("A suite is released with its schemas")
  func lifetime() {
    weak var released: Defaults.MemorySuite?
    do {
      let own = Defaults.MemorySuite()
      released = own
      let preferences = Preferences(suite: own)
      preferences.volume += 1
      preferences.resetAll()
    }
    #expect(released == nil)
  }

  @Test("Reading a property inside a transaction returns the committed value")
  func insideTransaction() throws {
    let preferences = Preferences(suite: suite)
    try suite.transaction { draft in
      draft[preferences.$volume] = 9
      #expect(preferences.volume == 5)
    }
    #expect(preferences.volume == 9)
  }
}
