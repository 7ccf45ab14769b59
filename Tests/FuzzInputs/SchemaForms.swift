import Defaults
import Foundation

/// A key of one type and coding, to check that its schema accepts every entry that the key reads,
/// in every form.
package struct SchemaForm: Sendable {
  package let key: Defaults.AnyKey
  private let reads: @Sendable (Defaults.MemorySuite) -> Bool
  /// Entries of the key's own values.
  private let own: [Defaults.PropertyListValue]

  private init<Value: Sendable>(
    _ name: String, _ coding: Defaults.Coding<Value>, _ values: [Value],
    _ traits: [Defaults.Trait<Value>]
  ) {
    let (one, other) = (traits.first ?? .about(""), traits.dropFirst().first ?? .about(""))
    let key = Defaults.Key(
      name, coding: coding, suite: Self.home, one, other, default: { values[0] })
    self.key = key
    reads = { (try? $0.value(for: key)) != nil }
    own = values.compactMap { try? coding.edit(for: $0).entry }
  }

  /// The exports of all entries that the key reads, each a line of JSON.
  package func documents() throws -> [String] {
    try (own + Self.entries).compactMap { entry in
      let suite = Defaults.MemorySuite([key.name: entry])
      return reads(suite) ? try suite.exportString(as: .compactJSON) : nil
    }
  }

  private static let home = Defaults.MemorySuite()

  // MARK: - Entries

  private typealias Stored = Defaults.PropertyListValue

  /// Entries that some keys read: every kind of value, in all forms, alone and in collections.
  private static let entries: [Stored] = {
    var entries = scalars + pairs
    for entry in scalars {
      entries.append(.array([entry]))
      entries.append(.array([entry, entry]))
      entries.append(.array([.array([entry])]))
      entries.append(.dictionary(["a": entry]))
    }
    return entries
  }()

  private static let scalars: [Stored] = numbers + texts + others

  private static let others: [Stored] = [
    .date(Date(timeIntervalSinceReferenceDate: 0)), .date(.distantPast),
    .date(Date(timeIntervalSinceReferenceDate: 0.1)), .date(Date(timeIntervalSince1970: 1e13)),
    .data(Data()), .data(Data([0, 1, 2])), .data(Data("5".utf8)), .data(Data("\"spring\"".utf8)),
    .data(Data("[1]".utf8)), .array([]), .dictionary([:]),
  ]

  private static let numbers: [Stored] = {
    let integers: [Int64] = [
      0, 1, 2, -1, 5, 9, -10, 60, 127, 128, 255, 256, 300, 1 << 24, 1 << 31, 1 << 53, 1 << 60,
      9_007_199_254_740_991, 9_007_199_254_740_993, -9_007_199_254_740_992,
      10_000_000_000_000_000, .min, .max,
    ]
    let reals: [Double] = [
      0, -0.0, 1, 0.1, 0.5, 0.3, 5, 5.5, 60, 1e9, 1e16, 1e17, 0x1p53, -0x1p53, 0x1p63, 1e30, 1e38,
      1e300, -1e300, 1e-300, 0.10000000149011612, 0.30000001192092896, .infinity, -.infinity, .nan,
      Double(nan: 5, signaling: false), 1e-05, 1e-18, 0.99999999,
    ]
    return [.bool(true), .bool(false), .unsignedInteger(1 << 63), .unsignedInteger(.max)]
      + integers.map(Stored.integer) + reals.map(Stored.real)
  }()

  private static let texts: [Stored] = [
    "", "a", "ab", "5", "-5", "+5", "05", "5.0", "0.50", "-0.5", "1e3", "1e-05", "1.5e+2", "NaN",
    "nan", "inf", "-inf", "0x1p3", "340282366920938463463374607431768211455", "true", "TRUE",
    "True",
    "false", "yes", "YES", "Yes", "yEs", "no", "NO", "on", "Off", "1", "0", "ja", "JA", "nein",
    "oui!", "1m", "1h 30m", "1h30m", "-2.5s", "500ms", "3µs", "1d 1ns", "90 s", "60", "60.0",
    "2026-11-21T13:00:00Z", "1970-01-01T00:00:00Z", "1970-01-01T01:00:00+01:00",
    "1970-01-01 00:00:00.0z", "2026-11-21t14:00:00,5+01:00",
    "E621E1F8-C36C-495A-93FC-0C247A3E6E5F", "e621e1f8-c36c-495a-93fc-0c247a3e6e5f", "/tmp/a?b",
    "https://example.org/x#y", "AAEC", "AAED", "AB==", "AA==", "\"a\"", " \"spring\" ",
    "\"spring\"",
    "spring", "summer", "Spring", "fast", "north", "\"north\"", " {\"north\" : {}}",
    "{\"north\":{}}", "[1]", "[]", "{}", "{\"a\":1}", "\"AAEC\"", "\"5\"", "\"1m\"", "0.1",
    "\"2026-11-21T13:00:00Z\"", "é", "e\u{301}", "a\n", " 5 ",
    "\tyes\n",
  ]

  private static let pairs: [Stored] = [
    [0, 1], [1, 0], [0.0, 1], [1, 1.0], [0, -0.0], [.real(.nan), .real(.nan)], ["a", "b"],
    ["b", "a"], [true, 1], [false, true], ["a", "https://example.org/"],
    ["x", "https://example.org/folder/"], [[0, 1], [2]], [[], [1]], [["a"], []], ["1m", 60.0],
    ["a": 1, "b": 2], ["1": true, "2": 0], ["$a": 1, "$$b": 2], ["a": ["b": [1, "x"]]],
    ["a": [], "b": [5]], [.date(.distantPast), .date(.distantFuture)], ["5", 6], [5, "6"],
    [1, 2, 4], [4, 2, 1], [0.1, .real(Double(Float(0.1)))], ["yes", "NO", true],
  ]
}

