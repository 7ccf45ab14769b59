import Defaults
import Foundation

/// A value, or the name of an entry, that some stores don't restore exactly.
package struct ExactValue: Sendable {
  package let name: String
  package let entry: Defaults.PropertyListValue

  init(_ name: String, _ entry: Defaults.PropertyListValue) {
    self.name = name
    self.entry = entry
  }

  package static let all = ofValues + ofNames

  /// Entries with different kinds of values.
  static let ofValues: [Self] = [
    Self("true", true), Self("false", false),
    Self("0", 0), Self("1", 1), Self("-1", -1),
    Self("Int64.min", .integer(.min)), Self("Int64.max", .integer(.max)),
    Self("UInt64.max", .unsignedInteger(.max)),
    Self("1.0", 1.0), Self("0.1", 0.1), Self("-0.0", -0.0),
    Self("least subnormal", .real(.leastNonzeroMagnitude)),
    Self("greatest real", .real(.greatestFiniteMagnitude)),
    Self("NaN", .real(.nan)), Self("infinity", .real(.infinity)),
    Self("-infinity", .real(-.infinity)),
    Self("date with a fraction", .date(Date(timeIntervalSinceReferenceDate: 1.123456789))),
    Self("whole date", .date(Date(timeIntervalSinceReferenceDate: 700_000_000))),
    Self("distant past", .date(.distantPast)), Self("distant future", .date(.distantFuture)),
    Self("empty string", ""), Self("spaces", " \t x \n "), Self("CR LF", "a\r\nb\rc"),
    Self("NUL", "a\u{0}b"), Self("control characters", "\u{1}\u{1f}\u{7f}\u{85}"),
    Self("markup", "<&>\"'"), Self("emoji", "👩‍👩‍👧‍👦🦄"), Self("NFC", "\u{e9}"),
    Self("NFD", "e\u{301}"), Self("noncharacter", "\u{fffe}\u{ffff}"),
    Self("huge string", .string(String(repeating: "0123456789", count: 100_000))),
    Self("empty data", .data(Data())), Self("data", .data(Data(0...255))),
    Self("empty array", []), Self("empty dictionary", [:]),
    Self("empty name", ["": 1]), Self("dots", ["a.b": ["c.d": [1, "2", 3.0, true]]]),
  ]

  /// Entries with unusual names and different values. A store with a file or a line for each entry
  /// confuses some of these names with each other, or can't have them.
  static let ofNames: [Self] = [
    "a", "A", "a/b", "A/b", "a%2Fb", "a=b", "a:b", "a.b", "a\nb", #"a\nb"#, "a\r\nb", "a\u{0}b",
    ".", "..", " a", "a ", "#a", "\"a\"", "[a]", "Theme", "theme", "gr\u{f6}\u{df}e", "👩‍👩‍👧‍👦",
    String(repeating: "long", count: 100),
  ].enumerated().map { Self($1, .integer(Int64($0))) }
}
