import Foundation

extension Defaults {
  /// Stores text as data, in UTF-8.
  public struct UTF8Bridge: Bridge {
    /// The only instance there need be.
    public init() {}

    /// The bytes; never fails.
    public func serialize(_ value: String?) -> Data? { value.map { Data($0.utf8) } }

    /// The text of bytes; nil if they aren't valid UTF-8.
    public func deserialize(_ object: Data?) -> String? {
      object.flatMap { String(validating: $0, as: UTF8.self) }
    }

    /// The text of data; throws if it isn't valid UTF-8.
    public func decode(_ stored: PropertyListValue) throws(ConversionError) -> String {
      guard let text = deserialize(try Data.bridge.decode(stored)) else {
        throw ConversionError("the data isn't text in UTF-8")
      }
      return text
    }
  }
}

extension Defaults.Coding where Value == String {
  /// Data in UTF-8.
  public static var utf8: Self { Self(Defaults.UTF8Bridge()) }
}

extension Defaults.CodingStart where Value == String {
  /// Begins a chain with data in UTF-8.
  public static var utf8: Defaults.CodingChain<String, Data> {
    Defaults.CodingChain(Defaults.UTF8Bridge())
  }
}

extension Defaults.CodingChain where Stored == String {
  /// Ends the chain with data in UTF-8.
  public var utf8: Defaults.Coding<Value> { then(Defaults.UTF8Bridge()) }
}

extension Defaults.CodingStep where Stored == String {
  /// Goes on with data in UTF-8.
  public var utf8: Defaults.CodingChain<Value, Data> { then(Defaults.UTF8Bridge()) }
}
