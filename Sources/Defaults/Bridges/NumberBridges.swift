import Foundation

extension Defaults {
  @usableFromInline
  struct BoolBridge: PropertyListBridge {
    @usableFromInline var shape: Shape { .bool }

    @inlinable
    init() {}

    @inlinable
    func encode(_ value: Bool) throws(ConversionError) -> PropertyListValue { .bool(value) }

    @inlinable
    func decode(_ stored: PropertyListValue) throws(ConversionError) -> Bool {
      switch stored {
      case .bool(let value): return value
      case .integer(0), .unsignedInteger(0), .real(0): return false
      case .integer(1), .unsignedInteger(1), .real(1): return true
      case .integer, .unsignedInteger, .real: throw .inexact(stored, as: "a bool")
      default: throw .mismatch(stored, expected: "a bool")
      }
    }
  }
}

extension Bool: Defaults.Serializable {
  /// Stores a `Bool` as a bool.
  ///
  /// Reads bools, and the numbers 0 and 1 of any kind. Other numbers and all strings are rejected.
  @_documentation(visibility: internal) @inlinable
  public static var bridge: some Defaults.Bridge<Self> { Defaults.BoolBridge() }
}

extension Defaults {
  @usableFromInline
  struct IntegerBridge<Value: FixedWidthInteger & Sendable>: PropertyListBridge {
    @usableFromInline var shape: Shape { .integer(of: Value.self) }

    @inlinable
    init() {}

    @inlinable
    func encode(_ value: Value) throws(ConversionError) -> PropertyListValue {
      guard let stored = PropertyListValue(exactly: value) else {
        throw .inexact(value, as: "an integer of 64 bits")
      }
      return stored
    }

    @inlinable
    func decode(_ stored: PropertyListValue) throws(ConversionError) -> Value {
      let value: Value?
      switch stored {
      case .integer(let number): value = Value(exactly: number)
      case .unsignedInteger(let number): value = Value(exactly: number)
      case .real(let number): value = Value(exactly: number)
      default: throw .mismatch(stored, expected: "an integer")
      }
      guard let value else { throw .inexact(stored, as: "\(Value.self)") }
      return value
    }
  }

  /// An integer type of up to 64 bits.
  @usableFromInline
  protocol StoredInteger: FixedWidthInteger, StructureScalar {}
}

extension Defaults.StoredInteger {
  /// Stores an integer of up to 64 bits as an integer.
  ///
  /// Reads any number that is exactly a value of the type: 5 and 5.0, but not 5.5, not 300 as an
  /// `Int8`, and never a bool or a string.
  @_documentation(visibility: internal) @inlinable
  public static var bridge: some Defaults.Bridge<Self> { Defaults.IntegerBridge() }
}

extension Int: Defaults.StoredInteger {}
extension Int8: Defaults.StoredInteger {}
extension Int16: Defaults.StoredInteger {}
extension Int32: Defaults.StoredInteger {}
extension Int64: Defaults.StoredInteger {}
extension UInt: Defaults.StoredInteger {}
extension UInt8: Defaults.StoredInteger {}
extension UInt16: Defaults.StoredInteger {}
extension UInt32: Defaults.StoredInteger {}
extension UInt64: Defaults.StoredInteger {}

struct WideIntegerBridge<Value: FixedWidthInteger & Sendable>: Defaults.PropertyListBridge {
  var shape: Defaults.Shape { .either(.string(.wholeNumber), or: [.integer(of: Value.self)]) }

  func encode(_ value: Value) throws(ConversionError) -> PropertyListValue {
    .string(String(value))
  }

  func decode(_ stored: PropertyListValue) throws(ConversionError) -> Value {
    guard case .string(let digits) = stored else {
      return try Defaults.IntegerBridge<Value>().decode(stored)
    }
    guard let value = Value(digits) else { throw .inexact("\"\(digits)\"", as: "\(Value.self)") }
    return value
  }
}

extension Int128: Defaults.Serializable {
  /// Stores an integer of any size as a string of its decimal digits.
  ///
  /// Reads such a string, and integers; "12 apples", an empty string and a number that the type
  /// doesn't hold are rejected.
  @_documentation(visibility: internal)
  public static var bridge: some Defaults.Bridge<Self> { WideIntegerBridge() }
}

extension UInt128: Defaults.Serializable {
  /// Stores decimal digits.
  @_documentation(visibility: internal)
  public static var bridge: some Defaults.Bridge<Self> { WideIntegerBridge() }
}

extension Defaults {
  @usableFromInline
  struct DoubleBridge: PropertyListBridge {
    @usableFromInline var shape: Shape { .real }

    @inlinable
    init() {}

