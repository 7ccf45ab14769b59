extension Defaults {
  /// Stores an integer of up to 64 bits as an integer.
  ///
  /// Reads any number that is exactly a value of the type: 5 and 5.0, but not 5.5, not 300 as an
  /// `Int8`, and never a bool or a string.
  @frozen
  public struct IntegerBridge<Value: FixedWidthInteger & Sendable>: PropertyListBridge {
    /// The only instance there need be.
    @inlinable
    public init() {}

    /// An integer; throws only for a number that neither `Int64` nor `UInt64` holds.
    @inlinable
    public func encode(_ value: Value) throws(ConversionError) -> PropertyListValue {
      guard let stored = PropertyListValue(exactly: value) else {
        throw .inexact(value, as: "an integer of 64 bits")
      }
      return stored
    }

    /// The number, if the type holds it exactly.
    @inlinable
    public func decode(_ stored: PropertyListValue) throws(ConversionError) -> Value {
      switch stored {
      case .integer(let number):
        guard let value = Value(exactly: number) else {
          throw .inexact(number, as: "\(Value.self)")
        }
        return value
      case .unsignedInteger(let number):
        guard let value = Value(exactly: number) else {
          throw .inexact(number, as: "\(Value.self)")
        }
        return value
      case .real(let number):
        guard let value = Value(exactly: number) else {
          throw .inexact(number, as: "\(Value.self)")
        }
        return value
      default:
        throw .mismatch(stored, expected: "an integer")
      }
    }
  }
}

extension Int: Defaults.Serializable {
  /// Stores an integer.
  @inlinable
  public static var bridge: Defaults.IntegerBridge<Int> { Defaults.IntegerBridge() }
}

extension Int8: Defaults.Serializable {
  /// Stores an integer.
  @inlinable
  public static var bridge: Defaults.IntegerBridge<Int8> { Defaults.IntegerBridge() }
}

extension Int16: Defaults.Serializable {
  /// Stores an integer.
  @inlinable
  public static var bridge: Defaults.IntegerBridge<Int16> { Defaults.IntegerBridge() }
}

extension Int32: Defaults.Serializable {
  /// Stores an integer.
  @inlinable
  public static var bridge: Defaults.IntegerBridge<Int32> { Defaults.IntegerBridge() }
}

extension Int64: Defaults.Serializable {
  /// Stores an integer.
  @inlinable
  public static var bridge: Defaults.IntegerBridge<Int64> { Defaults.IntegerBridge() }
}

extension UInt: Defaults.Serializable {
  /// Stores an integer.
  @inlinable
  public static var bridge: Defaults.IntegerBridge<UInt> { Defaults.IntegerBridge() }
}

extension UInt8: Defaults.Serializable {
  /// Stores an integer.
  @inlinable
  public static var bridge: Defaults.IntegerBridge<UInt8> { Defaults.IntegerBridge() }
}

extension UInt16: Defaults.Serializable {
  /// Stores an integer.
  @inlinable
  public static var bridge: Defaults.IntegerBridge<UInt16> { Defaults.IntegerBridge() }
}

extension UInt32: Defaults.Serializable {
  /// Stores an integer.
  @inlinable
  public static var bridge: Defaults.IntegerBridge<UInt32> { Defaults.IntegerBridge() }
}

extension UInt64: Defaults.Serializable {
  /// Stores an integer.
  @inlinable
  public static var bridge: Defaults.IntegerBridge<UInt64> { Defaults.IntegerBridge() }
}
