import Foundation

// The bridge that a type gets without naming one, for every combination of what else it is. Each
// combination has its own extension, more constrained than those of its parts, so that the choice
// is never ambiguous. The order is documented at `Defaults.Serializable`.

extension Defaults.Serializable where Self: Codable {
  /// Stores JSON text.
  public static var bridge: Defaults.CodableBridge<Self> { Defaults.CodableBridge() }
}

extension Defaults.Serializable where Self: RawRepresentable, RawValue: Defaults.Serializable {
  /// Stores the raw value.
  @inlinable
  public static var bridge: Defaults.RawRepresentableBridge<Self> {
    Defaults.RawRepresentableBridge()
  }
}

extension Defaults.Serializable
where Self: Codable & RawRepresentable, RawValue: Defaults.Serializable {
  /// Stores JSON text.
  public static var bridge: Defaults.CodableBridge<Self> { Defaults.CodableBridge() }
}

extension Defaults.Serializable
where Self: Codable & Defaults.PreferRawRepresentable, RawValue: Defaults.Serializable {
  /// Stores the raw value.
  @inlinable
  public static var bridge: Defaults.RawRepresentableBridge<Self> {
    Defaults.RawRepresentableBridge()
  }
}

extension Defaults.Serializable where Self: NSObject & NSSecureCoding {
  /// Stores a keyed archive.
  public static var bridge: Defaults.NSSecureCodingBridge<Self> { Defaults.NSSecureCodingBridge() }
}

extension Defaults.Serializable where Self: NSObject & NSSecureCoding & Codable {
  /// Stores JSON text.
  public static var bridge: Defaults.CodableBridge<Self> { Defaults.CodableBridge() }
}

extension Defaults.Serializable
where Self: NSObject & NSSecureCoding & RawRepresentable, RawValue: Defaults.Serializable {
  /// Stores the raw value.
  @inlinable
  public static var bridge: Defaults.RawRepresentableBridge<Self> {
    Defaults.RawRepresentableBridge()
  }
}

extension Defaults.Serializable
where Self: NSObject & NSSecureCoding & Codable & RawRepresentable, RawValue: Defaults.Serializable
{
  /// Stores JSON text.
  public static var bridge: Defaults.CodableBridge<Self> { Defaults.CodableBridge() }
}

extension Defaults.Serializable
where
  Self: NSObject & NSSecureCoding & Codable & Defaults.PreferRawRepresentable,
  RawValue: Defaults.Serializable
{
  /// Stores the raw value.
  @inlinable
  public static var bridge: Defaults.RawRepresentableBridge<Self> {
    Defaults.RawRepresentableBridge()
  }
}

extension Defaults.Serializable
where Self: NSObject & NSSecureCoding & Codable & Defaults.PreferNSSecureCoding {
  /// Stores a keyed archive.
  public static var bridge: Defaults.NSSecureCodingBridge<Self> { Defaults.NSSecureCodingBridge() }
}

extension Defaults.Serializable
where
  Self: NSObject & NSSecureCoding & RawRepresentable & Defaults.PreferNSSecureCoding,
  RawValue: Defaults.Serializable
{
  /// Stores a keyed archive.
  public static var bridge: Defaults.NSSecureCodingBridge<Self> { Defaults.NSSecureCodingBridge() }
}

extension Defaults.Serializable
where
  Self: NSObject & NSSecureCoding & Codable & RawRepresentable & Defaults.PreferNSSecureCoding,
  RawValue: Defaults.Serializable
{
  /// Stores a keyed archive.
  public static var bridge: Defaults.NSSecureCodingBridge<Self> { Defaults.NSSecureCodingBridge() }
}

extension Defaults.CollectionSerializable where Element: Defaults.Serializable {
  /// Stores an array of the elements.
  public static var bridge: Defaults.CollectionBridge<Self, Element.Bridge> {
    Defaults.CollectionBridge(Element.bridge)
  }
}

extension Defaults.CollectionSerializable where Self: Codable, Element: Defaults.Serializable {
  /// Stores an array of the elements.
  public static var bridge: Defaults.CollectionBridge<Self, Element.Bridge> {
    Defaults.CollectionBridge(Element.bridge)
  }
}

extension Defaults.CollectionSerializable
where Self: RawRepresentable, Element: Defaults.Serializable, RawValue: Defaults.Serializable {
  /// Stores an array of the elements.
  public static var bridge: Defaults.CollectionBridge<Self, Element.Bridge> {
    Defaults.CollectionBridge(Element.bridge)
  }
}

extension Defaults.CollectionSerializable
where
  Self: Codable & RawRepresentable, Element: Defaults.Serializable, RawValue: Defaults.Serializable
{
  /// Stores an array of the elements.
  public static var bridge: Defaults.CollectionBridge<Self, Element.Bridge> {
    Defaults.CollectionBridge(Element.bridge)
  }
}

extension Defaults.SetAlgebraSerializable where Element: Defaults.Serializable {
  /// Stores a sorted array of the elements.
  public static var bridge: Defaults.SetAlgebraBridge<Self, Element.Bridge> {
    Defaults.SetAlgebraBridge(Element.bridge)
  }
}

extension Defaults.SetAlgebraSerializable where Self: Codable, Element: Defaults.Serializable {
  /// Stores a sorted array of the elements.
  public static var bridge: Defaults.SetAlgebraBridge<Self, Element.Bridge> {
    Defaults.SetAlgebraBridge(Element.bridge)
  }
}

extension Defaults.SetAlgebraSerializable
where Self: RawRepresentable, Element: Defaults.Serializable, RawValue: Defaults.Serializable {
  /// Stores a sorted array of the elements.
  public static var bridge: Defaults.SetAlgebraBridge<Self, Element.Bridge> {
    Defaults.SetAlgebraBridge(Element.bridge)
  }
}

extension Defaults.SetAlgebraSerializable
where
  Self: Codable & RawRepresentable, Element: Defaults.Serializable, RawValue: Defaults.Serializable
{
  /// Stores a sorted array of the elements.
  public static var bridge: Defaults.SetAlgebraBridge<Self, Element.Bridge> {
    Defaults.SetAlgebraBridge(Element.bridge)
  }
}
