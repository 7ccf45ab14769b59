extension Defaults {
  /// A type whose values can be stored: it names the bridge that turns them into property lists.
  ///
  /// Conform your type and let Swift choose the bridge, in this order of preference:
  ///
  /// | the type is also | stored as |
  /// | --- | --- |
  /// | `Codable` | JSON text, with sorted keys |
  /// | `RawRepresentable` | its raw value |
  /// | `NSObject & NSSecureCoding` | a keyed archive, as data |
  ///
  /// ``PreferRawRepresentable`` and ``PreferNSSecureCoding`` turn the order around for one type.
  /// For any other form, give the type a `bridge` of your own:
  ///
  /// ```swift
  /// extension User: Defaults.Serializable {
  ///   static let bridge = UserBridge()
  /// }
  /// ```
  public protocol Serializable: Sendable {
    /// The type that the bridge converts; always the conforming type itself.
    typealias Value = Bridge.Value
    /// What the bridge converts it to.
    typealias Serializable = Bridge.Serializable
    /// The bridge's type.
    associatedtype Bridge: Defaults.Bridge where Bridge.Value == Self
    /// Converts values of this type to property lists and back.
    static var bridge: Bridge { get }
  }

  /// Stores a type by its raw value although it is also `Codable`.
  public protocol PreferRawRepresentable: RawRepresentable {}

  /// Stores a class as a keyed archive although it is also `Codable`.
  public protocol PreferNSSecureCoding {}
}
