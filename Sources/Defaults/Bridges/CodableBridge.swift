import Foundation

/// Stores a value as JSON, and reads JSON from text and from data.
struct CodableBridge<Value: Codable & Sendable>: Defaults.PropertyListBridge {
  /// Whether the JSON is stored as data, not as text.
  var isData = false
  /// Whether the values are optionals. Then nil removes the entry.
  var canRemove = false
  /// Reads what isn't JSON of a value: the form before the type became `Codable`.
  var older: (@Sendable (PropertyListValue) -> Value?)?

  var shape: Defaults.Shape {
    let shape: Defaults.Shape =
      isData
      ? .either(.converted(.data), or: [.string(.json)]) : .either(.string(.json), or: [.data])
    return canRemove ? .optional(shape) : shape
  }

  func edit(for value: Value) throws(ConversionError) -> Edit {
    if canRemove, let value = value as? any AnyOptional, value.content == nil { return .remove }
    return .set(try encode(value))
  }

  func value(
    ofEntry entry: PropertyListValue, fillingFrom defaults: [Value]
  ) throws(ConversionError) -> Value {
    try decode(entry, fillingFrom: defaults)
  }

  func encode(_ value: Value) throws(ConversionError) -> PropertyListValue {
    let json = try ConversionError.converting { try Self.makeEncoder().encode(value) }
    let text = String(decoding: json, as: UTF8.self)
    // Foundation writes the NaN of a `Decimal` as a bare word, which JSON parsers reject.
    if text.contains("NaN") { _ = try decode(.string(text)) }
    return isData ? .data(json) : .string(text)
  }

  func decode(_ stored: PropertyListValue) throws(ConversionError) -> Value {
    do {
      let json = try Self.json(stored)
      return try ConversionError.converting {
        try Self.makeDecoder().decode(Value.self, from: json)
      }
    } catch {
      guard let value = older?(stored) else { throw error }
      return value
    }
  }

  func decode(
    _ stored: PropertyListValue, fillingFrom defaults: [Value]
  ) throws(ConversionError) -> Value {
    let encoder = Self.makeEncoder()
    let structures = defaults.compactMap { value in
      (try? encoder.encode(value)).flatMap(Self.structure)
    }
    guard let json = Self.structure(of: try Self.json(stored)), structures.count == defaults.count
    else { return try decode(stored) }
    var structure = FilledStructure(json, from: structures)
    return try ConversionError.converting {
      try structure.decode { filled in
        var writer = Defaults.JSONWriter(hasLines: false, isOfEntries: false, keepingText: true)
        writer.write(filled)
        return try Self.makeDecoder().decode(Value.self, from: Data(writer.finish()))
      }
    }
  }

  /// Returns the objects and arrays of JSON, whose parts keep their text, such as the digits of a
  /// number; nil if it isn't JSON in UTF-8.
  private static func structure(of json: Data) -> PropertyListValue? {
    var reader = Defaults.JSONReader(json, keepingText: true)
    return try? reader.wholeValue()
  }

  private static func json(_ stored: PropertyListValue) throws(ConversionError) -> Data {
    switch stored {
    case .string(let text): return Data(text.utf8)
    case .data(let data): return data
    default: throw .mismatch(stored, expected: "JSON text")
    }
  }

  // Creating a coder costs little compared to using it (measured), and its documentation doesn't
  // allow sharing it between threads.

  private static func makeEncoder() -> JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return encoder
  }

  private static func makeDecoder() -> JSONDecoder {
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return decoder
  }
}

// MARK: - Errors of coders

extension Defaults.ConversionError {
  /// Runs a body, and converts the error of an encoder, a decoder or a closure.
  static func converting<Result>(_ body: () throws -> Result) throws(Self) -> Result {
    do { return try body() } catch { throw Self(coder: error) }
  }

  /// Creates an error from the error of an encoder or decoder, with the coding path as the path.
  init(coder error: any Error) {
    switch error {
    case let error as ConversionError: self = error
    case DecodingError.keyNotFound(let key, let context):
      self.init("the field \"\(key.stringValue)\" is missing", context.codingPath)
      lacksField = true
    case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context):
      self.init(context.debugDescription, context.codingPath)
    case DecodingError.dataCorrupted(let context)
    where context.codingPath.isEmpty && context.debugDescription.hasSuffix("not valid JSON."):
      // Outside Apple platforms, Foundation throws the same error for both.
      self.init(
        "the text isn't JSON, or a number in it doesn't fit its type", [], context.underlyingError)
    case DecodingError.dataCorrupted(let context):
      self.init(context.debugDescription, context.codingPath, context.underlyingError)
    case EncodingError.invalidValue(_, let context):
      self.init(context.debugDescription, context.codingPath, context.underlyingError)
    default: self.init(error.words)
    }
  }

  private init(_ reason: String, _ path: [any CodingKey], _ underlying: (any Error)? = nil) {
    var reason = reason.last == "." ? String(reason.dropLast()) : reason
    if let underlying { reason += " (\(Self.describe(underlying)))" }
    self.init(reason, path: path.map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue })
  }

  /// Returns a parser's message about a place in the text, which is in the error's user info.
  private static func describe(_ error: any Error) -> String {
    let detail = (error as NSError).userInfo[NSDebugDescriptionErrorKey] as? String
    return detail ?? error.words
  }
}
