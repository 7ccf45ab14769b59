import Foundation

extension Defaults {
  /// Stores a `Codable` value as JSON in data: the text of ``CodableBridge``, as UTF-8.
  public struct JSONDataBridge<Value: Codable & Sendable>: Bridge {
    /// The only instance there need be.
    public init() {}

    /// The JSON; nil where encoding throws.
    public func serialize(_ value: Value?) -> Data? {
      guard let value, case .data(let json) = try? encode(value) else { return nil }
      return json
    }

    /// The value of JSON; nil where decoding throws.
    public func deserialize(_ object: Data?) -> Value? {
      object.flatMap { try? decode(.data($0)) }
    }

    /// Data; throws what the type's `encode(to:)` throws, in words.
    public func encode(_ value: Value) throws(ConversionError) -> PropertyListValue {
      let stored = try CodableBridge<Value>().encode(value)
      guard case .string(let text) = stored else { return stored }
      return .data(Data(text.utf8))
    }

    /// The value of JSON in data, or of text.
    public func decode(_ stored: PropertyListValue) throws(ConversionError) -> Value {
      try CodableBridge<Value>().decode(stored)
    }
  }

  /// What JSON is stored in.
  public enum JSONForm: Sendable {
    /// A string.
    case text
    /// The bytes of that string.
    case data
  }
}

extension Defaults.Coding where Value: Codable & Sendable {
  /// JSON text with sorted keys; see `CodableBridge`.
  public static var json: Self { Self(Defaults.CodableBridge()) }

  /// JSON as text or as data; either reads both.
  public static func json(as form: Defaults.JSONForm) -> Self {
    switch form {
    case .text: json
    case .data: Self(Defaults.JSONDataBridge())
    }
  }
}

extension Defaults.CodingStart where Value: Codable & Sendable {
  /// Begins a chain with JSON, as data.
  public static var json: Defaults.CodingChain<Value, Data> {
    Defaults.CodingChain(Defaults.JSONDataBridge())
  }
}
