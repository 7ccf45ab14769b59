import Defaults
import Foundation
import TestSupport
import Testing

@Suite("Bridges of Foundation types")
struct FoundationBridgeTests {
  typealias Stored = Defaults.PropertyListValue

  static let someURLs = [
    "https://example.com/a%20b?c=d#e", "relative/path", "file:///tmp/%C3%A9", "mailto:a@b.c",
    "http://[::1]:80/", "?query", "#fragment", "//host/path", "data:,x",
  ]

  @Test("A URL is stored as its string", arguments: someURLs)
  func urls(_ string: String) throws {
    let url = try #require(URL(string: string))
    #expect(try Stored(encoding: url) == .string(string))
    #expect(try roundTrip(url) == url)
  }

  @Test("A URL with a base is read back with its base")
  func relativeURL() throws {
    let base = try #require(URL(string: "http://example.com/a/b"))
    let url = try #require(URL(string: "c?d", relativeTo: base))
    #expect(try Stored(encoding: url) == ["c?d", "http://example.com/a/b"])
    let copy = try roundTrip(url)
    #expect(copy == url)
    #expect(copy.baseURL == base)
    #expect(copy.relativeString == "c?d")
    let file = URL(fileURLWithPath: "some file é")
    #expect(try roundTrip(file) == file)
  }

  @Test("A string that isn't a URL is rejected, not corrected")
  func strictURLs() throws {
    for text in ["", "a b", "http://[::1", "a\0b", "http://é.com/é"] {
      expectRefusal(URL.self, .string(text), "\"\(escaped(text))\" isn't a URL")
      expectRefusal(URL.self, [.string(text), "http://a.b"], "\"\(escaped(text))\" isn't a URL")
      expectRefusal(URL.self, ["a", .string(text)], "\"\(escaped(text))\" isn't a URL")
    }
    expectRefusal(URL.self, 5, "it is an integer, and the string of a URL was expected")
    for parts: Stored in [[], ["a"], ["a", 5], ["a", "b", "c"]] {
      expectRefusal(
        URL.self, parts, "a URL with a base was expected, as an array of two strings")
    }
  }

  @Test("A UUID is stored as a string and read in either letter case")
  func uuids() throws {
    let uuid = UUID()
    #expect(try Stored(encoding: uuid) == .string(uuid.uuidString))
    #expect(try roundTrip(uuid) == uuid)
    #expect(try Stored.string(uuid.uuidString.lowercased()).decoded() == uuid)
    for text in ["", "x", uuid.uuidString + "0", uuid.uuidString + "\0x", "{\(uuid.uuidString)}"] {
      expectRefusal(UUID.self, .string(text), "\"\(escaped(text))\" isn't a UUID")
    }
    expectRefusal(UUID.self, 5, "it is an integer, and the string of a UUID was expected")
  }

  @Test("A NaN date is neither written nor read, because no date equals, precedes or follows it")
  func dates() throws {
    let date = Date(timeIntervalSinceReferenceDate: -0.1)
    #expect(try roundTrip(date) == date)
    let nan = Date(timeIntervalSinceReferenceDate: .nan)
    let reason = "the date is NaN, which isn't an instant"
    expectRefusal(Date.self, .date(nan), reason)
    expectRefusal([Date].self, [.date(nan)], "[0]: \(reason)")
    expect(.standard, refusesToWrite: nan, reason)
  }

  static let someDecimals: [Decimal] = [
    0, 1, -1, .greatestFiniteMagnitude, -.greatestFiniteMagnitude, .leastNonzeroMagnitude, .pi,
    Decimal(sign: .minus, exponent: -2, significand: 110), Decimal(string: "0.1") ?? 0,
    Decimal(string: "340282366920938463463374607431768211455e-60") ?? 0,
  ]

  @Test("A Decimal is read back exactly", arguments: someDecimals)
  func decimals(_ value: Decimal) throws {
    #expect(try roundTrip(value) == value)
  }

  @Test("A Decimal NaN is read back, and a Decimal is read from integers and text")
  func specialDecimals() throws {
    #expect(try roundTrip(Decimal.nan).isNaN)
    #expect(try Stored(encoding: Decimal.nan) == "NaN")
    #expect(try Stored.unsignedInteger(.max).decoded(as: Decimal.self) == Decimal(UInt64.max))
    #expect(try Stored("007.50").decoded(as: Decimal.self) == Decimal(string: "7.5"))
    #expect(try Stored("-0.0").decoded(as: Decimal.self) == 0)
  }

  @Test(
    "Text that isn't a decimal number from start to end is rejected",
    arguments: [
      "", "12abc", " 1", "1 ", "1,5", "1.", ".5", "+1", "--1", "1e5", "0x10", "nan", "-", "١",
      "1.2.3",
      String(repeating: "1", count: 60), "0." + String(repeating: "1", count: 60),
      "1" + String(repeating: "0", count: 500),
    ])
  func strictDecimals(_ text: String) {
    expectRefusal(Decimal.self, .string(text), "\"\(text)\" isn't exactly representable as Decimal")
  }

  @Test("A Decimal isn't read from a real")
  func realDecimal() {
    expectRefusal(
      Decimal.self, 0.1,
      "it is a real, and the string of a decimal number was expected; in JSON, write \"1.5\"")
  }
}
