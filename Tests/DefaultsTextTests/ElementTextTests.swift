import Defaults
import DefaultsText
import Foundation
import TestSupport
import Testing

@Suite("Elements of collections as text")
struct ElementTextTests {
  private let suite = Defaults.MemorySuite()

  /// The entry after a change of elements by their texts, starting from an entry.
  private func entry(
    _ change: Defaults.ElementChange, _ texts: [String], of key: Defaults.AnyKey,
    in entry: Defaults.PropertyListValue
  ) throws -> Defaults.PropertyListValue? {
    try key.edit(ofElements: texts, change, of: entry, in: suite).entry
  }

  private static let id = "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"

  /// Keys of sets, each with a stored element and another spelling of the same element.
  private var keys: [(key: Defaults.AnyKey, stored: String, text: String)] {
    [
      (Defaults.Key("ids", default: Set<UUID>(), suite: suite), Self.id, Self.id.lowercased()),
      (Defaults.Key("sums", default: Set<Decimal>(), suite: suite), "5", "5.0"),
      (
        Defaults.Key("days", default: [], coding: .set(of: .iso8601), suite: suite),
        "1970-01-01T00:00:00Z", "1970-01-01 01:00:00+01:00"
      ),
      (
        Defaults.Key(
          "flags", default: [], coding: .set(of: .text(true: "yes", false: "no")), suite: suite),
        "yes", "YES"
      ),
    ]
  }

  @Test("An element is added to a set only if it isn't there in another spelling")
  func adding() throws {
    for (key, stored, text) in keys {
      let entry = Defaults.PropertyListValue.array([.string(stored)])
      #expect(try self.entry(.adding, [text], of: key, in: entry) == entry, "\(key.name)")
      #expect(try self.entry(.adding, [text, stored], of: key, in: []) == entry, "\(key.name)")
      #expect(try self.entry(.replacing, [text, stored], of: key, in: []) == entry, "\(key.name)")
    }
  }

  @Test("An element is removed by any of its spellings")
  func removing() throws {
    for (key, stored, text) in keys {
      let entry = Defaults.PropertyListValue.array([.string(stored)])
      #expect(try self.entry(.removing, [text], of: key, in: entry) == [], "\(key.name)")
      #expect(throws: Defaults.SuiteError.self) {
        try self.entry(.removing, [text], of: key, in: [])
      }
    }
    let list = Defaults.Key("list", default: [UUID()], suite: suite, .count(1...))
    let other = UUID().uuidString
    #expect(
      try entry(
        .removing, [Self.id.lowercased()], of: list,
        in: [.string(Self.id), .string(other), .string(Self.id)]) == [.string(other)])
  }

  @Test("The text of a set may have an element in several spellings")
  func wholeSet() throws {
    for (key, stored, text) in keys {
      try key.set(text: "\(text), \(stored),\(text)")
      #expect(suite.entry(named: key.name) == [.string(stored)], "\(key.name)")
    }
  }

  @Test("The bounds of a range, and an array that is stored beside nil, are set one by one")
  func wholes() throws {
    let range = Defaults.Key("range", default: 0..<1, suite: suite)
    #expect(try entry(.replacing, ["2", "5"], of: range, in: [0, 1]) == [2, 5])
    let ids = Defaults.Key<[UUID]?>("ids", default: [], coding: .storingNil(), suite: suite)
    #expect(
      try entry(.replacing, [Self.id.lowercased()], of: ids, in: []) == [[.string(Self.id)]])
  }
}
