import Foundation

extension Defaults {
  /// Stores a `Codable` value as JSON text with sorted keys.
  ///
  /// Numbers, dates, decimals and strings come back exactly; an infinite number or a NaN is stored
  /// as the string "inf", "-inf" or "nan", and a NaN loses its payload; a URL in a value loses its
  /// base, and is absolute. Values of more than about 510 levels are refused. Note that a `Set`, or
  /// a dictionary whose keys aren't strings or integers, encodes in an order that differs between
  /// processes, so such a value may count as changed when an equal one is written.
  ///
  /// The value needn't be `Serializable`. A level of nesting is a call of the type's own
  /// `encode(to:)` or `init(from:)`, on the stack of the caller.
  public struct CodableBridge<Value: Codable & Sendable>: PropertyListBridge {
    /// The only instance there need be.
    public init() {}

    /// The JSON text; throws what the type's `encode(to:)` throws, in words.
    public func encode(_ value: Value) throws(ConversionError) -> PropertyListValue {
      let text: String
      do {
        text = String(decoding: try Self.makeEncoder().encode(value), as: UTF8.self)
      } catch {
        throw ConversionError(coder: error)
      }
      // Foundation writes the NaN of a `Decimal` as a bare word, which no JSON parser reads.
      if text.contains("NaN") { _ = try decode(.string(text)) }
      return .string(text)
    }

    /// The value of JSON text, or of data that holds such text; throws what the type's
    /// `init(from:)` throws, in words and with the place as path.
    public func decode(_ stored: PropertyListValue) throws(ConversionError) -> Value {
      let json: Data
      switch stored {
      case .string(let text): json = Data(text.utf8)
      case .data(let data): json = data
      default: throw .mismatch(stored, expected: "JSON text")
      }
      do {
        return try Self.makeDecoder().decode(Value.self, from: json)
      } catch {
        throw ConversionError(coder: error)
      }
    }

    // A coder costs next to nothing beside the coding (measured: no difference), so that sharing
    // one between threads, which its documentation doesn't promise to allow, gains nothing.

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
}
