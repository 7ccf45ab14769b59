import Defaults
import DefaultsCommand
import DefaultsText

/// The types of entries, by the names that the user types.
enum EntryType: String, CaseIterable {
  case bool, integer, real, string, date, data, array, dictionary

  init(of entry: PropertyListValue) {
    self =
      switch entry {
      case .bool: .bool
      case .integer, .unsignedInteger: .integer
      case .real: .real
      case .string: .string
      case .date: .date
      case .data: .data
      case .array: .array
      case .dictionary: .dictionary
      }
  }

  /// The types that have an option of `set`. Values of other types are given as JSON.
  static let named: [Self] = [.integer, .real, .bool, .string, .date, .data]

  var option: Verb.Option {
    let summary =
      switch self {
      case .integer: "the value is an integer of 64 bits"
      case .real: "the value is a real: 0.5, 1e9, nan, inf"
      case .bool: "the value is true or false, yes or no, on or off"
      case .date: "the value is a date in ISO 8601: 2026-11-22T15:00:00Z"
      case .data: "the value is data in base 64"
      case .string: "the value is a string, even if it looks like a number"
      case .array, .dictionary: "the value is JSON"
      }
    return Verb.Option(name: "--\(rawValue)", summary: summary)
  }

  private var shape: Defaults.Shape {
    switch self {
    case .bool: .bool
    case .integer: .integer(Int128(Int64.min)...Int128(UInt64.max))
    case .real: .real
    case .string: .text
    case .date: .date
    case .data: .data
    case .array: .array(.any)
    case .dictionary: .dictionary(.any)
    }
  }

  /// Parses a text as a value of this type. Throws if the text isn't a value of the type.
  func value(of text: String) throws(UsageError) -> PropertyListValue {
    if self == .array || self == .dictionary {
      let value = try Self.value(ofJSON: text)
      guard Self(of: value) == self else {
        throw UsageError("it must be \(words) as JSON, not \"\(text)\"")
      }
      return value
    }
    do {
      return try Defaults.EntryText.scalar(text, as: shape)
    } catch {
      throw UsageError("it must be \(words), not \"\(text)\"")
    }
  }

  /// The type with its article.
  private var words: String {
    switch self {
    case .integer, .array: "an \(rawValue)"
    case .data: "data in base 64"
    case .date: "a date such as 2026-11-22T15:00:00Z"
    default: "a \(rawValue)"
    }
  }

  static func value(ofJSON text: String) throws(UsageError) -> PropertyListValue {
    do {
      return try Defaults.EntryText.value(ofJSON: text)
    } catch {
      throw UsageError("it isn't JSON: \(error.problem ?? "\"\(text)\"")")
    }
  }
}

extension PropertyListValue {
  /// The entry in one line, as `set` accepts it: a string unchanged, a collection as JSON.
  var text: String { Defaults.EntryText.text(of: self) }

  /// The entry in one line that shows its type: strings are in quotation marks.
  var shown: String {
    switch self {
    case .string: Defaults.jsonText(of: self)
    case .data(let data): "data:\(data.base64EncodedString())"
    default: text
    }
  }
}

extension PropertyListValue? {
  var shown: String { self?.shown ?? "(none)" }
}
