import Defaults
import Foundation
import TestSupport
import Testing

@Suite("Bridges of scalar types")
struct ScalarBridgeTests {
  typealias Stored = Defaults.PropertyListValue

  @Test("A bool is stored as a bool and also reads 0 and 1")
  func bools() throws {
    #expect(try Stored(encoding: true) == .bool(true))
    #expect(try Stored(encoding: false) == .bool(false))
    for zero: Stored in [.bool(false), .integer(0), .unsignedInteger(0), .real(0), .real(-0.0)] {
      #expect(try zero.decoded(as: Bool.self) == false)
    }
    for one: Stored in [.bool(true), .integer(1), .unsignedInteger(1), .real(1)] {
      #expect(try one.decoded(as: Bool.self) == true)
    }
    expectRefusal(Bool.self, 2, "2 isn't exactly representable as a bool")
    expectRefusal(Bool.self, 0.5, "0.5 isn't exactly representable as a bool")
    expectRefusal(Bool.self, .real(.nan), "nan isn't exactly representable as a bool")
    expectRefusal(Bool.self, "YES", "it is a string, and a bool was expected")
    expectRefusal(Bool.self, [], "it is an array, and a bool was expected")
  }

  func checkLimits<I: FixedWidthInteger & Defaults.Serializable>(_ type: I.Type) throws {
    for value in [I.min, I.max, 0, 1] {
      #expect(try roundTrip(value) == value)
      #expect(try entryRoundTrip(value) == value)
    }
    expectRefusal(I.self, 5.5, "5.5 isn't exactly representable as \(I.self)")
    expectRefusal(I.self, .real(1e30), "1e+30 isn't exactly representable as \(I.self)")
    expectRefusal(I.self, .real(.nan), "nan isn't exactly representable as \(I.self)")
    expectRefusal(I.self, .real(.infinity), "inf isn't exactly representable as \(I.self)")
    expectRefusal(I.self, true, "it is a bool, and an integer was expected")
    expectRefusal(I.self, "5", "it is a string, and an integer was expected")
    #expect(try Stored.real(5).decoded(as: I.self) == 5)
    #expect(try Stored.unsignedInteger(5).decoded(as: I.self) == 5)
  }

  @Test("Integers of every width keep their limits and read only exact numbers")
  func integers() throws {
    try checkLimits(Int.self)
    try checkLimits(Int8.self)
    try checkLimits(Int16.self)
    try checkLimits(Int32.self)
    try checkLimits(Int64.self)
    try checkLimits(UInt.self)
    try checkLimits(UInt8.self)
    try checkLimits(UInt16.self)
    try checkLimits(UInt32.self)
    try checkLimits(UInt64.self)
    expectRefusal(Int8.self, 128, "128 isn't exactly representable as Int8")
    expectRefusal(UInt.self, -1, "-1 isn't exactly representable as UInt")
    expectRefusal(
      Int.self, .unsignedInteger(.max),
      "18446744073709551615 isn't exactly representable as Int")
  }

  @Test("An integer that fits Int64 is stored as `integer`, and a larger one as `unsignedInteger`")
  func integerCases() throws {
    guard case .integer(5) = try Stored(encoding: UInt64(5)) else {
      Issue.record("The form isn't an integer")
      return
    }
    guard case .unsignedInteger(.max) = try Stored(encoding: UInt64.max) else {
      Issue.record("The form isn't an unsigned integer")
      return
    }
  }

  @Test(
    "128-bit integers are stored as digits",
    arguments: [Int128.min, .max, 0, -1, Int128(UInt64.max) + 1])
  func wideIntegers(_ value: Int128) throws {
    #expect(try Stored(encoding: value) == .string(String(value)))
    #expect(try roundTrip(value) == value)
    let unsigned = UInt128(truncatingIfNeeded: value)
    #expect(try roundTrip(unsigned) == unsigned)
  }

  @Test("A 128-bit integer is read from an integer, or from text that consists only of the number")
  func wideIntegerRefusals() throws {
    #expect(try Stored(7).decoded(as: Int128.self) == 7)
    #expect(try Stored.unsignedInteger(.max).decoded(as: UInt128.self) == UInt128(UInt64.max))
    for text in ["", "12 apples", "1.0", " 1", "340282366920938463463374607431768211456"] {
      expectRefusal(
        UInt128.self, .string(text), "\"\(text)\" isn't exactly representable as UInt128")
    }
    expectRefusal(UInt128.self, "-1", "\"-1\" isn't exactly representable as UInt128")
    expectRefusal(Int128.self, true, "it is a bool, and an integer was expected")
  }

