import Foundation

extension Defaults {
  @usableFromInline
  struct StringBridge: PropertyListBridge {
    @usableFromInline var shape: Shape { .text }

    @inlinable
    init() {}

    @inlinable
    func encode(_ value: String) throws(ConversionError) -> PropertyListValue { .string(value) }

    @inlinable
    func decode(_ stored: PropertyListValue) throws(ConversionError) -> String {
      guard case .string(let value) = stored else { throw .mismatch(stored, expected: "a string") }
      return value
    }
  }
}

extension String: Defaults.Serializable {
  /// Stores a `String` exactly: any length, any character, composed or not.
  @_documentation(visibility: internal) @inlinable
  public static var bridge: some Defaults.Bridge<Self> { Defaults.StringBridge() }
}

extension Defaults {
  @usableFromInline
  struct DataBridge: PropertyListBridge {
    @usableFromInline var shape: Shape { .data }

    @inlinable
    init() {}

    @inlinable
    func encode(_ value: Data) throws(ConversionError) -> PropertyListValue { .data(value) }

    @inlinable
    func decode(_ stored: PropertyListValue) throws(ConversionError) -> Data {
      guard case .data(let value) = stored else {
        throw .mismatch(stored, expected: "data", inJSON: #"{"$data": "AAEC"}, in base 64"#)
      }
      return value
    }
  }
}

extension Data: Defaults.Serializable {
  /// Stores a `Data` as it is.
  @_documentation(visibility: internal) @inlinable
  public static var bridge: some Defaults.Bridge<Self> { Defaults.DataBridge() }
}

extension Defaults {
  @usableFromInline
  struct DateBridge: PropertyListBridge {
    @usableFromInline var shape: Shape { .date }

    @inlinable
    init() {}

    @inlinable
    func encode(_ value: Date) throws(ConversionError) -> PropertyListValue {
      .date(try Self.instant(value))
    }

    @inlinable
    func decode(_ stored: PropertyListValue) throws(ConversionError) -> Date {
      guard case .date(let value) = stored else {
        throw .mismatch(
          stored, expected: "a date", inJSON: #"{"$date": "2026-01-01T00:00:00Z"}"#)
      }
      return try Self.instant(value)
    }

    /// Rejects a NaN: it is in every closed range, and its description traps on Linux.
    @inlinable
    static func instant(_ date: Date) throws(ConversionError) -> Date {
      guard !date.timeIntervalSinceReferenceDate.isNaN else { throw notAnInstant }
      return date
    }

    @usableFromInline
    static var notAnInstant: ConversionError {
      ConversionError("the date is NaN, which isn't an instant")
    }
  }
}

extension Date: Defaults.Serializable {
  /// Stores a `Date` exactly, with its fraction of a second. NaN is rejected.
  @_documentation(visibility: internal) @inlinable
  public static var bridge: some Defaults.Bridge<Self> { Defaults.DateBridge() }
}

struct UUIDBridge: Defaults.PropertyListBridge {
  var shape: Defaults.Shape { .string(.uuid) }

  func encode(_ value: UUID) throws(ConversionError) -> PropertyListValue {
    .string(value.uuidString)
  }

  func decode(_ stored: PropertyListValue) throws(ConversionError) -> UUID {
    guard case .string(let string) = stored else {
      throw .mismatch(stored, expected: "the string of a UUID")
    }
    // Foundation stops at a NUL, and accepts the text before it.
    guard string.utf8.count == 36, let value = UUID(uuidString: string) else {
      throw ConversionError("\"\(string)\" isn't a UUID")
    }
    return value
  }
}

extension UUID: Defaults.Serializable {
  /// Stores a `UUID` as its string of 36 characters, in uppercase.
  @_documentation(visibility: internal)
  public static var bridge: some Defaults.Bridge<Self> { UUIDBridge() }
}

struct URLBridge: Defaults.PropertyListBridge {
  /// Whether a URL may have a base.
  var allowsBase = true

  var shape: Defaults.Shape { .string(.url) }

