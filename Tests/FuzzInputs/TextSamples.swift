import Defaults
import DefaultsText
import Foundation

/// A stored type and generated values of it, whose texts must restore the values exactly.
package struct TextSample: Sendable, CustomStringConvertible {
  /// The type, with its coding unless it is the default one.
  package let description: String
  /// Writes a generated value, sets another suite from its text, and returns the difference.
  package let tryOne: @Sendable (inout SplitMix64) -> String?

  init<Value: Sendable>(
    _ description: String, coding: Defaults.Coding<Value>, default value: Value,
    _ make: @escaping @Sendable (inout SplitMix64) -> Value
  ) {
    let (one, other) = (Defaults.MemorySuite(), Defaults.MemorySuite())
    let key = Defaults.Key<Value>("value", default: value, coding: coding, suite: one)
    self.description = description
    tryOne = { generator in
      let value = make(&generator)
      // A value that can't be stored has no text.
      guard (try? one.set(value, for: key)) != nil, let entry = one.entry(named: "value") else {
        return nil
      }
      guard let text = key.text else { return "\(entry) has no text" }
      do {
        try other.set(text: text, for: key)
      } catch {
        return "\(entry) has the text \(text.debugDescription), which is rejected: \(error)"
      }
      let copy = other.entry(named: "value")
      return copy == entry
        ? nil : "\(entry) has the text \(text.debugDescription), which is read as \(copy as Any)"
    }
  }

  init<Value: Defaults.Serializable>(
    _ value: Value, _ make: @escaping @Sendable (inout SplitMix64) -> Value
  ) {
    self.init("\(Value.self)", coding: .standard, default: value, make)
  }
}

extension TextSample {
  /// A sample for each kind of value that the library stores.
  package static let all: [TextSample] = numbers + texts + dates + collections + structures

  private static func integer<Value: FixedWidthInteger & Defaults.Serializable>(
    _: Value.Type
  ) -> TextSample {
    TextSample(Value(0)) { generator in
      switch generator.below(4) {
      case 0: [Value.min, Value.max, 0, 1].randomElement(using: &generator) ?? 0
      case 1: Value(truncatingIfNeeded: generator.below(200)) &- 100
      default: Value.random(in: .min ... .max, using: &generator)
      }
    }
  }

  @Sendable private static func real(_ generator: inout SplitMix64) -> Double {
    switch generator.below(4) {
    case 0: generator.pick([0, -0.0, .infinity, -.infinity, .nan, .leastNonzeroMagnitude, 0.1, 5])
    case 1: Double(generator.below(2_000)) / 8 - 100
    default: Double(bitPattern: generator.next())
    }
  }

  private static let numbers: [TextSample] = [
    TextSample(false) { $0.oneIn(2) },
    TextSample("Bool as .integer", coding: .integer, default: false) { $0.oneIn(2) },
    TextSample("Bool as YES", coding: .text(true: "YES", false: "NO"), default: false) {
      $0.oneIn(2)
    },
    integer(Int.self), integer(Int8.self), integer(Int16.self), integer(Int32.self),
    integer(Int64.self), integer(UInt.self), integer(UInt8.self), integer(UInt16.self),
    integer(UInt32.self), integer(UInt64.self), integer(Int128.self), integer(UInt128.self),
    TextSample("Int as .text", coding: .text, default: 0) { Int(truncatingIfNeeded: $0.next()) },
    TextSample(0.5, real),
    TextSample("Double as .text", coding: .text, default: 0.5, real),
    TextSample(Float(0)) { Float(bitPattern: UInt32(truncatingIfNeeded: $0.next())) },
    TextSample(CGFloat(0)) { CGFloat(real(&$0)) },
    TextSample(Decimal(0)) { generator in
      let value = Decimal(
        sign: generator.oneIn(2) ? .plus : .minus, exponent: generator.below(60) - 40,
        significand: Decimal(generator.next()))
      return generator.oneIn(50) ? .nan : value
    },
    TextSample(0..<1) { generator in
      let lower = generator.below(100) - 50
      return lower..<(lower + generator.below(100))
    },
    TextSample(0.0...1.0) { generator in
      let lower = Double(generator.below(100)) / 3
      return lower...(lower + Double(generator.below(100)))
    },
  ]