  static let someDoubles: [Double] = [
    0, -0.0, 0.1, -1.5, .leastNonzeroMagnitude, .leastNormalMagnitude, .greatestFiniteMagnitude,
    .infinity, -.infinity, .nan, -.nan, .signalingNaN, Double(nan: 0x1234, signaling: false),
  ]

  @Test("A Double is read back bit for bit", arguments: someDoubles)
  func doubles(_ value: Double) throws {
    #expect(try roundTrip(value).bitPattern == value.bitPattern)
    #expect(try roundTrip(CGFloat(value)).native.bitPattern == CGFloat(value).native.bitPattern)
  }

  static let someFloats: [Float] = [
    0, -0.0, 0.1, .leastNonzeroMagnitude, .greatestFiniteMagnitude, .infinity, -.infinity, .nan,
    -.nan, .signalingNaN, Float(nan: 0x1234, signaling: false), Float(nan: 1, signaling: true),
  ]

  @Test("A Float is read back bit for bit", arguments: someFloats)
  func floats(_ value: Float) throws {
    #expect(try roundTrip(value).bitPattern == value.bitPattern)
  }

  @Test("Floats reject numbers that they'd have to round")
  func inexactReals() throws {
    #expect(try Stored.integer(1 << 53).decoded(as: Double.self) == 0x1p53)
    #expect(try Stored.unsignedInteger(1 << 63).decoded(as: Double.self) == 0x1p63)
    #expect(try Stored(0.5).decoded(as: Float.self) == 0.5)
    #expect(try Stored.integer(3).decoded(as: CGFloat.self) == 3)
    #expect(
      try Stored.real(Double(bitPattern: 0x7FF0_0000_0000_0001)).decoded(as: Float.self).isNaN)
    expectRefusal(
      Double.self, .integer(1 << 53 + 1), "9007199254740993 isn't exactly representable as Double")
    expectRefusal(
      Double.self, .unsignedInteger(.max),
      "18446744073709551615 isn't exactly representable as Double")
    expectRefusal(Float.self, 0.123456789012, "0.123456789012 isn't exactly representable as Float")
    expectRefusal(Float.self, 16777217.0, "16777217.0 isn't exactly representable as Float")
    expectRefusal(Float.self, 1e300, "1e+300 isn't exactly representable as Float")
    expectRefusal(Double.self, true, "it is a bool, and a number was expected")
    expectRefusal(Double.self, "1.5", "it is a string, and a number was expected")
  }

  static let someStrings: [LongText] = [
    "", "text", "a\0b", "\u{1}\u{7F}\u{1B}\r\n", "🦄👩‍👩‍👧‍👦", "\u{E9}", "e\u{301}", "\u{FEFF}x",
    "\u{FFFE}",
    LongText(repeating: "ü", count: 1_000_000),
  ]

  @Test("A string is read back scalar by scalar", arguments: someStrings)
  func strings(_ text: LongText) throws {
    let value = text.value
    #expect(try Array(roundTrip(value).unicodeScalars) == Array(value.unicodeScalars))
    #expect(try Array(roundTrip([value: value])[value]?.utf8 ?? "?".utf8) == Array(value.utf8))
  }

  @Test("Data and dates are read back exactly, and other types are rejected")
  func dataAndDates() throws {
    for data in [Data(), Data([0, 255]), Data(repeating: 7, count: 1 << 20)] {
      #expect(try roundTrip(data) == data)
    }
    let times: [TimeInterval] = [0, -0.0, 0.1234567890123, -6e10, 1e300, .infinity]
    for time in times {
      let date = Date(timeIntervalSinceReferenceDate: time)
      let copy = try roundTrip(date).timeIntervalSinceReferenceDate
      #expect(copy.bitPattern == time.bitPattern)
    }
    expectRefusal(
      Data.self, "AA==",
      #"it is a string, and data was expected; in JSON, write {"$data": "AAEC"}, in base 64"#)
    expectRefusal(
      Date.self, 5,
      "it is an integer, and a date was expected; in JSON, write "
        + #"{"$date": "2026-01-01T00:00:00Z"}"#)
    expectRefusal(String.self, .data(Data()), "it is data, and a string was expected")
  }
}
