import Defaults
import Foundation
import FuzzInputs
import Testing

private struct Device: Codable, Equatable {
  var name = "none"
}

private struct Optionals: Defaults.Schema {
  @Stored var city: String? = "Rome"
  @Stored(name: "own") var title: String? = "x"
  @Stored(coding: .optional(.iso8601)) var since: Date? = Date(timeIntervalSince1970: 0)
  @Stored(coding: .optional(.iso8601), .computed)
  var until: Date? = Date(timeIntervalSince1970: 60)
  @Stored(name: "second") var device: Device?
}

private struct CodableDefaults: Defaults.Schema {
  @Stored var device: Device? = nil
  @Stored(name: "own") var phone: Device? = Device(name: "phone")
}

private struct Computed: Defaults.Schema {
  @Stored(coding: .base64, .computed) var motto = Data("a".utf8)
  @Stored(name: "hours", coding: .text, .computed) var answer = 6 * 7
}

private struct Archived: Defaults.Schema {
  @Stored(coding: .archive) var note = Note("none")
  @Stored(name: "other-note", coding: .archive) var other = Note("other")
  @Stored(coding: .archive) var draft: Note?
  @Stored(name: "last-note", coding: .archive) var last: Note?
}

@Suite("Forms of stored properties")
struct PropertyFormTests {
  let suite = Defaults.MemorySuite()

  @Test("An optional property may have a default, which setting nil restores")
  func optionalDefaults() {
    let settings = Optionals(suite: suite)
    #expect(settings.city == "Rome")
    #expect(settings.title == "x")
    #expect(settings.since == Date(timeIntervalSince1970: 0))
    #expect(settings.until == Date(timeIntervalSince1970: 60))
    settings.city = "Oslo"
    settings.title = "y"
    settings.since = Date(timeIntervalSince1970: 1)
    settings.until = Date(timeIntervalSince1970: 61)
    #expect(
      suite.entries == [
        "city": "Oslo", "own": "y", "since": "1970-01-01T00:00:01Z",
        "until": "1970-01-01T00:01:01Z",
      ])
    #expect(Optionals(suite: suite).until == Date(timeIntervalSince1970: 61))
    settings.city = nil
    settings.title = nil
    settings.since = nil
    settings.until = nil
    #expect(suite.entries.isEmpty)
    #expect(settings.city == "Rome")
    #expect(settings.until == Date(timeIntervalSince1970: 60))
  }

  @Test("An optional Codable property may have a custom name")
  func optionalCodable() {
    let settings = Optionals(suite: suite)
    #expect(settings.device == nil)
    settings.device = Device(name: "phone")
    #expect(suite.entries == ["second": #"{"name":"phone"}"#])
    #expect(Optionals(suite: suite).device == Device(name: "phone"))
    settings.device = nil
    #expect(suite.entries.isEmpty)
  }

  @Test("Setting nil removes the entry of an optional Codable property with an initial value")
  func optionalCodableDefaults() {
    let settings = CodableDefaults(suite: suite)
    #expect(settings.device == nil)
    #expect(settings.phone == Device(name: "phone"))
    settings.device = Device(name: "a")
    settings.phone = Device(name: "b")
    #expect(suite.entries == ["device": #"{"name":"a"}"#, "own": #"{"name":"b"}"#])
    settings.device = nil
    settings.phone = nil
    #expect(suite.entries.isEmpty)
    #expect(settings.phone == Device(name: "phone"))
  }

  @Test("The JSON null that an earlier version stored for an optional Codable property is nil")
  func storedNull() throws {
    let suite = Defaults.MemorySuite(["device": "null", "own": "null"])
    let settings = CodableDefaults(suite: suite)
    #expect(try suite.value(for: settings.$device) == nil)
    #expect(try suite.value(for: settings.$phone) == nil)
    settings.phone = nil
    #expect(suite.names == ["device"])
  }

  @Test(
    "A computed default of a property is evaluated at each use, and a set uses the coding")
  func computedDefaults() {
    let settings = Computed(suite: suite)
    #expect(settings.motto == Data("a".utf8))
    #expect(settings.answer == 42)
    #expect(suite.entries.isEmpty)
    settings.motto.append(contentsOf: "b".utf8)
    settings.answer += 1
    #expect(suite.entries == ["motto": "YWI=", "hours": "43"])
    settings.resetAll()
    #expect(settings.motto == Data("a".utf8))
  }

  @Test("Object properties, also optional ones, are archived under their own or a custom name")
  func archives() throws {
    let settings = Archived(suite: suite)
    #expect(settings.note == Note("none"))
    #expect(settings.other == Note("other"))
    #expect(settings.draft == nil)
    #expect(settings.last == nil)
    settings.note = Note("a", count: 1)
    settings.other = Note("b")
    settings.draft = Note("c")
    settings.last = Note("d")
    #expect(suite.names == ["note", "other-note", "draft", "last-note"])
    let bridge = Defaults.Coding<Note>.archive
    for (name, text) in ["other-note": "b", "draft": "c", "last-note": "d"] {
      #expect(try bridge.decode(#require(suite.entry(named: name))) == Note(text))
    }
    let again = Archived(suite: suite)
    #expect(again.note == Note("a", count: 1))
    #expect(again.last == Note("d"))
    again.draft = nil
    again.last = nil
    #expect(suite.names == ["note", "other-note"])
  }
}
