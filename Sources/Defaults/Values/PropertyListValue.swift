import Foundation

extension Defaults {
  /// A value of the property list format, the only kind of value that a suite stores.
  ///
  /// The cases are those of `plist(5)`. Two values are equal if storing one in place of the other
  /// changes nothing: reals and dates compare by bit pattern (`-0.0` differs from `0.0`, a NaN
  /// equals itself), strings by UTF-8 (a composed and a decomposed "é" differ), integers by number.
  ///
  /// ```swift
  /// let window: Defaults.PropertyListValue = ["title": "Main", "size": [640, 480], "zoom": 1.5]
  /// ```
  public enum PropertyListValue: Sendable {
    /// True or false.
    case bool(Bool)
    /// An integer that `Int64` holds.
    case integer(Int64)
    /// An integer above `Int64.max`; a smaller integer is `integer`.
    case unsignedInteger(UInt64)
    /// A floating-point number, with its bit pattern.
    case real(Double)
    /// Text, with its Unicode scalars as they are.
    case string(String)
    /// A date with its fraction of a second; an XML file stores whole seconds only.
    case date(Date)
    /// Bytes.
    case data(Data)
    /// An array of values of any cases.
    case array([PropertyListValue])
    /// A dictionary with values of any cases.
    case dictionary([String: PropertyListValue])

    /// The maximum number of levels of a stored value; a value that isn't a collection has one.
    ///
    /// Writing a deeper value throws an error. `PropertyListSerialization` can't read back more
    /// than about 510 levels, and crashes when it writes several thousand.
    public static let maximumDepth = 256
  }
}

extension Defaults.PropertyListValue {
  /// Creates an `integer` if the number fits, otherwise an `unsignedInteger`; nil if it fits
  /// neither case.
  @inlinable
  public init?(exactly integer: some BinaryInteger) {
    if let signed = Int64(exactly: integer) {
      self = .integer(signed)
    } else if let unsigned = UInt64(exactly: integer) {
      self = .unsignedInteger(unsigned)
    } else {
      return nil
    }
  }

  /// Returns whether the value has more than `limit` levels.
  ///
  /// - Complexity: O(*n*) for *n* nodes; stops at the first node that is too deep.
  package func isDeeper(than limit: Int) -> Bool {
    switch self {
    case .array(let elements):
      limit < 1 || elements.contains { $0.isDeeper(than: limit - 1) }
    case .dictionary(let elements):
      limit < 1 || elements.values.contains { $0.isDeeper(than: limit - 1) }
    default:
      limit < 1
    }
  }

  /// The case with its article, for messages: "a string", "an integer".
  var kind: String {
    [
      "a bool", "an integer", "a real", "a date", "a string", "data", "an array", "a dictionary",
    ][kindRank]
  }
}

/// For fields of `Codable` types: `.propertyList` stores the value as it is, `.json` with the name
/// of its case, so that an integer isn't read as a real, nor a date as a number:
/// `{"integer": {"_0": 5}}`.
extension Defaults.PropertyListValue: Codable {}

extension Defaults.PropertyListValue: CustomStringConvertible, ExpressibleByBooleanLiteral,
  ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByStringLiteral,
  ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  /// `true` and `false`.
  public init(booleanLiteral value: Bool) { self = .bool(value) }

  /// A literal such as `42`; use `init(exactly:)` above `Int64.max`.
  public init(integerLiteral value: Int64) { self = .integer(value) }

  /// A literal such as `0.5`.
  public init(floatLiteral value: Double) { self = .real(value) }

  /// A literal such as `"text"`.
  public init(stringLiteral value: String) { self = .string(value) }

  /// A literal such as `[1, "two"]`.
  public init(arrayLiteral elements: Self...) { self = .array(elements) }

  /// Creates a dictionary from a literal such as `["one": 1]`. The last of several equal keys is
  /// used.
  public init(dictionaryLiteral elements: (String, Self)...) {
    self = .dictionary(Dictionary(elements) { _, last in last })
  }

  /// The value as a Swift literal, with the names of dictionaries sorted.
  @_documentation(visibility: internal)
  public var description: String {
    switch self {
    case .bool(let value): return "\(value)"
    case .integer(let value): return "\(value)"
    case .unsignedInteger(let value): return "\(value)"
    case .real(let value): return "\(value)"
    case .string(let value): return String(reflecting: value)
    case .date(let value): return Defaults.ExactText.text(of: value)
    case .data(let value): return "\(value)"
    case .array(let elements):
      return "[\(elements.map(\.description).joined(separator: ", "))]"
    case .dictionary([:]):
      return "[:]"
    case .dictionary(let elements):
      let pairs = elements.sortedByName.map { "\(String(reflecting: $0)): \($1)" }
      return "[\(pairs.joined(separator: ", "))]"
    }
  }
}

// MARK: - Order of names

extension Dictionary where Key == String {
  /// The entries, ordered by the bytes of their names.
  package var sortedByName: [Element] {
    keys.inByteOrder.compactMap { name in self[name].map { (name, $0) } }
  }

  /// An empty dictionary with room for several names, for tables that every process has.
  ///
  /// When a dictionary without room grows, Swift searches all libraries of the process once for the
  /// hashing of strings: a fifth of the time that a process takes to open its first suite.
  static var withRoom: Self { Self(minimumCapacity: 16) }
}

extension Collection<String> {
  var inByteOrder: [String] { sortedByBytes(Array(self)) }
}

/// Not generic, so that Swift's sort is specialized only once.
private func sortedByBytes(_ names: [String]) -> [String] {
  names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
}
