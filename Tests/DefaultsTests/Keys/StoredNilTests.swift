import Defaults
import Testing

@Suite("Stored nil values")
struct StoredNilTests {
  @Test("A stored nil differs from an unset value")
  func explicitNil() throws {
    let suite = Defaults.MemorySuite()
    let key = Defaults.Key<String?>("name", default: "Bo", coding: .storingNil(), suite: suite)
    #expect(Defaults[key] == "Bo")
    Defaults[key] = nil
    #expect(Defaults[key] == nil)
    #expect(suite.entries == ["name": []])
    #expect(suite.contains(key))
    Defaults[key] = "Al"
    #expect(suite.entries == ["name": "Al"])
    Defaults[key] = nil
    key.reset()
    #expect(Defaults[key] == "Bo")
  }

  @Test("An array differs from a stored nil and is read if stored without storingNil")
  func arrays() throws {
    let suite = Defaults.MemorySuite(["numbers": [1, 2]])
    let key = Defaults.Key<[Int]?>("numbers", default: [0], coding: .storingNil(), suite: suite)
    #expect(Defaults[key] == [1, 2])
    for value in [nil, [], [1], [1, 2]] as [[Int]?] {
      Defaults[key] = value
      #expect(Defaults[key] == value)
      #expect(try suite.value(for: key) == value)
    }
    #expect(suite.entries == ["numbers": [[1, 2]]])
  }

  @Test("With a nil default, keys and properties return nil, whether set or not")
  func withoutDefault() {
    let suite = Defaults.MemorySuite()
    let key = Defaults.Key<String?>("name", default: nil, coding: .storingNil(), suite: suite)
    #expect(Defaults[key] == nil)
    #expect(!suite.contains(key))
    Defaults[key] = nil
    #expect(suite.entries == ["name": []])
    let nested = Nested(suite: suite)
    #expect(nested.lists == nil)
    nested.lists = [["x"]]
    #expect(nested.lists == [["x"]])
    #expect(suite.entry(named: "lists") == [[["x"]]])
  }

  private struct Nested: Defaults.Schema {
    @Stored(coding: .storingNil()) var lists: [[String]]? = nil
  }

  @Test("An array that was stored before the key used storingNil is read unchanged")
  func earlierArrays() throws {
    let suite = Defaults.MemorySuite(["lists": [["x"]]])
    let settings = Nested(suite: suite)
    #expect(try suite.value(for: settings.$lists) == [["x"]])
    suite.set([["x"], ["y"]] as Defaults.PropertyListValue, forKey: "lists")
    #expect(settings.lists == [["x"], ["y"]])
  }

  @Test("Any coding can store nil")
  func codings() throws {
    let suite = Defaults.MemorySuite()
    let key = Defaults.Key<[String: Int]?>(
      "x", default: ["a": 1], coding: .storingNil(.json), suite: suite)
    Defaults[key] = nil
    #expect(Defaults[key] == nil)
    Defaults[key] = ["b": 2]
    #expect(Defaults[key] == ["b": 2])
    #expect(suite.string(forKey: "x") == #"{"b":2}"#)
  }
}
