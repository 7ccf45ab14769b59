import Foundation

extension Defaults.Coding
where Value: RawRepresentable & Sendable, Value.RawValue: Defaults.Serializable {
  /// The raw value, as its own bridge stores it.
  public static var rawValue: Self { Self(Defaults.RawRepresentableBridge()) }
}

extension Defaults.CodingStart
where Value: RawRepresentable & Sendable, Value.RawValue: Defaults.Serializable {
  /// Begins a chain with the raw value.
  public static var rawValue: Defaults.CodingChain<Value, Value.RawValue> {
    Defaults.CodingChain(Defaults.Coding.rawValue)
  }
}

extension Defaults.Coding where Value: NSObject & NSSecureCoding & Sendable {
  /// A keyed archive, as data.
  public static var archive: Self { Self(Defaults.NSSecureCodingBridge<Value>()) }
}

extension Defaults.CodingStart where Value: NSObject & NSSecureCoding & Sendable {
  /// Begins a chain with a keyed archive, as data.
  public static var archive: Defaults.CodingChain<Value, Data> {
    Defaults.CodingChain(Defaults.Coding<Value>.archive)
  }
}
