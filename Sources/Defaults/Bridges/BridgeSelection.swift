import Foundation

// The default bridge of a type, for every combination of its other conformances. Each combination
// has its own extension, more constrained than the extensions of its parts, so that the choice is
// never ambiguous. The order is documented at `Defaults.Serializable`.

/// A type that is stored by its own bridge instead of its `Codable` conformance, also as a part of
/// a structure.
@usableFromInline
protocol StructureScalar: Defaults.Serializable, Codable {}

extension Defaults.Serializable where Self: Codable {
  /// Stores JSON text.
  @_documentation(visibility: internal)
  public static var bridge: some Defaults.Bridge<Self> { CodableBridge<Self>() }
}

extension Defaults.Serializable where Self: RawRepresentable, RawValue: Defaults.Serializable {
  /// Stores the raw value.
  @_documentation(visibility: internal) @inlinable
  public static var bridge: some Defaults.Bridge<Self> { Defaults.RawRepresentableBridge<Self>() }
}

extension Defaults.Serializable
where Self: Codable & RawRepresentable, RawValue: Defaults.Serializable {
  /// Stores JSON text. Also reads the raw value, which was stored before the type was `Codable`.
  @_documentation(visibility: internal)
  public static var bridge: some Defaults.Bridge<Self> {
    CodableBridge<Self>(older: { try? Defaults.RawRepresentableBridge().decode($0) })
  }
}

extension Defaults.Serializable where Self: NSObject & NSSecureCoding {
  /// Stores a keyed archive.
  @_documentation(visibility: internal)
  public static var bridge: some Defaults.Bridge<Self> { NSSecureCodingBridge<Self>() }
}

extension Defaults.Serializable where Self: NSObject & NSSecureCoding & Codable {
  /// Stores JSON text.
  @_documentation(visibility: internal)
  public static var bridge: some Defaults.Bridge<Self> { CodableBridge<Self>() }
}

extension Defaults.Serializable
where Self: NSObject & NSSecureCoding & RawRepresentable, RawValue: Defaults.Serializable {
  /// Stores the raw value.
  @_documentation(visibility: internal) @inlinable
  public static var bridge: some Defaults.Bridge<Self> { Defaults.RawRepresentableBridge<Self>() }
}

extension Defaults.Serializable
where Self: NSObject & NSSecureCoding & Codable & RawRepresentable, RawValue: Defaults.Serializable
{
  /// Stores JSON text.
  @_documentation(visibility: internal)
  public static var bridge: some Defaults.Bridge<Self> { CodableBridge<Self>() }
}

// For these protocols, one extension is enough: the extension of a protocol that inherits from
// another takes precedence, whatever the constraints.

extension Defaults.PreferRawRepresentable where RawValue: Defaults.Serializable {
  /// Stores the raw value.
  @_documentation(visibility: internal) @inlinable
  public static var bridge: some Defaults.Bridge<Self> { Defaults.RawRepresentableBridge<Self>() }
}

extension Defaults.PreferNSSecureCoding where Self: NSObject & NSSecureCoding {
  /// Stores a keyed archive.
  @_documentation(visibility: internal)
  public static var bridge: some Defaults.Bridge<Self> { NSSecureCodingBridge<Self>() }
}

extension Defaults.CollectionSerializable where Element: Defaults.Serializable {
  /// Stores an array of the elements.
  @_documentation(visibility: internal)
  public static var bridge: some Defaults.Bridge<Self> { Defaults.CollectionBridge<Self>() }
}

extension Defaults.SetAlgebraSerializable where Element: Defaults.Serializable {
  /// Stores a sorted array of the elements.
  @_documentation(visibility: internal)
  public static var bridge: Defaults.SetAlgebraBridge<Self, Element.Bridge> {
    Defaults.SetAlgebraBridge(element: Element.bridge)
  }
}

extension Defaults {
  /// The bridge of a type that is stored as its raw value, by the raw value's bridge.
  ///
  /// An unknown raw value is rejected, so an entry that a newer version wrote stays.
  @usableFromInline
  struct RawRepresentableBridge<Value: RawRepresentable & Sendable>: Bridge
  where Value.RawValue: Defaults.Serializable {
    @inlinable
    init() {}

    @inlinable
    func serialize(_ value: Value?) -> Value.RawValue? { value?.rawValue }

    @inlinable
    func deserialize(_ object: Value.RawValue?) -> Value? { object.flatMap(Value.init(rawValue:)) }

    @inlinable
    func decode(_ stored: PropertyListValue) throws(ConversionError) -> Value {
      let rawValue = try Value.RawValue.bridge.decode(stored)
      guard let value = Value(rawValue: rawValue) else { throw Self.unknown(rawValue) }
      return value
    }

    /// A separate function, so that building the message doesn't slow down the fast path.
    @usableFromInline
    static func unknown(_ rawValue: Value.RawValue) -> ConversionError {
      let known = (Value.self as? any CaseIterable.Type).map { Self.rawValues(of: $0) } ?? []
      // A longer list wouldn't help the user.
      let isList = (1...20).contains(known.count)
      let words = isList ? "one of \(known.joined(separator: ", "))" : "a known value"
      return ConversionError("\(String(reflecting: rawValue)) isn't \(words)")
    }

    private static func rawValues<Enum: CaseIterable>(of type: Enum.Type) -> [String] {
      type.allCases.compactMap { ($0 as? Value).map { String(reflecting: $0.rawValue) } }
    }
  }
}
