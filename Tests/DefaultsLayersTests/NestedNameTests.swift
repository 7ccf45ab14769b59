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

  @Test("If a dictionary is itself a setting, a setting within it is ambiguous and has no entry")
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

  @Test("Nesting and flattening random entries gives the same entries")
  func roundTrip() throws {
    var random = SplitMix64(state: 0)
    // A sample: `StressTests` tries 50,000, and 3,750 with `--short`.
    for _ in 0..<500 { #expect(try NestingSample.tryRoundTrip(&random) == nil) }
  }
}