  func encode(_ value: URL) throws(ConversionError) -> PropertyListValue {
    guard allowsBase || value.baseURL == nil else {
      throw ConversionError(
        "the URL \"\(value)\" has a base, so one string can't hold it; store its absoluteURL")
    }
    let relative = PropertyListValue.string(value.relativeString)
    let stored: PropertyListValue =
      value.baseURL.map { [relative, .string($0.absoluteString)] } ?? relative
    guard let copy = try? decode(stored), copy == value else {
      throw ConversionError("the URL \"\(value)\" can't be read back from its string")
    }
    return stored
  }

  func decode(_ stored: PropertyListValue) throws(ConversionError) -> URL {
    switch stored {
    case .string(let string): return try Self.url(string)
    case .array(let parts) where allowsBase:
      guard parts.count == 2, case .string(let relative) = parts[0],
        case .string(let base) = parts[1]
      else { throw ConversionError("a URL with a base was expected, as an array of two strings") }
      // Foundation can't read a relative part strictly, so the part is checked separately first.
      let checked = try Self.url(relative)
      let absolute = try Self.url(base)
      guard let url = URL(string: checked.relativeString, relativeTo: absolute) else {
        throw ConversionError("\"\(relative)\" isn't a URL relative to \"\(base)\"")
      }
      return url
    default: throw .mismatch(stored, expected: "the string of a URL")
    }
  }

  private static func url(_ string: String) throws(ConversionError) -> URL {
    guard let url = URL(string: string, encodingInvalidCharacters: false) else {
      throw ConversionError("\"\(string)\" isn't a URL")
    }
    return url
  }
}

extension URL: Defaults.Serializable {
  /// Stores a `URL` as its string, or as an array of relative part and base if it has a base.
  ///
  /// Reading is strict: a string that needs a correction to become a URL is rejected.
  @_documentation(visibility: internal)
  public static var bridge: some Defaults.Bridge<Self> { URLBridge() }
}

struct DecimalBridge: Defaults.PropertyListBridge {
  var shape: Defaults.Shape { .either(.string(.decimalNumber), or: [.integer(of: Int128.self)]) }

  func encode(_ value: Decimal) throws(ConversionError) -> PropertyListValue {
    let stored = PropertyListValue.string(value.description)
    guard let copy = try? decode(stored), copy == value || (copy.isNaN && value.isNaN) else {
      throw .inexact(value, as: "a string of digits")
    }
    return stored
  }

  func decode(_ stored: PropertyListValue) throws(ConversionError) -> Decimal {
    switch stored {
    case .string("NaN"): return .nan
    case .string(let string):
      // Foundation ignores the unreadable end of a text, and digits that don't fit. So the text
      // is checked before it is read, and the number afterwards.
      guard let digits = Self.canonical(string), let value = Decimal(string: string),
        value.description == digits
      else { throw .inexact("\"\(string)\"", as: "Decimal") }
      return value
    case .integer(let number): return Decimal(number)
    case .unsignedInteger(let number): return Decimal(number)
    default:
      throw .mismatch(stored, expected: "the string of a decimal number", inJSON: #""1.5""#)
    }
  }

  /// Returns the text without superfluous zeros, like `description`; nil if it isn't a number.
  private static func canonical(_ text: String) -> String? {
    let isNegative = text.hasPrefix("-")
    let parts = text.dropFirst(isNegative ? 1 : 0)
      .split(separator: ".", omittingEmptySubsequences: false)
    guard
      parts.count <= 2,
      parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(\.isDigit) })
    else { return nil }
    let whole = parts[0].drop { $0 == "0" }
    var fraction = parts.count == 2 ? parts[1] : ""
    while fraction.last == "0" { fraction.removeLast() }
    if whole.isEmpty && fraction.isEmpty { return "0" }
    return (isNegative ? "-" : "") + (whole.isEmpty ? "0" : whole)
      + (fraction.isEmpty ? "" : ".\(fraction)")
  }
}

extension Decimal: Defaults.Serializable {
  /// Stores a `Decimal` as a string of its digits, with a decimal point in every locale.
  ///
  /// Exact for every value, including `NaN`. Reads a string only as a whole: an exponent, a comma,
  /// spaces, and more digits than a `Decimal` holds are errors.
  @_documentation(visibility: internal)
  public static var bridge: some Defaults.Bridge<Self> { DecimalBridge() }
}