// MARK: - Keys

extension SchemaForm {
  private static func key<Value: Defaults.Serializable>(
    _ name: String, _ values: Value..., traits: Defaults.Trait<Value>...
  ) -> SchemaForm {
    SchemaForm(name, .standard, values, traits)
  }

  private static func key<Value: Sendable>(
    _ name: String, _ coding: Defaults.Coding<Value>, _ values: Value...,
    traits: Defaults.Trait<Value>...
  ) -> SchemaForm {
    SchemaForm(name, coding, values, traits)
  }

  /// A key for every type and coding of the library, with and without rules.
  package static let all: [SchemaForm] =
    [bools, integers, reals, textOfNumbers, strings, dates, structures, collections, olderForms]
    .flatMap(\.self)

  private static let bools: [SchemaForm] = [
    key("Bool", true, false), key("Bool, chosen", true, traits: .choices([true])),
    key("Bool as .integer", .integer, true), key("Bool as .text", .text, true),
    key("Bool, chosen, as .integer", .integer, true, traits: .choices([true])),
    key("Bool as YES", .text(true: "YES", false: "NO"), true),
    key("Bool as own words", .text(true: "ja", false: "nein"), true),
    key("Bool as strange words", .text(true: "oui!", false: "non?"), true),
    key("Bool as Cyrillic words", .text(true: "да", false: "нет"), true),
    key("Bool, chosen, as a word", .text, true, traits: .choices([true])),
    key("Bool, older", .text.reading(.integer), true), key("Bool?", Bool?.some(true)),
    key("Bool? with nil", .storingNil(), Bool?.some(true)),
  ]

  private static func integers<Value: FixedWidthInteger & Defaults.Serializable>(
    of type: Value.Type
  ) -> [SchemaForm] {
    [
      key("\(type)", Value(1), .min, .max), key("\(type)?", Value?.some(1)),
      key("\(type), in a range", Value(1), traits: .in(0...9)),
      key("\(type), at least", Value(1), traits: .in(1...)),
      key("\(type), below", Value(1), traits: .in(..<100)),
      key("\(type), chosen", Value(1), traits: .choices([1, 5, .max])),
      key("\(type) as .integer", .integer, Value(1), .max),
      key("[\(type)]", [Value(1)]), key("Set of \(type)", Set([Value(1)])),
    ]
  }

