import Defaults
import Foundation
import Testing

@Suite("Access by name, beside UserDefaults")
struct UntypedAccessTests {
  let suite = Defaults.MemorySuite()

  // MARK: Beside Foundation

  @Test("What is stored reads the same from UserDefaults", arguments: Stored.alike)
  func sameAsFoundation(stored: Stored) throws {
    suite.set(stored.value, forKey: "x")
    let foundation = try Reading(ofFoundation: stored.value)
    #expect(Reading(in: suite) == foundation)
  }

  @Test("What is missing reads the same from UserDefaults")
  func missing() throws {
    let foundation = try Reading(ofFoundation: nil)
    #expect(Reading(in: suite) == foundation)
  }

  // Where the two differ, the value of this package is the more careful one; each row states both.

  @Test(
    "Numbers that an Int doesn't hold read as 0, where UserDefaults reads the least Int",
    arguments: [1e300, -1e300, .infinity, .nan])
  func hugeReals(value: Double) throws {
    suite.set(.real(value), forKey: "x")
    #expect(suite.integer(forKey: "x") == 0)
    #expect(try Reading(ofFoundation: .real(value)).integer == .min)
  }

  @Test("The greatest integers are kept, where UserDefaults on Linux loses them")
  func greatestIntegers() throws {
    suite.set(Int.max, forKey: "x")
    #expect(suite.integer(forKey: "x") == .max)
    #expect(suite.string(forKey: "x") == "9223372036854775807")
    suite.set(UInt64.max, forKey: "x")
    #expect(suite.object(forKey: "x") == .unsignedInteger(.max))
    #expect(suite.string(forKey: "x") == "18446744073709551615")
    #expect(suite.double(forKey: "x") == 0x1p64)
    #expect(suite.integer(forKey: "x") == 0)
    #if !canImport(Darwin)
      #expect(try Reading(ofFoundation: .integer(.max)).string == nil)
      #expect(try Reading(ofFoundation: .unsignedInteger(.max)).string == nil)
    #endif
  }

  @Test("Data gives no URL, where UserDefaults on Linux takes it for an archive and traps")
  func dataAsURL() {
    suite.set(Data([1, 2]), forKey: "x")
    #expect(suite.url(forKey: "x") == nil)
    #expect(suite.data(forKey: "x") == Data([1, 2]))
  }

  // MARK: Each accessor

  @Test("An object is the entry as it is, or the default, or nil")
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

  @Test("Dates, arrays and dictionaries are given as such, and else nil")
  func collections() {
    let date = Date(timeIntervalSinceReferenceDate: 1.5)
    suite.set(date, forKey: "date")
    suite.set(["a", "b"], forKey: "strings")
    suite.set([1, "b"] as Defaults.PropertyListValue, forKey: "mixed")
    suite.set(["a": 1], forKey: "dictionary")
    #expect(suite.date(forKey: "date") == date)
    #expect(suite.date(forKey: "strings") == nil)
    #expect(suite.array(forKey: "strings") == ["a", "b"])
    #expect(suite.stringArray(forKey: "strings") == ["a", "b"])
    #expect(suite.array(forKey: "mixed") == [1, "b"])
    #expect(suite.stringArray(forKey: "mixed") == nil)
    #expect(suite.dictionary(forKey: "dictionary") == ["a": 1])
    #expect(suite.dictionary(forKey: "mixed") == nil)
    #expect(suite.string(forKey: "date") == nil)
  }

  @Test("A float is the double rounded")
  func float() {
    suite.set(0.1, forKey: "x")
    #expect(suite.float(forKey: "x") == 0.1 as Float)
    suite.set(1e300, forKey: "x")
    #expect(suite.float(forKey: "x") == .infinity)
  }

  @Test(
    "A string gives a URL: of an absolute path, of one in the home folder, or of the web",
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
    "A URL that is set is got again", arguments: ["file:///tmp/a%20b", "https://example.com/a"])
  func urlRoundTrip(text: String) throws {
    let url = try #require(URL(string: text))
    suite.set(url, forKey: "x")
    #expect(suite.url(forKey: "x") == url)
  }

