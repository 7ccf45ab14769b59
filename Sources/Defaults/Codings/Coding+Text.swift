import Foundation

extension Defaults {
  /// Stores a value as its description: a number as its digits.
  ///
  /// Writing refuses a value whose text wouldn't give it back bit by bit, such as a NaN with a
  /// payload. Reading takes such text as a whole, and what the type's own bridge reads.
  public struct TextBridge<Value: LosslessStringConvertible & Serializable>: PropertyListBridge {
    /// The only instance there need be.
    public init() {}

    /// The text.
    public func encode(_ value: Value) throws(ConversionError) -> PropertyListValue {
      let text = value.description
      guard let copy = Value(text), try Value.bridge.encode(copy) == Value.bridge.encode(value)
      else {
        throw ConversionError(
          "the \(Value.self) isn't the one that its text \"\(text)\" stands for")
      }
      return .string(text)
    }

    /// The value of text, or of what the type's own bridge stores.
    public func decode(_ stored: PropertyListValue) throws(ConversionError) -> Value {
      guard case .string(let text) = stored else { return try Value.bridge.decode(stored) }
      guard let value = Value(text) else {
        throw ConversionError("\"\(text)\" isn't the text of a \(Value.self)")
      }
      return value
    }
  }

  /// Stores an absolute `URL` as its string, and refuses one that has a base.
  public struct URLTextBridge: PropertyListBridge {
    /// The only instance there need be.
    public init() {}

    /// A string; throws for a URL with a base, which takes two.
    public func encode(_ value: URL) throws(ConversionError) -> PropertyListValue {
      guard value.baseURL == nil else {
        throw ConversionError(
          "the URL \"\(value)\" has a base, so one string can't hold it; store its absoluteURL")
      }
      return try URL.bridge.encode(value)
    }

    /// The URL of a string; strict, as ``URLBridge`` is.
    public func decode(_ stored: PropertyListValue) throws(ConversionError) -> URL {
      guard case .string = stored else { throw .mismatch(stored, expected: "the string of a URL") }
      return try URL.bridge.decode(stored)
    }
  }
}

extension Defaults.Coding where Value: LosslessStringConvertible & Defaults.Serializable {
  /// The value's text: digits for a number, of any width. See `TextBridge`.
  public static var text: Self { Self(Defaults.TextBridge()) }
}

extension Defaults.CodingStart where Value: LosslessStringConvertible & Defaults.Serializable {
  /// Begins a chain with the value's text.
  public static var text: Defaults.CodingChain<Value, String> {
    Defaults.CodingChain(Defaults.Coding(Defaults.TextBridge()))
  }
}

extension Defaults.Coding where Value: FixedWidthInteger & Sendable {
  /// An integer; a value of more than 64 bits is refused.
  public static var integer: Self { Self(Defaults.IntegerBridge()) }
}

extension Defaults.Coding where Value == URL {
  /// The URL's string.
  public static var text: Self { Self(Defaults.URLTextBridge()) }
}

extension Defaults.CodingStart where Value == URL {
  /// Begins a chain with the URL's string.
  public static var text: Defaults.CodingChain<URL, String> {
    Defaults.CodingChain(Defaults.Coding(Defaults.URLTextBridge()))
  }
}
