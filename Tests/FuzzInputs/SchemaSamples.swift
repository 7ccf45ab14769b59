import Defaults
import Foundation

/// Keys with rules, and valid and invalid entries for them. The library and a JSON Schema validator
/// must agree on each.
package struct SchemaSample: Sendable {
  package let key: Defaults.AnyKey
  /// Makes an entry like those in an export.
  private let make: @Sendable (inout SplitMix64) -> Defaults.PropertyListValue
  private let reads: @Sendable (Defaults.MemorySuite) -> Bool

  init<Value: Defaults.Serializable>(
    _ key: Defaults.Key<Value>,
    _ make: @escaping @Sendable (inout SplitMix64) -> Defaults.PropertyListValue
  ) {
    self.key = key
    self.make = make
    reads = { (try? $0.value(for: key)) != nil }
  }

  /// An export with a generated entry, in one line, and whether the library accepts the entry.
  package func tryOne(_ generator: inout SplitMix64) throws -> (json: String, isAllowed: Bool) {
    let suite = Defaults.MemorySuite([key.name: make(&generator)])
    return (try suite.exportString(as: .compactJSON), reads(suite))
  }

  package static let all: [SchemaSample] = numbers + texts + collections

  private static let home = Defaults.MemorySuite()

  private static func key<Value: Defaults.Serializable>(
    _ name: String, _ value: Value, _ one: Defaults.Trait<Value>,
    _ other: Defaults.Trait<Value> = .about("")
  ) -> Defaults.Key<Value> {
    Defaults.Key(name, default: value, suite: home, one, other)
  }

  @Sendable private static func integer(
    _ generator: inout SplitMix64
  ) -> Defaults.PropertyListValue {
    switch generator.below(10) {
    case 0: .real(Double(generator.below(40)) / 2)
    case 1: generator.pick([true, "5", [], .real(1e9), .real(.nan)])
    default: .integer(Int64(generator.below(40)) - 15)
    }
  }

  @Sendable private static func wide(_ generator: inout SplitMix64) -> Defaults.PropertyListValue {
    Defaults.PropertyListValue(
      exactly: Int128(truncatingIfNeeded: Int64(bitPattern: generator.next()))
        >> generator.below(60)) ?? 0
  }

  @Sendable private static func real(_ generator: inout SplitMix64) -> Defaults.PropertyListValue {
    switch generator.below(10) {
    case 0: .real(generator.pick([.infinity, -.infinity, .nan, -0.0, 0, 1, 10, 0.5]))
    case 1: .integer(Int64(generator.below(14)) - 2)
    case 2: generator.pick([false, "0.5", ["x": 1]])
    default: .real(Double(generator.below(300)) / 20 - 2)
    }
  }

  private static let numbers: [SchemaSample] = [
    SchemaSample(key("closed", 5, .in(0...11)), integer),
    SchemaSample(key("from", 5, .in(1...)), integer),
    SchemaSample(key("below", 3, .in(..<5), .in((-3)...)), integer),
    SchemaSample(key("one of four", 1, .choices([1, 2, 4, 8])), integer),
    SchemaSample(key("byte", UInt8(0), .about("no rule but the type's")), integer),
    SchemaSample(key("wide", 0, .about("no rule")), wide),
    SchemaSample(key("wide and positive", 0, .in(0...)), wide),
    SchemaSample(key("wide, not positive", Int64(0), .in(...0)), wide),
    SchemaSample(key("unit", 0.5, .in(0...1)), real),
    SchemaSample(key("half", 0.5, .in(0.5...)), real),
    SchemaSample(key("ten", 0.5, .in(..<10)), real),
    SchemaSample(key("any real", 0.5, .about("no rule")), real),
    SchemaSample(Defaults.Key<Int?>("port", suite: home, .in(1...9)), integer),
  ]

  @Sendable private static func text(_ generator: inout SplitMix64) -> Defaults.PropertyListValue {
    if generator.oneIn(20) { return generator.pick([5, true, .real(0.5), [], ["a"], [:]]) }
    let parts = [
      "a", "b", "z", "A", "é", "e\u{301}", "\n", "\r", " ", "😀", "\u{2028}", "$", "5", "-",
    ]
    return .string((0..<generator.below(7)).map { _ in generator.pick(parts) }.joined())
  }

  private static let texts: [SchemaSample] = [
    SchemaSample(key("letters", "a", .matching("[a-z]+")), text),
    SchemaSample(key("with dots", "a", .matching(#"^a?.b*(?:z|\$|-5).?|a$"#)), text),
    SchemaSample(key("none of", "z", .matching(#"[^a-y\-]{0,3}"#)), text),
    SchemaSample(key("short", "a", .count(1...4), .matching(".*")), text),
    SchemaSample(key("long", "abc", .count(3...)), text),
    SchemaSample(key("chosen", "a", .choices(["a", "b", "ab", ""])), text),
    SchemaSample(key("season", Season.spring, .about("an enum"))) { generator in
      .string(generator.pick(["spring", "summer", "autumn", "winter", "the cold, \"white\" one"]))
    },
  ]

  private static func array(
    _ make: @escaping @Sendable (inout SplitMix64) -> Defaults.PropertyListValue
  ) -> @Sendable (inout SplitMix64) -> Defaults.PropertyListValue {
    { generator in .array((0..<generator.below(4)).map { _ in make(&generator) }) }
  }

  @Sendable private static func digit(_ generator: inout SplitMix64) -> Defaults.PropertyListValue {
    generator.oneIn(12) ? integer(&generator) : .integer(Int64(generator.below(10)))
  }

  private static let collections: [SchemaSample] = [
    SchemaSample(key("digits", [1], .each(.in(0...9)), .count(1...2)), array(digit)),
    SchemaSample(key("words", ["a"], .each(.count(...3)), .count(...2)), array(text)),
    SchemaSample(key("set", Set([1]), .count(...2), .each(.in(0...9))), array(digit)),
    SchemaSample(key("map", ["a": 1], .each(.in(0...8)), .count(1...2))) { generator in
      .dictionary(
        Dictionary(
          (0..<generator.below(4)).map {
            ("\($0.isMultiple(of: 2) ? "$" : "")\($0)", digit(&generator))
          }
        ) { one, _ in one })
    },
    SchemaSample(
      key("grid", [[1]], .each(.each(.in(0...9))), .each(.count(...2))), array(array(digit))),
    SchemaSample(key("gaps", [Int?.none], .count(...2)), array(array(digit))),
    SchemaSample(key("on", true, .about("a bool"))) {
      $0.pick([true, false, "true", [], .real(0.5)])
    },
    SchemaSample(key("since", Date.distantPast, .about("a date"))) { generator in
      generator.oneIn(3)
        ? .string("2026-11-21T13:00:00Z")
        : .date(Date(timeIntervalSinceReferenceDate: Double(generator.below(1_000_000_000))))
    },
  ]
}
