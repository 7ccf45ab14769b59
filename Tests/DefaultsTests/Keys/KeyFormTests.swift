import Defaults
import Foundation
import Synchronization
import FuzzInputs
import Testing

private struct Device: Codable, Equatable, Sendable {
  var name = "none"
}

@Suite("Keys of Codable or archivable values without Serializable")
struct KeyFormTests {
  let suite = Defaults.MemorySuite()

  @Test("The default of a Codable value may be computed at each read")
  func computedDefault() throws {
    let count = Atomic(0)
    let key = Defaults.Key<Device>("device", coding: .json, suite: suite) {
      Device(name: "\(count.wrappingAdd(1, ordering: .relaxed).newValue)")
    }
    #expect([Defaults[key].name, Defaults[key].name] == ["1", "2"])
    Defaults[key] = Device(name: "phone")
    #expect(suite.entries == ["device": #"{"name":"phone"}"#])
    #expect(Defaults[key] == Device(name: "phone"))
    key.reset()
    #expect(Defaults[key].name == "3")
  }

  @Test(
    "Setting an optional Codable key to nil restores its default, which is nil if none is given")
  func optionalDefault() {
    let plain = Defaults.Key<Device?>("plain", suite: suite)
    let full = Defaults.Key<Device?>("full", default: Device(name: "spare"), suite: suite)
    #expect(Defaults[plain] == nil)
    #expect(Defaults[full] == Device(name: "spare"))
    Defaults[plain] = Device(name: "a")
    Defaults[full] = Device(name: "b")
    #expect(suite.entries == ["plain": #"{"name":"a"}"#, "full": #"{"name":"b"}"#])
    Defaults[plain] = nil
    Defaults[full] = nil
    #expect(suite.entries.isEmpty)
    #expect(Defaults[full] == Device(name: "spare"))
  }

  @Test(
    "Setting an optional key of an object to nil restores its default, which is nil if not given")
  func archives() {
    let plain = Defaults.Key<Note?>("plain", suite: suite)
    let full = Defaults.Key<Note?>("full", default: Note("spare"), suite: suite)
    #expect(Defaults[plain] == nil)
    #expect(Defaults[full] == Note("spare"))
    Defaults[plain] = Note("a")
    Defaults[full] = Note("b")
    #expect(suite.names == ["plain", "full"])
    #expect(Defaults[plain] == Note("a"))
    #expect(Defaults[full] == Note("b"))
    Defaults[full] = nil
    #expect(suite.names == ["plain"])
    #expect(Defaults[full] == Note("spare"))
  }

  @Test("A previous name works for Codable values")
  func previousNames() {
    suite.set(#"{"name":"old"}"#, forKey: "before")
    let key = Defaults.Key("now", default: Device(), suite: suite, .renamed(from: "before"))
    #expect(Defaults[key] == Device(name: "old"))
    let optional = Defaults.Key<Device?>("now", suite: suite, .renamed(from: "before"))
    #expect(Defaults[optional] == Device(name: "old"))
  }
}