  /// Text with characters that are special in lists, numbers or JSON.
  @Sendable package static func text(_ generator: inout SplitMix64) -> String {
    let parts = [
      "a", "B", "ü", "e\u{301}", "\u{301}", ",", "\"", "\\", " ", "\n", "\r", "\t", "\r\n", "[",
      "]",
      "{", "}", "5", "-1", "true", "null", "\u{0}", "\u{2028}", "\u{1F468}\u{200D}\u{1F469}", "$",
      "\u{FEFF}", "=", "'", "\u{7F}", "\u{85}",
    ]
    return (0..<generator.below(6)).map { _ in generator.pick(parts) }.joined()
  }

  private static let texts: [TextSample] = [
    TextSample("", text),
    TextSample("String as .utf8", coding: .utf8, default: "", text),
    TextSample(Data(), data),
    TextSample("Data as .base64", coding: .base64, default: Data(), data),
    TextSample(UUID()) { generator in
      let (one, other) = (generator.next(), generator.next())
      return withUnsafeBytes(of: (one, other)) { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    },
    TextSample(URL(fileURLWithPath: "/")) { generator in
      let path = (0..<generator.below(5)).map { _ in
        generator.pick(["a", "%20", "/", "?", "=", "#x"])
      }
      .joined()
      let base = URL(string: "https://example.org/folder/")
      return URL(string: path, relativeTo: generator.oneIn(3) ? base : nil)
        ?? URL(fileURLWithPath: "/")
    },
    TextSample(Mode.fast) { $0.oneIn(2) ? .fast : .slow },
    TextSample(Level.low) { $0.oneIn(2) ? .low : .high },
    TextSample(Season.spring) { $0.pick(Season.allCases) },
    TextSample("Season as .json", coding: .json, default: Season.spring) {
      $0.pick(Season.allCases)
    },
    TextSample(Gear.first) { $0.pick(Gear.allCases) },
    TextSample(Direction.north) { $0.pick(Direction.allCases) },
  ]

  @Sendable private static func data(_ generator: inout SplitMix64) -> Data {
    Data((0..<generator.below(40)).map { _ in UInt8(truncatingIfNeeded: generator.next()) })
  }

  @Sendable private static func date(_ generator: inout SplitMix64) -> Date {
    switch generator.below(4) {
    case 0: Date(timeIntervalSinceReferenceDate: Double(generator.below(2_000_000_000)))
    case 1: Date(timeIntervalSinceReferenceDate: Double(generator.below(1_000_000_000)) / 7)
    case 2: generator.pick([.distantPast, .distantFuture, Date(timeIntervalSince1970: 0)])
    default: Date(timeIntervalSinceReferenceDate: Double(bitPattern: generator.next()))
    }
  }

  @Sendable private static func duration(_ generator: inout SplitMix64) -> Duration {
    switch generator.below(4) {
    case 0: .seconds(generator.below(200_000) - 100_000)
    case 1: .milliseconds(generator.below(20_000_000) - 10_000_000)
    case 2: .seconds(generator.pick([Int64.min, .max, 0, 1, -1]))
    default:
      Duration(
        secondsComponent: Int64(truncatingIfNeeded: generator.next()) >> generator.below(64),
        attosecondsComponent: Int64(generator.next() % 1_000_000_000_000_000_000))
    }
  }

  private static let dates: [TextSample] = [
    TextSample(Date.distantPast, date),
    TextSample("Date as .iso8601", coding: .iso8601, default: .distantPast, date),
    TextSample("Date as .timeInterval", coding: .timeInterval, default: .distantPast, date),
    TextSample(Duration.zero, duration),
  ]

  /// An array of up to four elements.
  private static func array<Element>(
    of make: @escaping @Sendable (inout SplitMix64) -> Element
  ) -> @Sendable (inout SplitMix64) -> [Element] {
    { generator in (0..<generator.below(5)).map { _ in make(&generator) } }
  }

  private static let collections: [TextSample] = [
    TextSample([String](), array(of: text)),
    TextSample([Int](), array { $0.below(100) - 50 }),
    TextSample([Bool](), array { $0.oneIn(2) }),
    TextSample([Double](), array(of: real)),
    TextSample([Date](), array(of: date)),
    TextSample([Duration](), array(of: duration)),
    TextSample([Data](), array(of: data)),
    TextSample([Mode](), array { $0.oneIn(2) ? .fast : .slow }),
    TextSample([[String]](), array(of: array(of: text))),
    TextSample([Int?](), array { $0.oneIn(2) ? nil : $0.below(9) }),
    TextSample([URL](), array { URL(fileURLWithPath: "/\($0.below(99)),a") }),
    TextSample(Set<String>()) { generator in Set(array(of: text)(&generator)) },
    TextSample([String: Int]()) { generator in
      Dictionary((0..<generator.below(4)).map { (text(&generator), $0) }) { one, _ in one }
    },
    TextSample(Bag([]), { Bag(array { $0.below(9) }(&$0)) }),
    TextSample(Int?.none) { $0.below(9) },
    TextSample(String?.none) { text(&$0) },
    TextSample("[Int]? storing nil", coding: .storingNil(), default: [Int]?.none) {
      array { $0.below(9) }(&$0)
    },
  ]

  private static let structures: [TextSample] = [
    TextSample(Profile.sample) { generator in
      var profile = Profile.sample
      profile.name = text(&generator)
      profile.age = generator.oneIn(2) ? nil : generator.below(100)
      profile.ratio = Double(generator.below(1_000)) / 7
      return profile
    },
    TextSample("Profile as .propertyList", coding: .propertyList, default: Profile.sample) {
      var profile = Profile.sample
      profile.name = text(&$0)
      return profile
    },
    TextSample("Profile as .json.base64", coding: .json.base64, default: Profile.sample) {
      var profile = Profile.sample
      profile.name = text(&$0)
      return profile
    },
    TextSample(Account(name: "", age: "")) { Account(name: text(&$0), age: text(&$0)) },
    TextSample("Note as an archive", coding: .archive, default: Note("")) { generator in
      Note(text(&generator), count: generator.below(9), ratio: real(&generator), tags: ["a"])
    },
    TextSample(Flags(rawValue: 0)) { Flags(rawValue: UInt8(truncatingIfNeeded: $0.next())) },
    TextSample(Defaults.AnySerializable(0)) { generator in
      switch generator.below(3) {
      case 0: .init(text(&generator))
      case 1: .init(array(of: real)(&generator))
      default: .init(date(&generator))
      }
    },
    TextSample(["a": Defaults.AnySerializable(0)]) { generator in
      ["a": .init(text(&generator)), "b": .init(data(&generator)), "$c": .init(real(&generator))]
    },
    TextSample(Defaults.PropertyListValue.bool(true)) { generator in
      switch generator.below(6) {
      case 0: .string(text(&generator))
      case 1: .integer(Int64(truncatingIfNeeded: generator.next()))
      case 2: .real(real(&generator))
      case 3:
        .dictionary(
          [text(&generator): .date(date(&generator))].merging(["$a": .data(data(&generator))]) {
            $1
          })
      case 4: .array([.string(text(&generator)), .unsignedInteger(.max)])
      default: .bool(generator.oneIn(2))
      }
    },
  ]
}

/// Stored by its raw value.
package enum Season: String, CaseIterable, Codable, Defaults.Serializable,
  Defaults.PreferRawRepresentable
{
  case spring, summer, autumn
  case winter = "the cold, \"white\" one"
}

enum Gear: Int, CaseIterable, Defaults.Serializable { case first = 1, second, reverse = -1 }

/// Stored as JSON text.
enum Direction: CaseIterable, Codable, Defaults.Serializable { case north, east, south, west }
