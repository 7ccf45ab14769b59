import Defaults
import DefaultsSync
import Testing

extension SyncStateTests {
  @Test(
    "The merge rule `max` compares numbers and dates that are stored as text by their exact values",
    arguments: [
      ("10", "9"), ("-9", "-10"), (" 1e3 ", "999"), ("inf", "1"), (10, "9.5"),
      ("9007199254740993", 9_007_199_254_740_992), ("0.10000000000000000000001", "0.1"),
      ("-12345678901234567890.5", "-12345678901234567891"),
      ("340282366920938463463374607431768211455", "340282366920938463463374607431768211454"),
      ("2026-11-21T08:30:00Z", "2026-11-21T09:00:00+01:00"),
    ] as [(PropertyListValue, PropertyListValue)])
  mutating func greatestText(greatest: PropertyListValue, newest: PropertyListValue) {
    a.set("price", greatest)
    b.time += 1
    b.set("price", newest)
    b.take(a.file)
    #expect(b.value("price", .max) == greatest)
  }

  @Test(
    "If the merge rule `max` can't compare two values, the newest wins", arguments: ["x", "NaN"])
  mutating func incomparable(text: String) {
    a.set("price", "10")
    b.time += 1
    b.set("price", .string(text))
    b.take(a.file)
    #expect(b.value("price", .max) == .string(text))
  }

  @Test("A union has one of two elements whose strings are equal in Swift, the same on all devices")
  mutating func equalStrings() {
    a.set("tags", ["e\u{301}", "x", ["e\u{301}"]])
    b.set("tags", ["\u{e9}", ["\u{e9}"]])
    let (first, second) = (a.file, b.file)
    a.take(second)
    b.take(first)
    let expected: PropertyListValue = ["e\u{301}", "x", ["e\u{301}"]]
    #expect(a.value("tags", .union) == expected && b.value("tags", .union) == expected)
  }
}
