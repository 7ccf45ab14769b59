extension Defaults {
  /// The kind of property list that a bridge makes of its values.
  ///
  /// It determines how a text for a setting is parsed, how the accepted values are described, and
  /// the JSON Schema. A bridge to a `Serializable` type has that type's shape by default; a
  /// ``PropertyListBridge`` may define its own. Stored data doesn't depend on the shape.
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
    /// A real of a `Float`. A text with more digits is rounded to the nearest `Float`.
    case float
    /// A string with content of some kind.
    case string(Content)
    /// A date.
    case date
    /// Data.
    case data
    /// A number of seconds: a real, or a string of all its digits.
    case duration
    /// An array of elements of one shape.
    case array(Shape)
    /// An array of different elements, in any order.
    case set(Shape)
    /// A dictionary of elements of one shape.
    case dictionary(Shape)
    /// nil or a value of a shape: see `Optional`'s bridge.
    case optional(Shape)
    /// The shape to which values of another kind are converted. The limits of rules don't apply to
    /// it.
    case converted(Shape)
    /// The shape that is written, and others that are also read.
    case either(Shape, or: [Shape])

    /// The content of a string.
    public enum Content: Sendable {
      /// Any text.
      case text
      /// One of several words.
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

    /// Returns the shape of an integer type, limited to 64 bits.
    @usableFromInline
    package static func integer<Value: FixedWidthInteger>(of type: Value.Type) -> Shape {
      .integer(
        max(
          Int128(clamping: Value.min), Int128(Int64.min))...min(
            Int128(clamping: Value.max), Int128(UInt64.max)))
    }
  }

  /// The range of the values that a rule allows.
  @usableFromInline
  package struct RangeLimit: Sendable {
    /// The least allowed value; nil if there is none.
    package let lowerBound: PropertyListValue?
    /// The greatest allowed value, or the first that is too great; nil if there is none.
    package let upperBound: PropertyListValue?
    /// Whether the upper bound itself is allowed.
    package let includesUpperBound: Bool
  }

  /// The description of a rule, for people, schemas and comparison.
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
