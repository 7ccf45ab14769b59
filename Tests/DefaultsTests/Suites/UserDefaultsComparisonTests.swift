import Defaults
import Foundation
import Harness
import Testing

@Suite("Access by name compared to UserDefaults")
struct UserDefaultsComparisonTests {
  let suite = Defaults.MemorySuite()

  @Test("Access by name reads an entry like UserDefaults", arguments: StoredSample.alike)
  func sameAsFoundation(stored: StoredSample) throws {
    suite.set(stored.value, forKey: "x")
    let foundation = try Reading(ofFoundation: stored.value)
    #expect(Reading(in: suite) == foundation)
  }

  @Test("Access by name reads a missing entry like UserDefaults")
  func missing() throws {
    let foundation = try Reading(ofFoundation: nil)
    #expect(Reading(in: suite) == foundation)
  }

  // Where the two differ, this package is more careful; each line has both values.

  @Test(
    "Access by name reads numbers beyond Int as 0; UserDefaults returns the least Int",
    arguments: [1e300, -1e300, .infinity, .nan])
  func hugeReals(value: Double) throws {
    suite.set(.real(value), forKey: "x")
    #expect(suite.integer(forKey: "x") == 0)
    #expect(try Reading(ofFoundation: .real(value)).integer == .min)
  }

  @Test("Access by name keeps the greatest integers; UserDefaults on Linux loses them")
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

  @Test(
    "Access by name reads a string as a number only as a whole; UserDefaults reads its start",
    arguments: [("5 apples", 5.0), ("2,5", 2.0)])
  func partialNumbers(text: String, beginning: Double) throws {
    suite.set(text, forKey: "x")
    let here = Reading(in: suite)
    #expect((here.integer, here.double, here.bool) == (0, 0, false))
    #if !canImport(Darwin)
      let foundation = try Reading(ofFoundation: .string(text))
      #expect((foundation.integer, foundation.double) == (Int(beginning), beginning))
    #endif
  }

  @Test("Access by name ignores space around numbers", arguments: [" 5 ", "\t5", "5\n"])
  func whiteSpace(text: String) throws {
    suite.set(text, forKey: "x")
    let here = Reading(in: suite)
    let foundation = try Reading(ofFoundation: .string(text))
    #expect((here.integer, here.double, here.bool) == (5, 5, true))
    #expect((foundation.integer, foundation.double) == (5, 5))
    suite.set(" yes\n", forKey: "x")
    #expect(suite.bool(forKey: "x"))
  }

  @Test("Access by name reads a string with a fraction as a double or as true, not as an integer")
  func fractionInString() throws {
    suite.set("5.5", forKey: "x")
    #expect(suite.double(forKey: "x") == 5.5)
    #expect(suite.bool(forKey: "x"))
    #expect(suite.integer(forKey: "x") == 0)
    #if !canImport(Darwin)
      #expect(try Reading(ofFoundation: "5.5").integer == 5)
    #endif
  }

  @Test(
    "Access by name doesn't read the letters y and t alone as true, unlike UserDefaults",
    arguments: ["y", "t", "Y"])
  func initials(text: String) throws {
    suite.set(text, forKey: "x")
    #expect(!suite.bool(forKey: "x"))
    #if !canImport(Darwin)
      #expect(try Reading(ofFoundation: .string(text)).bool)
    #endif
  }

  @Test("Access by name reads no URL from data; UserDefaults on Linux reads an archive and traps")
  func dataAsURL() {
    suite.set(Data([1, 2]), forKey: "x")
    #expect(suite.url(forKey: "x") == nil)
    #expect(suite.data(forKey: "x") == Data([1, 2]))
  }
}

/// A stored value, with a name for the list of tests.
struct StoredSample: Sendable, CustomTestStringConvertible {
  let value: Defaults.PropertyListValue
  var testDescription: String { "\(value)" }

  /// Values that both libraries read alike.
  static let alike: [StoredSample] = [
    true, false, 0, 1, 5, -3, .integer(1 << 40), .integer(-1 << 40), .integer(1 << 53),
    0.0, 1.0, 0.5, 5.0, -2.75, 0.1,
    "", "5", "-7", "+7", "0", "1", "2", "01", "yes", "YES", "Yes", "true", "TRUE", "no", "false",
    "hello", "/tmp/a b", "~/x",
    .data(Data()), .data(Data([1, 2])), .date(Date(timeIntervalSinceReferenceDate: 5.5)),
    [], [1], ["a"], ["a", "b"], ["a", 1], [[1], ["a": 2]],
    [:], ["a": 1], ["a": ["b": [true]]],
  ].map(StoredSample.init)
}

/// Everything that can be read for one name, except the URL of a string that isn't a path:
/// Foundation on Linux treats every string as a path and traps for data.
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

  init(in suite: some UntypedReading) {
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

  /// Nothing is written to disk: Foundation on Linux writes only on request.
  init(ofFoundation value: Defaults.PropertyListValue?) throws {
    let name = "DefaultsTests-\(UUID().uuidString)"
    let defaults = try #require(UserDefaults(suiteName: name))
    defer { defaults.removeObject(forKey: "x") }
    if let value { defaults.set(value.foundationObject, forKey: "x") }
    self.init(in: defaults)
  }

  private static func isPath(_ string: String?) -> Bool {
    string.map { $0.hasPrefix("/") || $0.hasPrefix("~") } ?? false
  }
}

/// The reading methods that a suite and `UserDefaults` share.
private protocol UntypedReading {
  func string(forKey name: String) -> String?
  func integer(forKey name: String) -> Int
  func double(forKey name: String) -> Double
  func float(forKey name: String) -> Float
  func bool(forKey name: String) -> Bool
  func data(forKey name: String) -> Data?
  func array(forKey name: String) -> [Any]?
  func stringArray(forKey name: String) -> [String]?
  func dictionary(forKey name: String) -> [String: Any]?
  func url(forKey name: String) -> URL?
}

extension Defaults.MemorySuite: UntypedReading {}
extension UserDefaults: UntypedReading {}