    @inlinable
    func encode(_ value: Double) throws(ConversionError) -> PropertyListValue { .real(value) }

    @inlinable
    func decode(_ stored: PropertyListValue) throws(ConversionError) -> Double {
      let value: Double?
      switch stored {
      case .real(let number): value = number
      case .integer(let number): value = Double(exactly: number)
      case .unsignedInteger(let number): value = Double(exactly: number)
      default: throw .mismatch(stored, expected: "a number")
      }
      guard let value else { throw .inexact(stored, as: "Double") }
      return value
    }
  }

  @usableFromInline
  struct FloatBridge: PropertyListBridge {
    @usableFromInline var shape: Shape { .float }

    @inlinable
    init() {}

    @inlinable
    func encode(_ value: Float) throws(ConversionError) -> PropertyListValue {
      .real(value.isNaN ? Self.wideNaN(value) : Self.decimal(of: value))
    }

    @inlinable
    func decode(_ stored: PropertyListValue) throws(ConversionError) -> Float {
      let number = try DoubleBridge().decode(stored)
      if number.isNaN { return Self.narrowNaN(number) }
      let value = Float(number)
      guard Double(value) == number || (value.isFinite && Self.decimal(of: value) == number) else {
        throw .inexact(number, as: "Float")
      }
      return value
    }

    /// Returns the real with the fewest decimals whose nearest `Float` is the value: 0.1 for 0.1.
    /// Returns the exact value if it is whole or has very many decimals.
    @usableFromInline
    static func decimal(of value: Float) -> Double {
      let exact = Double(value)
      var power = 1.0
      for _ in 0...12 {
        // Both operands are whole and exact, so the quotient is the real nearest to the decimal.
        let decimal = (exact * power).rounded() / power
        if Float(decimal) == value { return decimal }
        power *= 10
      }
      guard let decimal = Double("\(value)"), Float(decimal) == value else { return exact }
      return decimal
    }

    /// Returns the NaN with the same sign and payload. The processor's conversion would lose the
    /// difference between a signaling and a quiet NaN.
    @usableFromInline
    static func wideNaN(_ value: Float) -> Double {
      let sign = UInt64(value.bitPattern >> 31) << 63
      let infinity = Double.infinity.bitPattern
      return Double(bitPattern: sign | infinity | UInt64(value.significandBitPattern) << 29)
    }

    /// The inverse of `wideNaN`. If no bit of the payload fits, the result has the payload of
    /// `Float.nan`.
    @usableFromInline
    static func narrowNaN(_ value: Double) -> Float {
      let sign = UInt32(truncatingIfNeeded: value.bitPattern >> 63) << 31
      let payload = UInt32(truncatingIfNeeded: value.significandBitPattern >> 29)
      let significand = payload == 0 ? Float.nan.significandBitPattern : payload
      return Float(bitPattern: sign | Float.infinity.bitPattern | significand)
    }
  }
}

extension Double: Defaults.Serializable {
  /// Stores a `Double` as a real with the same bits, even for `-0.0` and a NaN.
  ///
  /// Reads reals, and integers that a `Double` holds exactly.
  @_documentation(visibility: internal) @inlinable
  public static var bridge: some Defaults.Bridge<Self> { Defaults.DoubleBridge() }
}

extension Float: Defaults.Serializable {
  /// Stores a `Float` as the real with its decimal digits, 0.1 for 0.1, so that it is displayed and
  /// exported as it was written.
  ///
  /// Reads such reals, and reals and integers that a `Float` holds exactly: 0.5, infinities and
  /// every NaN. A real with more digits is rejected. A text may have any number of digits, and is
  /// read as the nearest `Float`.
  @_documentation(visibility: internal) @inlinable
  public static var bridge: some Defaults.Bridge<Self> { Defaults.FloatBridge() }
}

extension Defaults {
  /// The bridge of `CGFloat`: the bridge of `Double` or, on platforms of 32 bits, of `Float`.
  @usableFromInline
  struct CGFloatBridge: PropertyListBridge {
    @usableFromInline var shape: Shape { .real }

    @inlinable
    init() {}

    @inlinable
    func encode(_ value: CGFloat) throws(ConversionError) -> PropertyListValue {
      try CGFloat.NativeType.bridge.encode(value.native)
    }

    @inlinable
    func decode(_ stored: PropertyListValue) throws(ConversionError) -> CGFloat {
      CGFloat(try CGFloat.NativeType.bridge.decode(stored))
    }
  }
}

extension CGFloat: Defaults.Serializable {
  /// Stores a real.
  @_documentation(visibility: internal) @inlinable
  public static var bridge: some Defaults.Bridge<Self> { Defaults.CGFloatBridge() }
}
