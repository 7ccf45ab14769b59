import Defaults
import Foundation
import TestSupport
import Testing

@Suite("Bridges of containers")
struct ContainerBridgeTests {
  typealias Stored = Defaults.PropertyListValue

  @Test("An optional is stored like its value, and nil removes the entry")
  func optionalEntries() throws {
    #expect(try Int?.bridge.edit(for: nil) == .remove)
    #expect(try Int?.bridge.edit(for: 5) == .set(5))
    #expect(try Int?.bridge.value(ofEntry: 5) == 5)
    #expect(try [Int]?.bridge.edit(for: []) == .set([]))
    #expect(try entryRoundTrip([Int]?.some([])) == .some([]))
    #expect(throws: Defaults.ConversionError("it is a string, and an integer was expected")) {
      try Int?.bridge.value(ofEntry: "5")
    }
  }

  @Test("An optional inside another value is stored as an array of at most one element")
  func nestedOptionals() throws {
    let array: [Int?] = [1, nil, 3]
    #expect(try Stored(encoding: array) == [[1], [], [3]])
    #expect(try roundTrip(array) == array)
    let dictionary: [String: String?] = ["a": "x", "b": .none]
    #expect(try Stored(encoding: dictionary) == ["a": ["x"], "b": []])
    #expect(try roundTrip(dictionary) == dictionary)
    expectRefusal([Int?].self, [[1, 2]], "[0]: an optional has one element at most, not 2")
    expectRefusal(
      [Int?].self, [[], 5],
      "[1]: it is an integer, and an array of at most one element, for an optional, was expected")
  }

  @Test("Optionals of optionals keep the level of each nil, as an entry and inside another value")
  func doubleOptionals() throws {
    let values: [Int??] = [.some(.some(5)), .some(.none)]
    for value in values {
      #expect(try entryRoundTrip(value) == .some(value))
      #expect(try roundTrip(value) == value)
    }
    #expect(try Int??.bridge.edit(for: .none) == .remove)
    #expect(try roundTrip(Int??.none) == Int??.none)
    let arrays: [[Int]??] = [.some(.some([])), .some(.none), .some(.some([1]))]
    for value in arrays { #expect(try entryRoundTrip(value) == .some(value)) }
    let triple: [Int???] = [.some(.some(.some(1))), .some(.some(.none)), .some(.none)]
    for value in triple { #expect(try entryRoundTrip(value) == .some(value)) }
  }

  @Test("An invalid element makes the whole collection fail, with the path of the element")
  func paths() {
    expectRefusal([Int].self, [1, 2, 3, "4"], "[3]: it is a string, and an integer was expected")
    expectRefusal([Int].self, ["a": 1], "it is a dictionary, and an array was expected")
    expectRefusal(
      [String: [Int]].self, ["ages": [1, 5.5]],
      "ages.[1]: 5.5 isn't exactly representable as Int")
    expectRefusal([String: Int].self, [1], "it is an array, and a dictionary was expected")
    expectRefusal(Set<Int>.self, [1, true], "[1]: it is a bool, and an integer was expected")
    let error = Defaults.ConversionError(
      "there is no bool 2", path: ["[1]"])
    #expect(throws: error) {
      try Defaults.Coding<[Int]>.array(of: .bridge(OneBridge())).encode([1, 2])
    }
    #expect(throws: Defaults.ConversionError("there is no bool 2", path: ["x"])) {
      try Defaults.Coding<[String: Int]>.dictionary(of: .bridge(OneBridge())).encode(["x": 2])
    }
  }

  @Test("Equal sets have equal stored forms, independent of element order")
  func canonicalSets() throws {
    #expect(try Stored(encoding: Set([3, 1, 2])) == [1, 2, 3])
    #expect(try Stored(encoding: Set(["b", "a", "ä", "A"])) == ["A", "a", "b", "ä"])
    var large = Set(0..<1000)
    let stored = try Stored(encoding: large)
    for number in 1000..<5000 { large.insert(number) }
    for number in 1000..<5000 { large.remove(number) }
    #expect(try Stored(encoding: large) == stored)
    #expect(try roundTrip(large) == large)
    let nested: Set<[String: Set<Int?>]> = [["a": [1, nil]], [:], ["b": []], ["a": [], "c": [2]]]
    #expect(try roundTrip(nested) == nested)
    #expect(
      try Stored(encoding: nested) == Stored(encoding: Set(nested.sorted { $0.count < $1.count })))
  }

  @Test("A set with two elements of the same stored form is rejected")
  func setDuplicates() {
    expectRefusal(Set<Int>.self, [1, 2, 1.0], "[2]: the element equals an earlier element")
    expectRefusal(
      Set<String>.self, ["\u{E9}", "e\u{301}"], "[1]: the element equals an earlier element")
    let error = Defaults.ConversionError("two elements of a set have the same stored value, a bool")
    #expect(throws: error) {
      try Defaults.Coding<Set<Int>>.set(of: .bridge(ParityBridge())).encode([2, 4])
    }
  }

  @Test("A dictionary key may be of any type that converts to text without loss")
  func dictionaryKeys() throws {
    #expect(try Stored(encoding: [1: "a", -2: "b"]) == ["1": "a", "-2": "b"])
    #expect(try roundTrip([1: "a", -2: "b"]) == [1: "a", -2: "b"])
    #expect(try roundTrip([true: 1, false: 0]) == [true: 1, false: 0])
    #expect(try roundTrip([0.1: 1, .infinity: 2]) == [0.1: 1, .infinity: 2])
    #expect(try roundTrip([Int128.max: 1]) == [Int128.max: 1])
    let odd = ["": 1, "a.b": 2, "\0": 3, "@x": 4, "🦄": 5]
    #expect(try roundTrip(odd) == odd)
    expectRefusal([Int: Int].self, ["x": 1], "\"x\" isn't the name of a key of type Int")
  }

  @Test("A name that isn't a single character is rejected as the name of a character")
  func characterKeys() {
    let coding = Defaults.Coding<[Character: Int]>.dictionary(of: .standard)
    expect(coding, ["a": 1, "👩‍👩‍👧‍👦": 2], isStoredAs: ["a": 1, "👩‍👩‍👧‍👦": 2])
    for name in ["", "ab"] {
      expect(
        coding, refuses: .dictionary([name: 1]),
        "\"\(name)\" isn't the name of a key of type Character")
    }
  }

  @Test("A dictionary is rejected if a key can't be read back from its name")
  func unreadableKeys() {
    expect(
      .dictionary(of: .standard), refusesToWrite: [Nameless(): 1],
      "the key \"k\" can't be read back from its name")
    expect(
      .dictionary(of: .standard), [0.1: 1, -.infinity: 2], isStoredAs: ["0.1": 1, "-inf": 2])
  }

  @Test("A dictionary is rejected if two keys have the same name or two names give the same key")
  func dictionaryCollisions() throws {
    #expect(throws: Defaults.ConversionError("two keys of the dictionary have the name \"k\"")) {
      try Defaults.Coding<[Namesake: Int]>.dictionary(of: .standard).encode([
        Namesake(1): 1, Namesake(2): 2,
      ])
    }
    let error = #expect(throws: Defaults.ConversionError.self) {
      try (["1": 1, "+1": 2] as Stored).decoded(as: [Int: Int].self)
    }
    #expect(error?.reason.hasSuffix("and another name stand for the same key") == true)
  }

  @Test("Ranges are stored as their bounds")
  func ranges() throws {
    #expect(try Stored(encoding: 1..<5) == [1, 5])
    #expect(try Stored(encoding: "a"..."b") == ["a", "b"])
    #expect(try roundTrip(5..<5) == 5..<5)
    #expect(try roundTrip(-0.5...Double.infinity) == -0.5...Double.infinity)
    let days = [
      Date(timeIntervalSinceReferenceDate: 0.25), Date(timeIntervalSinceReferenceDate: 9),
    ]
    #expect(try roundTrip(["week": days[0]..<days[1]]) == ["week": days[0]..<days[1]])
  }

  @Test("Bounds that form no valid range are rejected")
  func badRanges() {
    expectRefusal(Range<Int>.self, [5, 1], "the bounds of a range are out of order: 5, then 1")
    expectRefusal(
      ClosedRange<Double>.self, [0, .real(.nan)],
      "the bounds of a range are out of order: 0.0, then nan")
    expectRefusal(
      Range<Double>.self, [.real(.nan), .real(.nan)],
      "the bounds of a range are out of order: nan, then nan")
    expectRefusal(Range<Int>.self, [5], "a range has two bounds, not 1")
    expectRefusal(Range<Int>.self, [1, "5"], "[1]: it is a string, and an integer was expected")
    expectRefusal(ClosedRange<Int>.self, 5, "it is an integer, and an array was expected")
  }

  @Test("Containers of containers are read back exactly")
  func nesting() throws {
    let value: [[String: Set<[String: Int]>]] = [["a": [["b": 1], ["c": 2]], "d": []], [:]]
    #expect(try roundTrip(value) == value)
    let bounds: [String: [ClosedRange<Int>?]] = ["x": [1...2, nil]]
    #expect(try roundTrip(bounds) == bounds)
    let bags = [Bag(["a", "b"]), Bag([])]
    #expect(try roundTrip(bags).map(\.items) == [["a", "b"], []])
  }

  @Test("A custom collection is stored as an array")
  func collections() throws {
    let bag = Bag(["Hello", "World!"])
    #expect(try Stored(encoding: bag) == ["Hello", "World!"])
    let copy = try roundTrip(bag)
    #expect(copy[0] == "Hello")
    #expect(copy[1] == "World!")
    expectRefusal(Bag<Int>.self, ["x"], "[0]: it is a string, and an integer was expected")
    expectRefusal(Firsts.self, [1, 1], "Firsts keeps only 1 of the 2 stored elements")
  }

  @Test("A custom set is stored as a sorted array")
  func setAlgebras() throws {
    let bag = SetBag(Set(["World!", "Hello"]))
    #expect(try Stored(encoding: bag) == ["Hello", "World!"])
    #expect(try roundTrip(bag) == bag)
    #expect(try roundTrip(bag).contains("Hello"))
    expectRefusal(SetBag<Int>.self, [1, 1.0], "[1]: the element equals an earlier element")
  }

  @Test("Filling an array encodes its defaults only for the elements that lack a field")
  func filling() throws {
    let values = (0..<10).map { Counted(host: "\($0)") }
    let complete = values.dropLast().map { Stored.string(#"{"host":"\#($0.host)","port":80}"#) }
    let coding = Defaults.Coding<[Counted]>.standard
    let entry = Stored.array(complete + [#"{"host":"9"}"#])
    #expect(try coding.value(ofEntry: entry, fillingFrom: [values]) == values)
    #expect(Counted.encodings.count == values.count)
  }
}

/// Counts the times that a value is encoded.
private struct Counted: Codable, Equatable, Sendable, Defaults.Serializable {
  static let encodings = Log<String>()

  var host: String
  var port = 80

  func encode(to encoder: any Encoder) throws {
    Self.encodings.append(host)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(host, forKey: .host)
    try container.encode(port, forKey: .port)
  }
}

/// Supports only the number 1 and throws for others.
private struct OneBridge: Defaults.PropertyListBridge {
  func encode(_ value: Int) throws(Defaults.ConversionError) -> Defaults.PropertyListValue {
    guard value == 1 else { throw Defaults.ConversionError("there is no bool \(value)") }
    return true
  }
  func decode(_ stored: Defaults.PropertyListValue) throws(Defaults.ConversionError) -> Int { 1 }
}

/// Keeps only the parity of a number.
private struct ParityBridge: Defaults.PropertyListBridge {
  func encode(_ value: Int) throws(Defaults.ConversionError) -> Defaults.PropertyListValue {
    .bool(value % 2 == 0)
  }
  func decode(_ stored: Defaults.PropertyListValue) throws(Defaults.ConversionError) -> Int { 0 }
}

private struct Namesake: LosslessStringConvertible, Hashable {
  let number: Int
  init(_ number: Int) { self.number = number }
  init?(_ description: String) { self.init(0) }
  var description: String { "k" }
}

/// Can't be created from its own description.
private struct Nameless: LosslessStringConvertible, Hashable {
  init() {}
  init?(_ description: String) { nil }
  var description: String { "k" }
}
