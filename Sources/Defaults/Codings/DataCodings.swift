import Foundation

struct Base64Bridge: Defaults.Bridge {
  var shape: Defaults.Shape { .string(.base64) }

  func serialize(_ value: Data?) -> String? { value?.base64EncodedString() }

  func deserialize(_ object: String?) -> Data? { object.flatMap { Data(base64Encoded: $0) } }

  func decode(_ stored: PropertyListValue) throws(ConversionError) -> Data {
    guard let data = deserialize(try String.bridge.decode(stored)) else {
      throw ConversionError("the text isn't base 64")
    }
    return data
  }
}

extension Defaults.Coding where Value == Data {
  /// Text in base 64, padded and in one line.
  ///
  /// Reading is strict: other characters, line breaks and missing padding are rejected.
  public static var base64: Self { Self(Base64Bridge()) }
}

extension Defaults.CodingStart where Value == Data {
  /// Text in base 64, as the first step of a ``CodingChain``.
  @_documentation(visibility: internal)
  public static var base64: Defaults.CodingChain<Data, String> {
    Defaults.CodingChain(Base64Bridge())
  }
}

extension Defaults.CodingChain where Stored == Data {
  /// Ends the chain with text in base 64.
  public var base64: Defaults.Coding<Value> { then(Base64Bridge()) }
}

extension Defaults.CodingStep where Stored == Data {
  /// Continues the chain with text in base 64.
  @_documentation(visibility: internal)
  public var base64: Defaults.CodingChain<Value, String> { then(Base64Bridge()) }
}

struct UTF8Bridge: Defaults.Bridge {
  func serialize(_ value: String?) -> Data? { value.map { Data($0.utf8) } }

  func deserialize(_ object: Data?) -> String? {
    object.flatMap { String(validating: $0, as: UTF8.self) }
  }

  func decode(_ stored: PropertyListValue) throws(ConversionError) -> String {
    guard let text = deserialize(try Data.bridge.decode(stored)) else {
      throw ConversionError("the data isn't text in UTF-8")
    }
    return text
  }
}

extension Defaults.Coding where Value == String {
  /// Text as data, in UTF-8.
  public static var utf8: Self { Self(UTF8Bridge()) }
}

extension Defaults.CodingStart where Value == String {
  /// Data in UTF-8, as the first step of a ``CodingChain``.
  @_documentation(visibility: internal)
  public static var utf8: Defaults.CodingChain<String, Data> { Defaults.CodingChain(UTF8Bridge()) }
}

extension Defaults.CodingChain where Stored == String {
  /// Ends the chain with data in UTF-8.
  public var utf8: Defaults.Coding<Value> { then(UTF8Bridge()) }
}

extension Defaults.CodingStep where Stored == String {
  /// Continues the chain with data in UTF-8.
  @_documentation(visibility: internal)
  public var utf8: Defaults.CodingChain<Value, Data> { then(UTF8Bridge()) }
}

extension Defaults.Coding where Value: Codable & Sendable {
  /// JSON text with sorted keys.
  ///
  /// Numbers, dates, decimals and strings are stored exactly. An infinite number or a NaN is stored
  /// as the string "inf", "-inf" or "nan", and a NaN loses its payload. A URL in a value becomes
  /// absolute, without its base. Values of more than about 510 levels are rejected. A `Set`, or a
  /// dictionary whose keys aren't strings or integers, is encoded in an order that differs between
  /// processes, so writing an equal value may count as a change. JSON has one null, so a nil inside
  /// an optional is read as nil.
  ///
  /// A missing field that isn't optional is filled from the key's default, so that a type can get
  /// new fields: see <doc:ChangingSettings>.
  ///
  /// The value needn't be `Serializable`. Each level of nesting is a call of the type's own
  /// `encode(to:)` or `init(from:)`, on the stack of the caller.
  public static var json: Self { Self(CodableBridge()) }

  /// The same JSON as data. Also reads JSON text, as ``json`` also reads data.
  public static var jsonData: Self { Self(CodableBridge(isData: true)) }
}

extension Defaults.CodingStart where Value: Codable & Sendable {
  /// JSON as data, as the first step of a ``CodingChain``.
  @_documentation(visibility: internal)
  public static var json: Defaults.CodingChain<Value, Data> { Defaults.CodingChain(.jsonData) }
}
