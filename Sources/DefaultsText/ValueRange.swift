import Defaults

extension Defaults {
  /// The allowed values of a setting, as its trait `in` declares them.
  public struct ValueRange: Sendable, CustomStringConvertible {
    private let limit: RangeLimit

    init(_ limit: RangeLimit) { self.limit = limit }

    /// The least allowed value; nil if there is none.
    public var lowerBound: PropertyListValue? { limit.lowerBound }
    /// The greatest allowed value, or the first excluded one; nil if there is none.
    public var upperBound: PropertyListValue? { limit.upperBound }
    /// Whether the upper bound itself is allowed.
    public var includesUpperBound: Bool { limit.includesUpperBound }

    /// The range in Swift syntax: `0...11`, `1...`, `..<5.0`.
    @_documentation(visibility: internal)
    public var description: String { limit.description }
  }
}