  private static let integers: [SchemaForm] = {
    var forms = [
      key("large Int", 1 << 60, traits: .in(10_000_000_000_000_000...)),
      key("large choices", 1 << 60, traits: .choices([1 << 60, 10_000_000_000_000_000])),
    ]
    forms += integers(of: Int.self) + integers(of: UInt.self)
    forms += integers(of: Int8.self) + integers(of: UInt8.self)
    forms += integers(of: Int16.self) + integers(of: UInt16.self)
    forms += integers(of: Int32.self) + integers(of: UInt32.self)
    forms += integers(of: Int64.self) + integers(of: UInt64.self)
    forms += integers(of: Int128.self) + integers(of: UInt128.self)
    return forms
  }()

  private static let reals: [SchemaForm] = [
    key("Double", 0.1, .infinity, .nan), key("Float", Float(0.1), 1.1, .infinity, .nan),
    key("CGFloat", CGFloat(0.1)), key("Decimal", Decimal(string: "12.50") ?? 0, .nan),
    key("Double, in a range", 0.5, traits: .in(0...0.5)),
    key("Double, large", 0x1p53, traits: .in(0x1p53...)),
    key("Double, not negative", 0.5, traits: .in(0...)),
    key("Double, chosen", 0.5, traits: .choices([0.5, 0x1p53, 0.1])),
    key("Float, to", Float(0.1), traits: .in(0...0.1)),
    key("Float, from", Float(0.1), traits: .in(0.1...)),
    key("Float, below", Float(0.1), traits: .in(..<0.3)),
    key("Float, chosen", Float(0.1), traits: .choices([0.1, 0.3, 5])),
    key("Decimal, chosen", Decimal(5), traits: .choices([5])),
    key("Decimal, in a range", Decimal(5), traits: .in(0...9)),
    key("[Float]", [Float(0.1)]), key("Set of Double", Set([0.1])),
    key("Double?", Double?.some(0.5)), key("Range", 0..<1), key("Range of reals", 0.0...1.0),
    key("Range, counted", 1..<11, traits: .count(3...)),
    key("Range, each", 1..<9, traits: .each(.in(0...9)), .count(...20)),
    key("ClosedRange, chosen", 0...1, traits: .choices([0...1, 5...9])),
  ]

  private static let textOfNumbers: [SchemaForm] = [
    key("Int as .text", .text, 5), key("UInt8 as .text", .text, UInt8(5)),
    key("Double as .text", .text, 0.5), key("Float as .text", .text, Float(0.1)),
    key("String as .text", .text, "a", traits: .count(1...3)),
    key("Double, chosen, as .text", .text, 0.5, traits: .choices([0.5])),
    key("Int, chosen, as .text", .text, 5, traits: .choices([5])),
    key("Int128, one of", Int128(5), traits: .choices([5])),
  ]

