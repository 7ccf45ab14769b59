import Foundation

extension Defaults {
  /// Stores data as text in base 64, padded and in one line.
  ///
  /// Reads nothing but that: other characters, line breaks and missing padding are refused.
  public struct Base64Bridge: Bridge {
    /// The only instance there need be.
    public init() {}

    /// The text; never fails.
    public func serialize(_ value: Data?) -> String? { value?.base64EncodedString() }

    /// The data of a text; nil if it isn't base 64.
    public func deserialize(_ object: String?) -> Data? {
      object.flatMap { Data(base64Encoded: $0) }
    }

    /// The data of a string; throws if it isn't base 64.
    public func decode(_ stored: PropertyListValue) throws(ConversionError) -> Data {
      guard let data = deserialize(try String.bridge.decode(stored)) else {
        throw ConversionError("the text isn't base 64")
      }
      return data
    }
  }
}

extension Defaults.Coding where Value == Data {
  /// Text in base 64.
  public static var base64: Self { Self(Defaults.Base64Bridge()) }
}

extension Defaults.CodingStart where Value == Data {
  /// Begins a chain with text in base 64.
  public static var base64: Defaults.CodingChain<Data, String> {
    Defaults.CodingChain(Defaults.Base64Bridge())
  }
}

extension Defaults.CodingChain where Stored == Data {
  /// Ends the chain with text in base 64.
  public var base64: Defaults.Coding<Value> { then(Defaults.Base64Bridge()) }
}

extension Defaults.CodingStep where Stored == Data {
  /// Goes on with text in base 64.
  public var base64: Defaults.CodingChain<Value, String> { then(Defaults.Base64Bridge()) }
}
