import Foundation
import Testing

@testable import Defaults

@Suite("Property lists of other programs")
struct PlistlibTests {
  typealias Format = Defaults.PropertyListFormat
  typealias Value = Defaults.PropertyListValue

  private static let shared: Value = [1, "shared", .data(Data("xyz".utf8))]

  private static let common: [String: Value] = [
    "true": true, "false": false, "zero": 0, "neg": -1, "i8": 127, "u8": 255, "i16": 40_000,
    "i32": 2_147_483_648, "i64max": .integer(.max), "i64min": .integer(.min),
    "u64": .unsignedInteger(.max), "u63": .unsignedInteger(1 << 63), "real": 0.1, "negzero": -0.0,
    "date": .date(Date(timeIntervalSince1970: 1_709_210_096)),
    "old": .date(Date(timeIntervalSince1970: -62_135_596_800)),
    "bytes": .data(Data([0, 1, 2, 255])), "no bytes": .data(Data()), "str": "plain", "empty": "",
    "unicode": "Straße 😀 e\u{301}", "long": .string(String(repeating: "x", count: 40)),
    "array": [], "dict": [:], "nested": [[1, [2, [3]]], ["a": ["b": "c"]]], "shared1": shared,
    "shared2": shared, "again": [shared, shared, "plain", "plain"],
  ]

  @Test("A binary file of Python's plistlib is read: every type, shared objects, wide references")
  func binary() throws {
    var expected = Self.common
    expected["inf"] = .real(.infinity)
    expected["fraction"] = .date(Date(timeIntervalSince1970: 1_709_210_096.5))
    expected["many"] = .dictionary(
      Dictionary(uniqueKeysWithValues: (0..<300).map { ("\($0)", .integer($0)) }))
    let decoded = try Format.decode(PlistlibFixtures.binary)
    #expect(decoded.entries == expected)
    #expect(decoded.format == .binary)
    #expect(try decoded.entries == Self.foundation(PlistlibFixtures.binary))
  }

  @Test("An XML file of Python's plistlib is read")
  func xml() throws {
    let decoded = try Format.decode(PlistlibFixtures.xml)
    #expect(decoded.entries == Self.common)
    #expect(decoded.format == .xml)
    #expect(try decoded.entries == Self.foundation(PlistlibFixtures.xml))
  }

  @Test("Foundation reads the same values that were written", arguments: [Format.binary, .xml])
  func foundationReads(format: Format) throws {
    var entries = Self.common
    if format == .xml { entries["negzero"] = nil }
    #expect(try Self.foundation(format.encode(entries)) == entries)
  }

  /// The entries that PropertyListSerialization reads.
  private static func foundation(_ data: Data) throws -> [String: Value] {
    let object = try PropertyListSerialization.propertyList(from: data, options: [], format: nil)
    guard case .dictionary(let entries) = try FoundationPropertyList.value(of: object)
    else { return [:] }
    return entries
  }
}
