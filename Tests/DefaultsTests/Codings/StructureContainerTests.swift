import Defaults
import TestSupport
import Testing

@Suite("Encodable types with hand-written containers")
struct StructureContainerTests {
  private class Animal: Codable {
    var name = "Ada"
    init() {}
  }

  private final class Dog: Animal {
    var age = 3
    private enum Keys: CodingKey { case age, extra, list, parent }

    override init() { super.init() }

    override func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Keys.self)
      try container.encode(age, forKey: .age)
      try container.encodeNil(forKey: .extra)
      try super.encode(to: container.superEncoder())
      var list = container.nestedUnkeyedContainer(forKey: .list)
      try list.encode(1)
      var inner = list.nestedContainer(keyedBy: Keys.self)
      try inner.encode(2, forKey: .age)
      var innerList = list.nestedUnkeyedContainer()
      try innerList.encode("x")
      try super.encode(to: list.superEncoder())
      try super.encode(to: container.superEncoder(forKey: .parent))
    }

    required init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Keys.self)
      age = try container.decode(Int.self, forKey: .age)
      #expect(try container.decodeNil(forKey: .extra))
      #expect(try !container.decodeNil(forKey: .age))
      #expect(Set(container.allKeys) == [.age, .list, .parent])
      var list = try container.nestedUnkeyedContainer(forKey: .list)
      #expect(list.count == 4)
      #expect(try !list.decodeNil())
      #expect(try list.decode(Int.self) == 1)
      let inner = try list.nestedContainer(keyedBy: Keys.self)
      #expect(try inner.decode(Int.self, forKey: .age) == 2)
      var innerList = try list.nestedUnkeyedContainer()
      #expect(try innerList.decode(String.self) == "x")
      #expect(throws: DecodingError.self) { try innerList.decode(String.self) }
      _ = try Animal(from: list.superDecoder())
      #expect(list.isAtEnd)
      _ = try Animal(from: container.superDecoder(forKey: .parent))
      try super.init(from: container.superDecoder())
    }
  }

  @Test("Nested containers and containers of superclasses are read back")
  func nesting() throws {
    let coding = Defaults.Coding<Dog>.propertyList
    let name: Defaults.PropertyListValue = ["name": "Ada"]
    let stored: Defaults.PropertyListValue = [
      "age": 3, "super": name, "parent": name, "list": [1, ["age": 2], ["x"], name],
    ]
    #expect(try coding.encode(Dog()) == stored)
    #expect(try coding.decode(stored).name == "Ada")
    #expect(throws: Defaults.ConversionError("the field \"super\" is missing")) {
      try coding.decode(["age": 3, "list": [1, ["age": 2], ["x"], name], "parent": name])
    }
  }

  /// Encodes with a closure.
  private struct Custom: Codable {
    var body: @Sendable (any Encoder) throws -> Void = { _ in }
    init(_ body: @escaping @Sendable (any Encoder) throws -> Void) { self.body = body }
    init(from decoder: any Decoder) throws {}
    func encode(to encoder: any Encoder) throws { try body(encoder) }
  }

  private enum Keys: CodingKey { case a, b }

  private func refuses(
    _ description: String, _ body: @escaping @Sendable (any Encoder) throws -> Void,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    expect(
      .propertyList, refusesToWrite: Custom(body), description, sourceLocation: sourceLocation)
    expect(
      .propertyList, refusesToWrite: [Custom(body)],
      description.contains(": ") ? "[0].\(description)" : "[0]: \(description)",
      sourceLocation: sourceLocation)
  }

  @Test("Encoding that would lose data is rejected and never traps")
  func misuse() {
    refuses("a: the value is encoded twice") { encoder in
      var container = encoder.container(keyedBy: Keys.self)
      try container.encode(1, forKey: .a)
      try container.encode(2, forKey: .a)
    }
    refuses("`encode(to:)` requests two kinds of container") { encoder in
      var container = encoder.container(keyedBy: Keys.self)
      try container.encode(1, forKey: .a)
      _ = encoder.unkeyedContainer()
    }
    refuses("`encode(to:)` requests two kinds of container") { encoder in
      _ = encoder.unkeyedContainer()
      var container = encoder.container(keyedBy: Keys.self)
      try container.encode(1, forKey: .a)
    }
    refuses("the value is encoded twice") { encoder in
      var container = encoder.singleValueContainer()
      try container.encode(1)
      try container.encode(2)
    }
    refuses("a property list has no nil") { encoder in
      var container = encoder.singleValueContainer()
      try container.encodeNil()
    }
    refuses("a: a nil inside an optional can't be distinguished from no value") { encoder in
      var container = encoder.container(keyedBy: Keys.self)
      try container.encode(Int??.some(nil), forKey: .a)
    }
    expect(
      .propertyList,
      refusesToWrite: Custom { encoder in
        var container = encoder.unkeyedContainer()
        try container.encode(1)
        try container.encodeNil()
      }, "[1]: a property list has no nil; encode an optional instead")
    expect(
      .propertyList,
      refusesToWrite: Custom { encoder in
        var container = encoder.unkeyedContainer()
        try container.encodeNil()
      }, "[0]: a property list has no nil; encode an optional instead")
    expect(
      .propertyList,
      refusesToWrite: Custom { encoder in
        var container = encoder.unkeyedContainer()
        for _ in 0..<100_000 { container = container.nestedUnkeyedContainer() }
      }, String(repeating: "[0].", count: 254) + "[0]: the value has more than 256 levels")
  }

  @Test("Requesting a container twice is allowed, and encoding nothing gives an empty dictionary")
  func leniency() throws {
    let bridge = Defaults.Coding<Custom>.propertyList
    #expect(try bridge.encode(Custom { _ in }) == [:])
    let twice = Custom { encoder in
      var first = encoder.container(keyedBy: Keys.self)
      try first.encode(1, forKey: .a)
      var second = encoder.container(keyedBy: Keys.self)
      var inner = second.nestedUnkeyedContainer(forKey: .b)
      try inner.encode(Int?.some(1))
      var same = second.nestedUnkeyedContainer(forKey: .b)
      try same.encode(2)
      try first.encodeIfPresent(Int?.none, forKey: .b)
    }
    #expect(try bridge.encode(twice) == ["a": 1, "b": [[1], 2]])
  }

  /// A number encoded in a single-value container, a keyed container and a list.
  private struct Wide: Codable, Equatable {
    var number: Int128
    var unsigned: UInt128

    private enum Keys: CodingKey { case inner, a, b }

    init(number: Int128, unsigned: UInt128) {
      self.number = number
      self.unsigned = unsigned
    }

    init(from decoder: any Decoder) throws {
      #expect(decoder.userInfo.isEmpty)
      let outer = try decoder.container(keyedBy: Keys.self)
      let inner = try outer.nestedContainer(keyedBy: Keys.self, forKey: .inner)
      #expect(inner.codingPath.map(\.stringValue) == ["inner"])
      number = try inner.decode(Int128.self, forKey: .a)
      var list = try inner.nestedUnkeyedContainer(forKey: .b)
      #expect(list.codingPath.map(\.stringValue) == ["inner", "b"])
      unsigned = try list.decode(UInt128.self)
      #expect(try list.decode(Int128.self) == number)
      #expect(try list.decode(Signed.self) == Signed(number: number))
    }

    func encode(to encoder: any Encoder) throws {
      #expect(encoder.userInfo.isEmpty)
      var outer = encoder.container(keyedBy: Keys.self)
      #expect(outer.codingPath.isEmpty)
      var inner = outer.nestedContainer(keyedBy: Keys.self, forKey: .inner)
      try inner.encode(number, forKey: .a)
      var list = inner.nestedUnkeyedContainer(forKey: .b)
      #expect(list.codingPath.map(\.stringValue) == ["inner", "b"])
      try list.encode(unsigned)
      try list.encode(number)
      try list.encode(Signed(number: number))
    }
  }

  private struct Signed: Codable, Equatable {
    var number: Int128

    init(number: Int128) { self.number = number }

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      #expect(!container.decodeNil())
      #expect(container.codingPath.map(\.stringValue) == ["inner", "b", "2"])
      number = try container.decode(Int128.self)
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      #expect(container.codingPath.map(\.stringValue) == ["inner", "b", "2"])
      try container.encode(number)
    }
  }

  @Test("128-bit integers are stored as text in a container of any kind")
  func wideIntegers() {
    expect(
      .propertyList, Wide(number: .min, unsigned: .max),
      isStoredAs: [
        "inner": [
          "a": .string("\(Int128.min)"),
          "b": [
            .string("\(UInt128.max)"), .string("\(Int128.min)"), .string("\(Int128.min)"),
          ],
        ]
      ])
    expect(.propertyList, [UInt128.max], isStoredAs: [.string("\(UInt128.max)")])
  }
}
