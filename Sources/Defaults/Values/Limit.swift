extension Defaults {
  /// The values that a setting may have.
  public struct ValueRange: Sendable {
    /// The least value; nil if there is none.
    public let lowerBound: PropertyListValue?
    /// The greatest value, or the first that is too great; nil if there is none.
    public let upperBound: PropertyListValue?
    /// Whether the upper bound itself is allowed.
    public let includesUpperBound: Bool
  }

  /// What a rule says, for people, schemas and comparison.
  @usableFromInline
  package indirect enum Limit: Sendable {
    case range(ValueRange)
    case count(ClosedRange<Int>, isOfText: Bool)
    case choices([PropertyListValue])
    /// A regular expression, if its text is known; exact if that of a literal, for what Swift writes
    /// of a built one may lack groups: `ab+` for `OneOrMore { /ab/ }`.
    case pattern(String?, isExact: Bool)
    case check(String)
    case each(Limit)
  }
}
