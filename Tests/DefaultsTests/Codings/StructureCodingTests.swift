import Defaults
import Foundation
import TestSupport
import Testing

@Suite("Codable values as native structures")
struct StructureCodingTests {
  private struct Window: Codable, Hashable {
    var title = "Main"
    var size: [Int] = [640, 480]
    var zoom = 1.5
    var isOpen = true
    var opened: Date?
    var icon: Data?
    var page: URL?
    var style = Style.plain
    var parts: [String: Part] = [:]

    enum Style: String, Codable { case plain, bold }
    struct Part: Codable, Hashable { var count: UInt8 = 1 }
  }

  @Test("A structure is stored as a dictionary of those fields that aren't nil")
  func window() throws {
    expect(
      .propertyList, Window(),
      isStoredAs: [
        "title": "Main", "size": [640, 480], "zoom": 1.5, "isOpen": true, "style": "plain",
        "parts": [:],
      ])
    let date = Date(timeIntervalSinceReferenceDate: 0.1)
    let full = Window(
      opened: date, icon: Data([1]), page: URL(string: "https://example.com"), style: .bold,
      parts: ["a": .init(count: 255)])
    expect(
      .propertyList, full,
      isStoredAs: [
        "title": "Main", "size": [640, 480], "zoom": 1.5, "isOpen": true, "style": "bold",
        "opened": .date(date), "icon": .data(Data([1])), "page": "https://example.com",
        "parts": ["a": ["count": 255]],
      ])
  }

  private struct Scalars: Codable, Equatable {
    var int8 = Int8.min
    var int64 = Int64.min
    var uint64 = UInt64.max
    var int128 = Int128.min
    var uint128 = UInt128.max
    var float = Float(0.1)
    var negativeZero = -0.0
    var infinity = Double.infinity
    var decimal = Decimal(string: "-0.1") ?? 0
    var uuid = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
    var text = "e\u{301}\0"
    var mixed: [String: Int] = ["": 1]
  }