  // MARK: Writing

  @Test("Values of every type with a bridge can be set, nil removes")
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

  @Test("What can't be stored leaves the entry, and is an issue with the name")
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

  @Test("Writing by name changes what keys read, and tells their observers")
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

  @Test("The dictionary has entries and defaults, with an entry before a default")
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

/// A stored value, with a name for the list of tests.
struct Stored: Sendable, CustomTestStringConvertible {
  let value: Defaults.PropertyListValue
  var testDescription: String { "\(value)" }

  /// Values that the two libraries read alike.
  static let alike: [Stored] = [
    true, false, 0, 1, 5, -3, .integer(1 << 40), .integer(-1 << 40), .integer(1 << 53),
    0.0, 1.0, 0.5, 5.0, -2.75, 0.1,
    "", "5", "-7", "+7", "0", "1", "2", "01", "yes", "YES", "Yes", "true", "TRUE", "no", "false",
    "hello", "/tmp/a b", "~/x",
    .data(Data()), .data(Data([1, 2])), .date(Date(timeIntervalSinceReferenceDate: 5.5)),
    [], [1], ["a"], ["a", "b"], ["a", 1], [[1], ["a": 2]],
    [:], ["a": 1], ["a": ["b": [true]]],
  ].map(Stored.init)
}

/// All that can be read of one name, without the URL of what isn't a path: for that Foundation on
/// Linux takes every string for one, and traps for data.
private struct Reading: Equatable {
  var string: String?
  var integer: Int
  var double: Double
  var float: Float
  var bool: Bool
  var data: Data?
  var hasArray: Bool
  var count: Int?
  var stringArray: [String]?
  var names: Set<String>?
  var path: String?

  init(in suite: Defaults.MemorySuite) {
    string = suite.string(forKey: "x")
    integer = suite.integer(forKey: "x")
    double = suite.double(forKey: "x")
    float = suite.float(forKey: "x")
    bool = suite.bool(forKey: "x")
    data = suite.data(forKey: "x")
    hasArray = suite.array(forKey: "x") != nil
    count = suite.array(forKey: "x")?.count
    stringArray = suite.stringArray(forKey: "x")
    names = suite.dictionary(forKey: "x").map { Set($0.keys) }
    path = Self.isPath(string) ? suite.url(forKey: "x")?.path : nil
  }

  /// Nothing is stored on disk: Foundation on Linux doesn't write without being asked to.
  init(ofFoundation value: Defaults.PropertyListValue?) throws {
    let name = "DefaultsTests-\(UUID().uuidString)"
    let defaults = try #require(UserDefaults(suiteName: name))
    defer { defaults.removeObject(forKey: "x") }
    if let value { defaults.set(value.foundationObject, forKey: "x") }
    string = defaults.string(forKey: "x")
    integer = defaults.integer(forKey: "x")
    double = defaults.double(forKey: "x")
    float = defaults.float(forKey: "x")
    bool = defaults.bool(forKey: "x")
    data = defaults.data(forKey: "x")
    hasArray = defaults.array(forKey: "x") != nil
    count = defaults.array(forKey: "x")?.count
    stringArray = defaults.stringArray(forKey: "x")
    names = defaults.dictionary(forKey: "x").map { Set($0.keys) }
    path = Self.isPath(string) ? defaults.url(forKey: "x")?.path : nil
  }

  private static func isPath(_ string: String?) -> Bool {
    string.map { $0.hasPrefix("/") || $0.hasPrefix("~") } ?? false
  }
}

extension Defaults.PropertyListValue {
  fileprivate var foundationObject: Any {
    switch self {
    case .bool(let value): value
    case .integer(let value): Int(value)
    case .unsignedInteger(let value): value
    case .real(let value): value
    case .string(let value): value
    case .date(let value): value
    case .data(let value): value
    case .array(let elements): elements.map(\.foundationObject)
    case .dictionary(let elements): elements.mapValues(\.foundationObject)
    }
  }
}
