import Defaults
import Foundation
import TestSupport
import Testing

@Suite("Access by name")
struct UntypedAccessTests {
  let suite = Defaults.MemorySuite()

  // MARK: Reading

  @Test("Access by name returns the unchanged entry, the default or nil")
  func object() {
    #expect(suite.object(forKey: "x") == nil)
    suite.register(defaults: ["x": ["a": [1, 2.5, true]]])
    #expect(suite.object(forKey: "x") == ["a": [1, 2.5, true]])
    suite.set("text", forKey: "x")
    #expect(suite.object(forKey: "x") == "text")
  }

  @Test("Registered defaults are converted like entries")
  func convertedDefaults() {
    suite.register(defaults: ["number": "5", "flag": 1, "path": "/tmp/x"])
    #expect(suite.integer(forKey: "number") == 5)
    #expect(suite.bool(forKey: "flag"))
    #expect(suite.url(forKey: "path") == URL(filePath: "/tmp/x"))
  }

  @Test("Dates, arrays and dictionaries are returned only from entries of these types")
  func collections() {
    let date = Date(timeIntervalSinceReferenceDate: 1.5)
    suite.set(date, forKey: "date")
    suite.set(["a", "b"], forKey: "strings")
    suite.set([1, "b"] as Defaults.PropertyListValue, forKey: "mixed")
    suite.set(["a": 1], forKey: "dictionary")
    #expect(suite.date(forKey: "date") == date)
    #expect(suite.date(forKey: "strings") == nil)
    #expect(suite.array(forKey: "strings") as? [String] == ["a", "b"])
    #expect(suite.stringArray(forKey: "strings") == ["a", "b"])
    #expect(suite.array(forKey: "mixed")?.count == 2)
    #expect(suite.array(forKey: "dictionary") == nil)
    #expect(suite.stringArray(forKey: "mixed") == nil)
    #expect(suite.dictionary(forKey: "dictionary") as? [String: Int] == ["a": 1])
    #expect(suite.dictionary(forKey: "mixed") == nil)
    #expect(suite.string(forKey: "date") == nil)
  }

  @Test("Arrays and dictionaries can be cast to the same types as Foundation's")
  func casts() {
    suite.set([1, 2], forKey: "integers")
    suite.set([0.5, 2], forKey: "reals")
    suite.set([true, false], forKey: "bools")
    suite.set([UInt64.max], forKey: "large")
    suite.set(["a": ["b": [1]]], forKey: "nested")
    suite.set(["a": [1, "x"]] as Defaults.PropertyListValue, forKey: "mixed")
    suite.set(["a": Data([1])], forKey: "data")
    #expect(suite.array(forKey: "integers") as? [Int] == [1, 2])
    #expect(suite.array(forKey: "integers") as? [Double] == [1, 2])
    #expect(suite.array(forKey: "integers") as? [String] == nil)
    #expect(suite.array(forKey: "reals") as? [Double] == [0.5, 2])
    #expect(suite.array(forKey: "reals") as? [Int] == nil)
    #expect(suite.array(forKey: "bools") as? [Bool] == [true, false])
    #expect(suite.array(forKey: "large") as? [UInt64] == [.max])
    #expect(suite.dictionary(forKey: "nested") as? [String: [String: [Int]]] == ["a": ["b": [1]]])
    #expect((suite.dictionary(forKey: "mixed")?["a"] as? [Any])?.last as? String == "x")
    #expect(suite.dictionary(forKey: "data") as? [String: Data] == ["a": Data([1])])
  }

  @Test("Reading a float by name rounds the stored double")
  func float() {
    suite.set(0.1, forKey: "x")
    #expect(suite.float(forKey: "x") == 0.1 as Float)
    suite.set(1e300, forKey: "x")
    #expect(suite.float(forKey: "x") == .infinity)
  }

  @Test(
    "A string is read as a URL of an absolute path, a home path or the web",
    arguments: [
      ("/tmp/a b", URL(filePath: "/tmp/a b")),
      ("~/x", URL(filePath: NSString(string: "~/x").expandingTildeInPath)),
      ("https://example.com/a?b=c#d", URL(string: "https://example.com/a?b=c#d")),
      ("mailto:a@b.c", URL(string: "mailto:a@b.c")),
    ])
  func urls(text: String, url: URL?) {
    suite.set(text, forKey: "x")
    #expect(suite.url(forKey: "x") == url)
    #expect(suite.url(forKey: "x") != nil)
  }

  @Test(
    "A URL set by name is read back", arguments: ["file:///tmp/a%20b", "https://example.com/a"])
  func urlRoundTrip(text: String) throws {
    let url = try #require(URL(string: text))
    suite.set(url, forKey: "x")
    #expect(suite.url(forKey: "x") == url)
  }

  // MARK: Writing

  @Test("A value of any type with a bridge can be set by name, and nil removes it")
  func set() {
    suite.set(1, forKey: "int")
    suite.set(1.5, forKey: "double")
    suite.set(true, forKey: "bool")
    suite.set("a", forKey: "string")
    suite.set([1: ["a"]], forKey: "nested")
    suite.set(Defaults.PropertyListValue.dictionary([:]), forKey: "raw")
    suite.set(2 as Int?, forKey: "optional")
    #expect(
      suite.dictionaryRepresentation() == [
        "int": 1, "double": 1.5, "bool": true, "string": "a", "nested": ["1": ["a"]], "raw": [:],
        "optional": 2,
      ])
    suite.set(Int?.none, forKey: "optional")
    suite.set(nil, forKey: "int")
    suite.removeObject(forKey: "double")
    suite.removeObject(forKey: "missing")
    #expect(suite.names == ["bool", "string", "nested", "raw"])
  }

  @Test("Setting an invalid value by name keeps the entry and reports an issue with the name")
  func refusedValues() {
    let issues = IssueLog()
    let suite = Defaults.MemorySuite(["x": 1]) { issues.append($0) }
    let tooDeep = (0...Defaults.PropertyListValue.maximumDepth)
      .reduce(Defaults.PropertyListValue.integer(1)) { value, _ in [value] }
    suite.set(tooDeep, forKey: "x")
    suite.set([nil] as Defaults.AnySerializable, forKey: "x")
    #expect(suite.integer(forKey: "x") == 1)
    #expect(issues.codes == [.unrepresentable, .unencodable])
    #expect(issues.all.allSatisfy { $0.key == "x" && $0.suite == "memory" })
  }

  @Test("Setting an entry by name changes the value of keys and notifies their observers")
  func namesAndKeys() {
    let key = Defaults.Key("x", default: 0, suite: suite)
    let seen = Log<Int>()
    let observation = Defaults.observe(key) { seen.append($0.newValue) }
    suite.set(1, forKey: "x")
    #expect(Defaults[key] == 1)
    suite.removeObject(forKey: "x")
    #expect(Defaults[key] == 0)
    #expect(seen.all == [0, 1, 0])
    observation.invalidate()
  }

  @Test("The dictionary of a suite has entries and defaults, and entries have precedence")
  func dictionaryRepresentation() {
    _ = Defaults.Key("key", default: 1, suite: suite)
    _ = Defaults.Key("both", default: 1, suite: suite)
    suite.register(defaults: ["registered": 2, "both": 2, "all": 2])
    suite.set(3, forKey: "all")
    suite.set(3, forKey: "entry")
    #expect(
      suite.dictionaryRepresentation()
        == ["key": 1, "both": 2, "registered": 2, "all": 3, "entry": 3])
  }
}