  @Test("Scalars in a structure are stored exactly")
  func scalars() throws {
    expect(
      .propertyList, Scalars(),
      isStoredAs: [
        "int8": -128, "int64": .integer(.min), "uint64": .unsignedInteger(.max),
        "int128": .string("\(Int128.min)"), "uint128": .string("\(UInt128.max)"),
        "float": 0.1, "negativeZero": -0.0, "infinity": .real(.infinity),
        "decimal": "-0.1", "uuid": "01020304-0506-0708-090A-0B0C0D0E0F10",
        "text": "e\u{301}\0", "mixed": ["": 1],
      ])
    let coding = Defaults.Coding<[Double]>.propertyList
    let payload = Double(nan: 5, signaling: false)
    let copy = try coding.value(ofEntry: #require(try coding.edit(for: [-0.0, payload]).entry))
    #expect(copy.map(\.bitPattern) == [(-0.0).bitPattern, payload.bitPattern])
  }

  @Test("The structure coding stores a value that isn't a structure in its own form")
  func top() {
    expect(.propertyList, 5, isStoredAs: 5)
    expect(.propertyList, "a", isStoredAs: "a")
    expect(.propertyList, [[1], []], isStoredAs: [[1], []])
    expect(.propertyList, Data([1]), isStoredAs: .data(Data([1])))
    expect(.propertyList, Window.Style.bold, isStoredAs: "bold")
    expect(.propertyList, [5: "a"], isStoredAs: ["5": "a"])
    expect(.propertyList, ["a": ["b": [true]]], isStoredAs: ["a": ["b": [true]]])
    expect(.propertyList, 1..<5, isStoredAs: [1, 5])
    expect(.propertyList, Int?.some(5), isStoredAs: 5)
    expect(
      .propertyList, refusesToWrite: Int?.none,
      "a property list has no nil; .optional(.propertyList) removes the entry instead")
  }

  @Test("Optional elements of a structure are stored exactly")
  func optionalElements() {
    expect(.propertyList, [1, nil], isStoredAs: [[1], []])
    expect(.propertyList, ["a": 1, "b": Int?.none], isStoredAs: ["a": [1], "b": []])
    expect(.propertyList, [[1], nil, []] as [[Int]?], isStoredAs: [[[1]], [], [[]]])
    expect(.propertyList, [5, .some(nil), .none] as [Int??], isStoredAs: [[[5]], [[]], []])
    expect(
      Defaults.Coding<[Int?]>.propertyList, refuses: [[1, 2]],
      "[0]: an optional has one element at most")
    expect(
      Defaults.Coding<[Int?]>.propertyList, refuses: [1],
      "[0]: it is an integer, and an array was expected")
  }

  @Test("Unordered collections have the same stored form in every process")
  func order() {
    expect(.propertyList, Set(0..<20), isStoredAs: .array((0..<20).map { .integer($0) }))
    let parts = Dictionary(
      uniqueKeysWithValues: (0..<20).map { (Window.Part(count: $0), Int($0)) })
    let stored = (0..<20).flatMap { number -> [Defaults.PropertyListValue] in
      [["count": .integer(number)], .integer(number)]
    }
    expect(.propertyList, parts, isStoredAs: .array(stored))
    expect(Defaults.Coding<Set<Int>>.propertyList, reads: [2, 1], as: [1, 2])
  }

  @Test("A stored set or dictionary with duplicates is rejected")
  func duplicates() {
    let reason = "two elements of the collection are equal"
    expect(Defaults.Coding<Set<Int>>.propertyList, refuses: [1, 2, 1.0], reason)
    expect(Defaults.Coding<[Int: Int]>.propertyList, refuses: ["1": 1, "01": 2], reason)
    expect(Defaults.Coding<[Double: Int]>.propertyList, refuses: [0.5, 1, 0.5, 2], reason)
    expect(
      Defaults.Coding<[String: Set<Int>]>.propertyList, refuses: ["a": [1, 1]], "a: \(reason)")
  }

  @Test("A structure with an invalid field is rejected with the field's path")
  func refusals() {
    let coding = Defaults.Coding<Window>.propertyList
    var stored: [String: Defaults.PropertyListValue] = [
      "title": "Main", "size": [640, 480], "zoom": 1.5, "isOpen": true, "style": "plain",
      "parts": [:], "unknown": 5,
    ]
    expect(coding, reads: .dictionary(stored), as: Window())
    stored["zoom"] = 1
    stored["isOpen"] = 1
    expect(coding, reads: .dictionary(stored), as: Window(zoom: 1))
    stored["size"] = [640, 480.5]
    expect(
      coding, refuses: .dictionary(stored), "size.[1]: 480.5 isn't exactly representable as Int")
    stored["size"] = []
    stored["parts"] = ["a": ["count": 256]]
    expect(
      coding, refuses: .dictionary(stored),
      "parts.a.count: 256 isn't exactly representable as UInt8")
    stored["parts"] = ["a": 5]
    expect(
      coding, refuses: .dictionary(stored),
      "parts.a: it is an integer, and a dictionary was expected")
    stored["parts"] = nil
    expect(coding, refuses: .dictionary(stored), "the field \"parts\" is missing")
    stored["parts"] = [:]
    stored["opened"] = "2001-01-01"
    expect(
      coding, refuses: .dictionary(stored),
      "opened: it is a string, and a date was expected; "
        + #"in JSON, write {"$date": "2026-01-01T00:00:00Z"}"#)
    expect(coding, refuses: [], "it is an array, and a dictionary was expected")
    expect(
      Defaults.Coding<[Int]>.propertyList, refuses: [:],
      "it is a dictionary, and an array was expected")
  }

  /// Finds its case by trying one type after another.
  private enum Untagged: Codable, Equatable {
    case bool(Bool)
    case integer(Int)
    case real(Double)
    case text(String)

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let value = try? container.decode(Bool.self) {
        self = .bool(value)
      } else if let value = try? container.decode(Int.self) {
        self = .integer(value)
      } else if let value = try? container.decode(Double.self) {
        self = .real(value)
      } else {
        self = .text(try container.decode(String.self))
      }
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      switch self {
      case .bool(let value): try container.encode(value)
      case .integer(let value): try container.encode(value)
      case .real(let value): try container.encode(value)
      case .text(let value): try container.encode(value)
      }
    }
  }

  @Test("An enum that tries one type after another reads the case that it stored")
  func untagged() {
    let values: [Untagged] = [
      .bool(true), .integer(1), .integer(0), .real(1), .real(-0.0), .real(0.5), .text("1"),
    ]
    let stored: Defaults.PropertyListValue = [true, 1, 0, 1.0, -0.0, 0.5, "1"]
    expect(.propertyList, values, isStoredAs: stored)
    expect(.propertyList, ["a": Untagged.real(1)], isStoredAs: ["a": 1.0])
    expect(.propertyList, Untagged.integer(1), isStoredAs: 1)
    expect(
      Defaults.Coding<Level>.propertyList, refuses: 5.0,
      "it is a real, and an integer was expected")
  }

  private enum Level: Int, Codable { case high = 5 }

  private indirect enum Chain: Codable, Equatable, Sendable {
    case end
    case link(Chain)

    init(length: Int) { self = (0..<length).reduce(.end) { chain, _ in .link(chain) } }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.unkeyedContainer()
      if case .link(let next) = self { try container.encode(next) }
    }

    init(from decoder: any Decoder) throws {
      var container = try decoder.unkeyedContainer()
      self = container.isAtEnd ? .end : .link(try container.decode(Chain.self))
    }
  }

  @Test("The depth of a structure is limited for writing and for reading")
  func depth() throws {
    let coding = Defaults.Coding<Chain>.propertyList
    let limit = Defaults.PropertyListValue.maximumDepth
    let deepest = Chain(length: limit - 1)
    let stored = try #require(try coding.edit(for: deepest).entry)
    #expect(try coding.value(ofEntry: stored) == deepest)
    let suite = Defaults.MemorySuite()
    try suite.set(deepest, for: Defaults.Key("chain", default: .end, coding: coding, suite: suite))
    for length in [limit, 3_000] {
      let error = #expect(throws: Defaults.ConversionError.self) {
        try coding.edit(for: Chain(length: length))
      }
      #expect(error?.reason == "the value has more than \(limit) levels")
    }
    let deeper = Defaults.PropertyListValue.array([stored])
    let error = #expect(throws: Defaults.ConversionError.self) {
      try coding.value(ofEntry: deeper)
    }
    #expect(error?.reason == "the value has more than \(limit) levels")
  }

  @Test("A structure may have a field of mixed data")
  func mixed() {
    struct Plugin: Codable, Equatable {
      var name = "a"
      var options: [String: Defaults.PropertyListValue]
    }
    let options: [String: Defaults.PropertyListValue] = [
      "a": 1, "b": 1.0, "c": .date(Date(timeIntervalSinceReferenceDate: 0.1)), "d": [true, "x"],
      "e": .unsignedInteger(.max), "f": .data(Data([1])), "g": ["h": -0.0],
    ]
    expect(
      .propertyList, Plugin(options: options),
      isStoredAs: ["name": "a", "options": .dictionary(options)])
    let json = Defaults.Coding<Plugin>.json
    #expect(throws: Never.self) {
      let entry = try #require(try json.edit(for: Plugin(options: options)).entry)
      #expect(try json.value(ofEntry: entry) == Plugin(options: options))
    }
  }
}
