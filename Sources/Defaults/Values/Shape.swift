extension Defaults {
  /// What kind of property list a bridge makes of its values.
  ///
  /// From it come the text that a person types for a setting, the words that say what the setting
  /// accepts, and its JSON Schema. A bridge to a `Serializable` type has that type's shape without
  /// saying so; a ``PropertyListBridge`` may name its own. Nothing that is stored depends on it.
  public indirect enum Shape: Sendable {
    /// Any property list at all.
    case any
    /// A bool.
    case bool
    /// A bool, stored as the integer 0 or 1.
    case bit
    /// An integer within the limits of its type.
    case integer(ClosedRange<Int128>)
    /// A real.
    case real
    /// A real as of a `Float`: of a text with more digits, the nearest is meant.
    case float
    /// A string whose content is of some kind.
    case string(Content)
    /// A date.
    case date
    /// Data.
    case data
    /// A number of seconds: a real, or all its digits as a string.
    case duration
    /// An array of elements of one shape.
    case array(Shape)
    /// An array of different elements, in whatever order.
    case set(Shape)
    /// A dictionary of elements of one shape.
    case dictionary(Shape)
    /// Nothing, or a value of a shape: see `Optional`'s bridge.
    case optional(Shape)
    /// What a value of another kind is converted to: limits of that kind say nothing of this.
    case converted(Shape)
    /// What values become, and other shapes that are read, too.
    case either(Shape, or: [Shape])

    /// What a string holds.
    public enum Content: Sendable {
      /// Whatever it likes.
      case text
      /// One of some words.
      case words([String])
      /// The digits of a whole number.
      case wholeNumber
      /// The digits of a decimal number.
      case decimalNumber
      /// A date in ISO 8601.
      case date
      /// A URL.
      case url
      /// A UUID.
      case uuid
      /// Data in base 64.
      case base64
      /// JSON.
      case json
    }

    /// A string that holds any text.
    public static let text = Self.string(.text)

    /// An integer of a type, as far as 64 bits hold it.
    @usableFromInline
    package static func integer<Value: FixedWidthInteger>(of type: Value.Type) -> Shape {
      .integer(
        max(
          Int128(clamping: Value.min), Int128(Int64.min))...min(
            Int128(clamping: Value.max), Int128(UInt64.max)))
    }
  }
}

extension Defaults {
  /// The values that a rule allows.
  @usableFromInline
  package struct RangeLimit: Sendable {
    /// The least value; nil if there is none.
    package let lowerBound: PropertyListValue?
    /// The greatest value, or the first that is too great; nil if there is none.
    package let upperBound: PropertyListValue?
    /// Whether the upper bound itself is allowed.
    package let includesUpperBound: Bool
  }

  /// What a rule says, for people, schemas and comparison.
  @usableFromInline
  package indirect enum Limit: Sendable {
    case range(RangeLimit)
    case count(ClosedRange<Int>, isOfText: Bool)
    case choices([PropertyListValue])
    /// The text of a regular expression.
    case pattern(String)
    case check(String)
    case each(Limit)
  }
}
