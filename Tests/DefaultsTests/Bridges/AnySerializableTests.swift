import Defaults
import Foundation
import TestSupport
import Testing

@Suite("AnySerializable")
struct AnySerializableTests {
  typealias Stored = Defaults.PropertyListValue
  typealias AnyValue = Defaults.AnySerializable

  private enum Mime: String, Defaults.Serializable {
    case json = "application/json"
    case stream = "application/octet-stream"
  }

  private struct Unencodable: Defaults.Serializable, Hashable {
    struct Bridge: Defaults.PropertyListBridge {
      func encode(_ value: Unencodable) throws(Defaults.ConversionError) -> Stored {
        throw Defaults.ConversionError("it never can be")
      }
      func decode(_ stored: Stored) throws(Defaults.ConversionError) -> Unencodable {
        Unencodable()
      }
    }
    static var bridge: Bridge { Bridge() }
  }

  @Test("Literals of every kind are stored as values of their own type")
  func literals() throws {
    #expect(try Stored(encoding: true as AnyValue) == true)
    #expect(try Stored(encoding: 1 as AnyValue) == 1)
    #expect(try Stored(encoding: 0.5 as AnyValue) == 0.5)
    #expect(try Stored(encoding: "🦄" as AnyValue) == "🦄")
    #expect(try Stored(encoding: [1, "two", [true]] as AnyValue) == [1, "two", [true]])
    #expect(
      try Stored(encoding: ["a": 1, "b": ["c": 0.5]] as AnyValue) == ["a": 1, "b": ["c": 0.5]])
    #expect(try Stored(encoding: [] as AnyValue) == [])
    #expect(try Stored(encoding: [:] as AnyValue) == [:])
  }

  @Test("AnySerializable returns its value only as the type that was stored")
  func getting() {
    var any = AnyValue(Mime.json)
    if let mime: Mime = any.get() { #expect(mime == .json) } else { Issue.record("no type") }
    #expect(any.get(String.self) == "application/json")
    #expect(any.get(Int.self) == nil)
    any.set(Mime.stream)
    #expect(any.get(Mime.self) == .stream)
    any.set(5)
    #expect(any.get(Mime.self) == nil)
    #expect(any.get(Double.self) == 5)
    any = "🦄"
    #expect(any.get() == "🦄")
    #expect(AnyValue(Int?.some(3)).get(Int.self) == 3)
    #expect(AnyValue(AnyValue(3)).get(Int.self) == 3)
  }

  @Test("AnySerializable stores a value as an explicitly named type")
  func setAsType() {
    var any: Defaults.AnySerializable = 1
    any.set([], type: [Int].self)
    #expect(any == [])
    any.set(2.0, type: Double.self)
    #expect(any.get(Double.self) == 2)
    #expect(any == 2.0)
  }

  @Test("AnySerializable holds mixed values in a dictionary, an array and a set")
  func containers() throws {
    var magic: [String: AnyValue] = [:]
    magic["unicorn"] = "🦄"
    magic["number"] = 3
    magic["boolean"] = true
    magic["enum"] = AnyValue(Mime.json)
    magic["date"] = AnyValue(Date(timeIntervalSinceReferenceDate: 0.5))
    let copy = try roundTrip(magic)
    #expect(copy == magic)
    #expect(copy["enum"]?.get(Mime.self) == .json)
    #expect(copy["date"]?.get(Date.self) == Date(timeIntervalSinceReferenceDate: 0.5))
    #expect(try roundTrip([1, "a", 0.5] as [AnyValue]) == [1, "a", 0.5])
    #expect(try roundTrip([1, "a", 0.5] as Set<AnyValue>) == [1, "a", 0.5])
  }

  @Test("AnySerializable with nil removes an entry and is rejected inside a collection")
  func nothing() throws {
    let none: AnyValue = nil
    #expect(try AnyValue.bridge.edit(for: none) == .remove)
    #expect(none.get(Int.self) == nil)
    #expect(AnyValue(Int?.none) == none)
    let error = Defaults.ConversionError("nil can't be stored inside a collection", path: ["[1]"])
    #expect(throws: error) { try Stored(encoding: [1, none]) }
    #expect(throws: error) { try AnyValue.bridge.edit(for: [1, nil]) }
    #expect(
      throws: Defaults.ConversionError("nil can't be stored inside a collection", path: ["a"])
    ) {
      try AnyValue.bridge.edit(for: ["a": nil])
    }
    #expect(try AnyValue?.bridge.edit(for: .none) == .remove)
    #expect(throws: Defaults.ConversionError("nil can't be stored inside a collection")) {
      try AnyValue?.bridge.edit(for: .some(none))
    }
    #expect(try entryRoundTrip(AnyValue?.some(5)) == .some(5))
  }

  @Test("Writing an AnySerializable whose value can't be encoded throws the reason")
  func unencodable() {
    let error = Defaults.ConversionError("it never can be")
    var any = AnyValue(Unencodable())
    #expect(throws: error) { try AnyValue.bridge.edit(for: any) }
    #expect(throws: error) { try Stored(encoding: any) }
    #expect(any.get(Unencodable.self) == nil)
    #expect(throws: Defaults.ConversionError("it never can be", path: ["[0]"])) {
      try AnyValue.bridge.edit(for: AnyValue([any]))
    }
    any.set(1)
    #expect(any == 1)
  }

  @Test("AnySerializable is equal and hashed like its stored value")
  func equality() {
    #expect(AnyValue(1) == 1)
    #expect(AnyValue(1) != 1.0)
    #expect(AnyValue(UInt64(1)) == AnyValue(Int8(1)))
    #expect(AnyValue(Mime.json) == "application/json")
    #expect(AnyValue(UInt64(1)).hashValue == AnyValue(Int8(1)).hashValue)
    #expect((nil as AnyValue) != false)
  }

  @Test("AnySerializable is described like a literal")
  func descriptions() {
    #expect("\([1, "a\n", 0.5, true] as AnyValue)" == #"[1, "a\n", 0.5, true]"#)
    #expect("\(["b": [:], "a": []] as AnyValue)" == #"["a": [], "b": [:]]"#)
    #expect("\(nil as AnyValue)" == "nil")
    #expect("\(AnyValue(Unencodable()))" == "unencodable (it never can be)")
  }
}
