extension Defaults {
  /// Stores a `Range` as an array of its two bounds, the lower one first.
  ///
  /// Bounds that are out of order, or can't be compared as NaN can't, are refused.
  public struct RangeBridge<Bound: Bridge>: PropertyListBridge where Bound.Value: Comparable {
    /// Converts the bounds.
    public let bound: Bound

    /// A bridge for ranges of what `bound` converts.
    public init(_ bound: Bound) { self.bound = bound }

    /// The bounds.
    public func encode(_ value: Range<Bound.Value>) throws(ConversionError) -> PropertyListValue {
      try BoundsBridge(bound: bound).encode(value.lowerBound, value.upperBound)
    }

    /// The range of the bounds.
    public func decode(_ stored: PropertyListValue) throws(ConversionError) -> Range<Bound.Value> {
      let (lower, upper) = try BoundsBridge(bound: bound).decode(stored)
      return lower..<upper
    }
  }

  /// Stores a `ClosedRange` as an array of its two bounds, the lower one first.
  ///
  /// Bounds that are out of order, or can't be compared as NaN can't, are refused.
  public struct ClosedRangeBridge<Bound: Bridge>: PropertyListBridge
  where Bound.Value: Comparable {
    /// Converts the bounds.
    public let bound: Bound

    /// A bridge for ranges of what `bound` converts.
    public init(_ bound: Bound) { self.bound = bound }

    /// The bounds.
    public func encode(
      _ value: ClosedRange<Bound.Value>
    ) throws(ConversionError) -> PropertyListValue {
      try BoundsBridge(bound: bound).encode(value.lowerBound, value.upperBound)
    }

    /// The range of the bounds.
    public func decode(
      _ stored: PropertyListValue
    ) throws(ConversionError) -> ClosedRange<Bound.Value> {
      let (lower, upper) = try BoundsBridge(bound: bound).decode(stored)
      return lower...upper
    }
  }

  /// What both kinds of range have in common: two bounds in order.
  private struct BoundsBridge<Bound: Bridge> where Bound.Value: Comparable {
    let bound: Bound

    func encode(
      _ lower: Bound.Value, _ upper: Bound.Value
    ) throws(ConversionError) -> PropertyListValue {
      try check(lower, upper)
      return try ArrayBridge(bound).encode([lower, upper])
    }

    func decode(
      _ stored: PropertyListValue
    ) throws(ConversionError) -> (lower: Bound.Value, upper: Bound.Value) {
      let bounds = try ArrayBridge(bound).decode(stored)
      guard bounds.count == 2 else {
        throw ConversionError("a range has two bounds, not \(bounds.count)")
      }
      try check(bounds[0], bounds[1])
      return (bounds[0], bounds[1])
    }

    /// A range that is out of order traps, and unchecked initializers make some that are.
    private func check(_ lower: Bound.Value, _ upper: Bound.Value) throws(ConversionError) {
      guard lower <= upper else {
        throw ConversionError("the bounds of a range are out of order: \(lower), then \(upper)")
      }
    }
  }
}

extension Range: Defaults.Serializable where Bound: Defaults.Serializable {
  /// Stores the bounds.
  public static var bridge: Defaults.RangeBridge<Bound.Bridge> {
    Defaults.RangeBridge(Bound.bridge)
  }
}

extension ClosedRange: Defaults.Serializable where Bound: Defaults.Serializable {
  /// Stores the bounds.
  public static var bridge: Defaults.ClosedRangeBridge<Bound.Bridge> {
    Defaults.ClosedRangeBridge(Bound.bridge)
  }
}