  private static let strings: [SchemaForm] = [
    key("String", "a"), key("String, short", "a", traits: .count(...2)),
    key("String, chosen", "a", traits: .choices(["a", "é"])),
    key("String, matching", "a", traits: .matching("[a-z]+")),
    key("String as .utf8", .utf8, "a"), key("Data", Data([1])),
    key("Data as .base64", .base64, Data()),
    key("Data, chosen", .base64, Data([0]), traits: .choices([Data([0])])),
    key("UUID", UUID()), key("URL", URL(filePath: "/tmp")),
    key("URL as .text", .text, URL(filePath: "/tmp")),
    key(
      "UUID, chosen", UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F") ?? UUID(),
      traits: .choices([UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F") ?? UUID()])),
    key("Mode", Mode.fast), key("Level", Level.low), key("Season", Season.spring, .winter),
    key("Season as .json", .json, Season.spring),
    key("Season as .json.base64", .json.base64, Season.spring),
    key("Season, older", .rawValue.reading(.json), Season.spring),
    key("Gear", Gear.first, .reverse),
    key("Direction", Direction.north),
    key("Direction as a structure", .propertyList, Direction.north),
    key("Season, chosen", Season.spring, traits: .choices([.spring])),
    key("Season? with nil", .storingNil(), Season?.some(.spring)),
    key("Gear as text", .rawValue.then(.text), Gear.first),
  ]

  private static let dates: [SchemaForm] = [
    key("Date", Date.distantPast, Date(timeIntervalSinceReferenceDate: 0.1)),
    key("Date as .iso8601", .iso8601, Date.distantPast),
    key("Date as .timeInterval", .timeInterval, Date.distantPast),
    key("Date since 1970", .secondsSince1970, Date(timeIntervalSince1970: 0)),
    key("Date, older", .iso8601.reading(.timeInterval, .standard), Date.distantPast),
    key(
      "Date, chosen", .iso8601, Date(timeIntervalSince1970: 0),
      traits: .choices([Date(timeIntervalSince1970: 0)])),
    key("Date, from", .timeInterval, Date.distantFuture, traits: .in(Date.distantPast...)),
    key("Duration", Duration.seconds(60), .seconds(1) / 3, .seconds(Int64.max)),
    key("Duration, chosen", Duration.seconds(60), traits: .choices([.seconds(60)])),
    key("Duration, to", Duration.seconds(60), traits: .in(.zero ... .seconds(60))),
    key("Durations", [Duration.seconds(60)]),
  ]

  private static let structures: [SchemaForm] = [
    key("Profile", Profile.sample), key("Profile as data", .jsonData, Profile.sample),
    key("Profile as a structure", .propertyList, Profile.sample),
    key("Profile as .json.base64", .json.base64, Profile.sample),
    key("Account", Account(name: "", age: "")),
    key("Note as an archive", .archive, Note("x")), key("Any", Defaults.AnySerializable(1)),
    key("Property list", Defaults.PropertyListValue.bool(true)),
    key("Ints as .json", .json, [1]), key("Double as .json", .json, 0.5),
    key("custom", .custom(encode: { "\($0)" }, decode: { Int($0) }), 5),
    key("custom, from an Int128", .custom(encode: { Int128($0) }, decode: { Int(exactly: $0) }), 5),
  ]

  private static let collections: [SchemaForm] = [
    key("Bools", [true, false]), key("Bools, chosen", [true], traits: .choices([[true]])),
    key("Bools, each", [true], traits: .each(.choices([true]))),
    key("Sets, chosen", Set([1, 2]), traits: .choices([[1, 2], [4]])),
    key("Texts, chosen", ["a"], traits: .choices([["a"], ["a", "b"]])),
    key("Set of Any", Set([Defaults.AnySerializable(1)])), key("Set of texts", Set(["a"])),
    key("Set of seasons", Set([Season.spring])), key("Flags", Flags(rawValue: 3)),
    key("Bag", Bag([1])),
    key("Ints by text", ["a": 1]), key("Bools by number", [1: true]),
    key("Decimals", [Decimal(5)], traits: .count(...2)), key("gaps", [Int?.none, 5]),
    key("Int??", Int??.some(5)), key("grid", [[1]]),
    key("texts as words", .array(of: .text(true: "yes", false: "no")), [true]),
    key("dates", .set(of: .iso8601), Set([Date.distantPast])),
    key("seasons", .dictionary(of: .json), ["a": Season.spring]),
    key("Doubles by text, each", ["a": 0.5], traits: .each(.in(0...1))),
  ]

  private static let olderForms: [SchemaForm] = [
    key("old Int", .readingOlderForms, 5), key("old Bool", .readingOlderForms, true),
    key("old texts", .readingOlderForms, ["a"]),
    key("old Profile", .readingOlderForms, Profile.sample),
    key("old Season", .readingOlderForms, Season.spring),
    key("old Date", .readingOlderForms, Date()),
    key("old String?", .readingOlderForms, String?.some("a")),
    key("old [String: Int]", .readingOlderForms, ["a": 1]),
  ]
}
