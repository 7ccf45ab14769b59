import Foundation

extension Defaults {
  /// Stores a `CGFloat` like the `Double` or, on platforms of 32 bits, the `Float` that it is.
  @frozen
  public struct CGFloatBridge: PropertyListBridge {
    /// The only instance there need be.
    @inlinable
    public init() {}

    /// A real; never throws.
    @inlinable
    public func encode(_ value: CGFloat) throws(ConversionError) -> PropertyListValue {
      try CGFloat.NativeType.bridge.encode(value.native)
    }

    /// The number, if a `CGFloat` holds it exactly.
    @inlinable
    public func decode(_ stored: PropertyListValue) throws(ConversionError) -> CGFloat {
      CGFloat(try CGFloat.NativeType.bridge.decode(stored))
    }
  }
}

extension CGFloat: Defaults.Serializable {
  /// Stores a real.
  @inlinable
  public static var bridge: Defaults.CGFloatBridge { Defaults.CGFloatBridge() }
}
