import Foundation
import TestSupport
import Testing

@testable import Defaults

@Suite("Errors in a hand-written encode(to:)")
struct StructureMisuseTests {
  /// Encodes with a closure.
  private struct Custom: Codable {
    var body: @Sendable (any Encoder) throws -> Void
    init(_ body: @escaping @Sendable (any Encoder) throws -> Void) { self.body = body }
    init(from decoder: any Decoder) throws { body = { _ in } }
    func encode(to encoder: any Encoder) throws { try body(encoder) }
  }

  private enum Keys: CodingKey { case a, b }

  @Test("A value that encodes itself as both a list and a dictionary is rejected")
  func twoKinds() {
    let reason = "`encode(to:)` requests two kinds of container"
    expect(
      .propertyList,
      refusesToWrite: Custom { encoder in
        _ = encoder.container(keyedBy: Keys.self)
        var list = encoder.unkeyedContainer()
        try list.encode(1)
      }, reason)
    expect(
      .propertyList,
      refusesToWrite: Custom { encoder in
        var single = encoder.singleValueContainer()
        try single.encode(1)
        var list = encoder.unkeyedContainer()
        try list.encode(1)
      }, reason)
    expect(
      .propertyList,
      refusesToWrite: Custom { encoder in
        var single = encoder.singleValueContainer()
        try single.encode(1)
        var fields = encoder.container(keyedBy: Keys.self)
        try fields.encode(1, forKey: .a)
      }, reason)
    // If `encode(to:)` swallows the error, the coding still detects it at the end.
    expect(
      .propertyList,
      refusesToWrite: Custom { encoder in
        var fields = encoder.container(keyedBy: Keys.self)
        try fields.encode(1, forKey: .a)
        var list = encoder.unkeyedContainer()
        try? list.encode(1)
        var inner = list.nestedContainer(keyedBy: Keys.self)
        try? inner.encode(1, forKey: .a)
      }, reason)
  }

  @Test("A part that was written into a nested container can't be written again")
  func writtenTwice() {
    expect(
      .propertyList,
      refusesToWrite: Custom { encoder in
        var fields = encoder.container(keyedBy: Keys.self)
        let parent = fields.superEncoder(forKey: .a)
        var first = parent.singleValueContainer()
        try first.encode(1)
        try fields.encode(2, forKey: .a)
      }, "a: the value is encoded twice")
    expect(
      .propertyList,
      refusesToWrite: Custom { encoder in
        try Date(timeIntervalSince1970: 0).encode(to: encoder)
        try [1].encode(to: encoder)
      }, "`encode(to:)` requests two kinds of container")
  }

  @Test("A single 128-bit integer is stored as text")
  func wideIntegers() {
    expect(.propertyList, UInt128.max, isStoredAs: .string("\(UInt128.max)"))
    expect(.propertyList, Wrapper(number: .max), isStoredAs: .string("\(UInt128.max)"))
    expect(
      Defaults.Coding<Wrapper>.propertyList, refuses: "-1",
      "\"-1\" isn't exactly representable as UInt128")
  }

  private struct Wrapper: Codable, Equatable {
    var number: UInt128
    init(number: UInt128) { self.number = number }
    init(from decoder: any Decoder) throws {
      number = try decoder.singleValueContainer().decode(UInt128.self)
    }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(number)
    }
  }

  @Test("An error that an optional list element throws while encoding is rethrown")
  func optionalElement() {
    struct Odd: Error, CustomStringConvertible { let description = "five is odd" }
    expect(
      .propertyList,
      refusesToWrite: Custom { encoder in
        var list = encoder.unkeyedContainer()
        try list.encode(Custom?.some(Custom { _ in throw Odd() }))
      }, "five is odd")
  }

  @Test("A list element that couldn't be encoded isn't in the list if the error is caught")
  func caughtError() throws {
    struct Odd: Error {}
    let list = Custom { encoder in
      var list = encoder.unkeyedContainer()
      try list.encode(1)
      for value in [Double.nan, 2] {
        try? list.encode(
          Custom { encoder in
            var fields = encoder.container(keyedBy: Keys.self)
            try fields.encode(value, forKey: .a)
            if value.isNaN { throw Odd() }
          })
      }
      #expect(list.count == 2)
    }
    #expect(try Defaults.Coding<Custom>.propertyList.encode(list) == [1, ["a": 2.0]])
  }

  private struct Unspeakable: StructureScalar, Codable {
    static let bridge = Bridge()
    struct Bridge: Defaults.PropertyListBridge {
      func encode(_: Unspeakable) throws(Defaults.ConversionError) -> Defaults.PropertyListValue {
        throw Defaults.ConversionError("there is no word for it")
      }
      func decode(_: Defaults.PropertyListValue) throws(Defaults.ConversionError) -> Unspeakable {
        Unspeakable()
      }
    }
  }

  @Test("If a bridge rejects a value, encoding fails with its path; the value isn't left out")
  func refusedScalar() {
    let reason = "there is no word for it"
    expect(.propertyList, refusesToWrite: Unspeakable(), reason)
    expect(.propertyList, refusesToWrite: ["a": Unspeakable()], "a: \(reason)")
    expect(.propertyList, refusesToWrite: [Unspeakable()], "[0]: \(reason)")
  }

  @Test("A conversion error that a value throws keeps its reason and path")
  func ownErrors() {
    let refusal = Defaults.ConversionError("it is too late", path: ["clock"])
    expect(
      .propertyList, refusesToWrite: Custom { _ in throw refusal }, "clock: it is too late")
    expect(.json, refusesToWrite: Custom { _ in throw refusal }, "clock: it is too late")
    let underlying = EncodingError.invalidValue(
      5, .init(codingPath: [], debugDescription: "no.", underlyingError: refusal))
    expect(
      .propertyList, refusesToWrite: Custom { _ in throw underlying },
      "no (clock: it is too late)")
    struct Odd: Error, CustomStringConvertible { let description = "five is odd" }
    expect(.json, refusesToWrite: Custom { _ in throw Odd() }, "five is odd")
  }
}
