extension Defaults {
  /// Stores a `Double` as a real, bit by bit: signs of zero and payloads of NaN included.
  ///
  /// Reads reals, and integers that a `Double` holds exactly.
  @frozen
  public struct DoubleBridge: PropertyListBridge {
    /// The only instance there need be.
    @inlinable
    public init() {}

    /// A real; never throws.
    @inlinable
    public func encode(_ value: Double) throws(ConversionError) -> PropertyListValue {
      .real(value)
    }

    /// The real, or the integer as one.
    @inlinable
    public func decode(_ stored: PropertyListValue) throws(ConversionError) -> Double {
      switch stored {
      case .real(let value):
        return value
      case .integer(let number):
        guard let value = Double(exactly: number) else { throw .inexact(number, as: "Double") }
        return value
      case .unsignedInteger(let number):
        guard let value = Double(exactly: number) else { throw .inexact(number, as: "Double") }
        return value
      default:
        throw .mismatch(stored, expected: "a number")
      }
    }
  }

  /// Stores a `Float` as the real of the same value.
  ///
  /// Reads reals and integers that a `Float` holds exactly: 0.5, infinities and every NaN, but not
  /// the `Double` 0.1.
  @frozen
  public struct FloatBridge: PropertyListBridge {
    /// The only instance there need be.
    @inlinable
    public init() {}

    /// A real; never throws.
    @inlinable
    public func encode(_ value: Float) throws(ConversionError) -> PropertyListValue {
      .real(value.isNaN ? Self.wideNaN(value) : Double(value))
    }

    /// The number, if a `Float` holds it exactly.
    @inlinable
    public func decode(_ stored: PropertyListValue) throws(ConversionError) -> Float {
      let number = try DoubleBridge().decode(stored)
      if number.isNaN { return Self.narrowNaN(number) }
      guard let value = Float(exactly: number) else { throw .inexact(number, as: "Float") }
      return value
    }

    /// The NaN with the same sign and payload; the processor's conversion would lose the
    /// difference between a signaling and a quiet one.
    @usableFromInline
    static func wideNaN(_ value: Float) -> Double {
      let sign = UInt64(value.bitPattern >> 31) << 63
      let infinity = Double.infinity.bitPattern
      return Double(bitPattern: sign | infinity | UInt64(value.significandBitPattern) << 29)
    }

    /// The inverse of `wideNaN`; a payload of which nothing fits becomes that of `Float.nan`.
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
  /// Stores a real.
  @inlinable
  public static var bridge: Defaults.DoubleBridge { Defaults.DoubleBridge() }
}

extension Float: Defaults.Serializable {
  /// Stores a real.
  @inlinable
  public static var bridge: Defaults.FloatBridge { Defaults.FloatBridge() }
}
