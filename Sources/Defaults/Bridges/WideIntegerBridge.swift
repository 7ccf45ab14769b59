extension Defaults {
  /// Stores an integer of any width as its decimal digits, in a string.
  ///
  /// Reads such a string as a whole, and integers; "12 apples", an empty string and a number that
  /// the type doesn't hold are refused.
  public struct WideIntegerBridge<Value: FixedWidthInteger & Sendable>: PropertyListBridge {
    /// The only instance there need be.
    public init() {}

    /// The decimal digits, after a minus sign if the number is negative; never throws.
    public func encode(_ value: Value) throws(ConversionError) -> PropertyListValue {
      .string(String(value))
    }

    /// The number that the digits, or an integer, stand for.
    public func decode(_ stored: PropertyListValue) throws(ConversionError) -> Value {
      guard case .string(let digits) = stored else {
        return try IntegerBridge<Value>().decode(stored)
      }
      guard let value = Value(digits) else { throw .inexact("\"\(digits)\"", as: "\(Value.self)") }
      return value
    }
  }
}

extension Int128: Defaults.Serializable {
  /// Stores decimal digits.
  public static var bridge: Defaults.WideIntegerBridge<Int128> { Defaults.WideIntegerBridge() }
}

extension UInt128: Defaults.Serializable {
  /// Stores decimal digits.
  public static var bridge: Defaults.WideIntegerBridge<UInt128> { Defaults.WideIntegerBridge() }
}
