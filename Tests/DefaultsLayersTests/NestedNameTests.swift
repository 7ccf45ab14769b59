import Defaults
import DefaultsLayers
import Foundation
import FuzzInputs
import TestSupport
import Testing

@Suite("Nested names")
struct NestedNameTests {
  typealias Entries = [String: Defaults.PropertyListValue]

  private func names(_ names: String...) -> Defaults.DeclaredNames {
    Defaults.DeclaredNames(
      names.map { Defaults.Key<Int>($0, default: 0, suite: Defaults.MemorySuite()) })
  }

  @Test("Members of a group get full names, and a dictionary that is a setting stays whole")
  func flattening() {
    let names = names("limits.requests", "limits.burst.size", "colors")
    let entries: Entries = [
      "limits": ["requests": 60, "burst": ["size": 5, "sise": 6]], "colors": ["red": 1],
      "limits.burst": ["speed": 1], "other": ["requests": 1],
    ]
    #expect(
      names.flattened(entries).entries == [
        "limits.requests": 60, "limits.burst.size": 5, "limits.burst.sise": 6,
        "limits.burst.speed": 1, "colors": ["red": 1], "other": ["requests": 1],
      ])
    #expect(names.flattened(entries).ambiguities.isEmpty)
  }

  @Test("A full name has precedence over a nested one, and a longer group over a shorter one")
  func precedence() {
    let names = names("a.b.c")
    let ways: [Entries] = [
      ["a.b.c": 1, "a.b": ["c": 2], "a": ["b.c": 3, "b": ["c": 4]]],
      ["a.b": ["c": 2], "a": ["b.c": 3, "b": ["c": 4]]],
      ["a": ["b.c": 3, "b": ["c": 4]]], ["a": ["b": ["c": 4]]],
    ]
    for (index, entries) in ways.enumerated() {
      let (flat, ambiguities) = names.flattened(entries)
      #expect(flat == ["a.b.c": .integer(Int64(index + 1))])
      #expect(ambiguities.isEmpty == (index == 3))
    }
  }

  @Test("A setting in the dictionary of another setting is ambiguous and has no entry")
  func dictionarySetting() {
    let (flat, ambiguities) = names("limits", "limits.requests")
      .flattened(["limits": ["requests": 60]])
    #expect(flat == ["limits": ["requests": 60]])
    #expect(ambiguities["limits.requests"]?.contains("write the full name") == true)
  }

  @Test("A dotted name is nested unless a part is empty, or a prefix is itself a setting or entry")
  func nesting() {
    let names = names("limits.requests", "limits.burst.size", "a", "a.b", "c.d", ".e", "f..g", "h.")
    let entries: Entries = [
      "limits.requests": 60, "limits.burst.size": 5, "a": 1, "a.b": 2, "c": 3, "c.d": 4, ".e": 5,
      "f..g": 6, "h.": 7, "x.y": 8,
    ]
    let nested = names.nested(entries)
    #expect(
      nested == [
        "limits": ["requests": 60, "burst": ["size": 5]], "a": 1, "a.b": 2, "c": 3, "c.d": 4,
        ".e": 5, "f..g": 6, "h.": 7, "x.y": 8,
      ])
    #expect(names.flattened(nested).entries == entries)
  }

  @Test("An entry that would have too many levels when nested keeps its full name")
  func depth() throws {
    var value: Defaults.PropertyListValue = 1
    for _ in 0..<Defaults.PropertyListValue.maximumDepth - 1 { value = .array([value]) }
    let entries: Entries = ["a.b": value, "a.c": 1]
    let nested = names("a.b", "a.c").nested(entries)
    #expect(nested == ["a.b": value, "a": ["c": 1]])
    _ = try Defaults.JSONFormat().encode(nested)
  }

  @Test("Nesting and flattening random entries gives the same entries", arguments: 0..<8)
  func roundTrip(seed: UInt64) throws {
    var random = SplitMix64(state: seed)
    let parts = ["a", "b", "c", "", "a.b", "$a", "é", "e\u{301}", "\u{301}", ".", "🇩🇪"]
    func name() -> String {
      let name = (0..<Int.random(in: 1...4, using: &random)).map { _ in
        parts.randomElement(using: &random) ?? ""
      }
      .joined(separator: ".")
      return name.isEmpty ? "z" : name
    }
    func value(_ levels: Int = 3) -> Defaults.PropertyListValue {
      guard levels > 0, Bool.random(using: &random) else {
        return .integer(.random(in: 0...9, using: &random))
      }
      var members: Entries = [:]
      for _ in 0..<Int.random(in: 0...3, using: &random) { members[name()] = value(levels - 1) }
      return .dictionary(members)
    }
    for _ in 0..<500 {
      let keys = (0..<Int.random(in: 0...6, using: &random)).map { _ in
        Defaults.Key<Int>(name(), default: 0, suite: Defaults.MemorySuite())
      }
      let names = Defaults.DeclaredNames(keys)
      var entries: Entries = [:]
      // Entries that a suite can have: any under the names of settings, and some others.
      for key in keys where Bool.random(using: &random) { entries[key.name] = value() }
      for _ in 0..<Int.random(in: 0...2, using: &random) { entries[name()] = value(1) }
      let nested = names.nested(entries)
      let flat = names.flattened(entries).entries
      #expect(names.flattened(nested).entries == flat)
      #expect(names.flattened(flat).entries == flat)
      let read = try Defaults.JSONFormat().decode(try Defaults.JSONFormat().encode(nested))
      #expect(names.flattened(read).entries == flat)
      // A layer reads the same entries as an import.
      for key in keys where names.flattened(nested).ambiguities[key.name] == nil {
        #expect(names.entry(of: key.name, in: nested) == flat[key.name])
      }
    }
  }
}
