import Foundation

extension Defaults.Coding
where Value: RawRepresentable & Sendable, Value.RawValue: Defaults.Serializable {
  /// The raw value, in the form of its own bridge.
  public static var rawValue: Self { Self(Defaults.RawRepresentableBridge()) }
}

extension Defaults.CodingStart
where Value: RawRepresentable & Sendable, Value.RawValue: Defaults.Serializable {
  /// The raw value, as the first step of a ``CodingChain``.
  @_documentation(visibility: internal)
  public static var rawValue: Defaults.CodingChain<Value, Value.RawValue> {
    Defaults.CodingChain(Defaults.Coding.rawValue)
  }
}

extension Defaults.Coding where Value: NSObject & NSSecureCoding & Sendable {
  /// A keyed archive, as data.
  ///
  /// The class must be `Sendable`; it needn't be `Serializable`. Outside Apple platforms,
  /// Foundation's archivers trap for many objects and archives. This coding prevents that by these
  /// limits, each of which is an error:
  ///
  /// - The class must be at the top level of its module: not nested, private or generic.
  /// - Besides the class itself, an archive may contain only the classes that
  ///   ``archive(containing:)`` names and `NSString`, `NSNumber`, `NSData`, `NSDate`, `NSUUID`,
  ///   `NSURL`, `NSNull`, `NSArray`, `NSSet` and `NSDictionary`, including the mutable ones.
  ///   Members of a set and keys of a dictionary can't be collections.
  /// - Objects can't be nested more than 256 levels deep, or contain themselves.
  /// - `encode(with:)` and `init(coder:)` must use keys. For a missing object or a wrong type in
  ///   the archive, `init(coder:)` gets nil; a wrong type is an error in any case. Both also run
  ///   when a value is checked before it is stored, so they must have no other effects. The coding
  ///   can't prevent a trap inside these two methods, such as that of a force unwrap.
  public static var archive: Self { archive(containing: []) }

  /// A keyed archive of objects that contain objects of these classes and of Foundation's classes.
  public static func archive(
    containing classes: [any (NSObject & NSSecureCoding & SendableMetatype).Type]
  ) -> Self {
    Self(NSSecureCodingBridge<Value>(containing: classes))
  }
}

extension Defaults.CodingStart where Value: NSObject & NSSecureCoding & Sendable {
  /// A keyed archive as data, as the first step of a ``CodingChain``.
  @_documentation(visibility: internal)
  public static var archive: Defaults.CodingChain<Value, Data> {
    Defaults.CodingChain(Defaults.Coding<Value>.archive)
  }
}

extension Defaults.Coding {
  /// Two closures that convert the value to any storable type and back.
  ///
  /// ```swift
  /// Key("x", default: .zero, coding: .custom(encode: { $0.text }, decode: { Point($0) }))
  /// ```
  ///
  /// If a closure returns nil or throws, the value or entry is rejected, and the stored entry is
  /// unchanged. An error that the closure throws is the reason.
  ///
  /// - Parameters:
  ///   - encode: Returns the storable form of a value.
  ///   - decode: Returns the value that `encode` was given.
  public static func custom<Stored: Defaults.Serializable>(
    encode: @escaping @Sendable (Value) throws -> Stored?,
    decode: @escaping @Sendable (Stored) throws -> Value?
  ) -> Self {
    Self(ClosureBridge(toStored: encode, toValue: decode))
  }

  /// The form in which a bridge stores the value.
  public static func bridge<B: Defaults.Bridge>(_ bridge: B) -> Self where B.Value == Value {
    Self(bridge)
  }
}

@_documentation(visibility: internal)
extension Defaults.CodingStart {
  /// Two closures as the first step of a ``CodingChain``.
  public static func custom<Stored: Defaults.Serializable>(
    encode: @escaping @Sendable (Value) throws -> Stored?,
    decode: @escaping @Sendable (Stored) throws -> Value?
  ) -> Defaults.CodingChain<Value, Stored> {
    Defaults.CodingChain(Defaults.Coding.custom(encode: encode, decode: decode))
  }

  /// A bridge as the first step of a ``CodingChain``.
  public static func bridge<B: Defaults.Bridge>(
    _ bridge: B
  ) -> Defaults.CodingChain<Value, B.Serializable> where B.Value == Value {
    Defaults.CodingChain(bridge)
  }
}

/// A bridge of two closures.
private struct ClosureBridge<Value, Stored: Defaults.Serializable>: Defaults.PropertyListBridge {
  let toStored: @Sendable (Value) throws -> Stored?
  let toValue: @Sendable (Stored) throws -> Value?

  var shape: Defaults.Shape { .converted(Stored.bridge.shape) }

  func encode(_ value: Value) throws(ConversionError) -> PropertyListValue {
    guard let stored = try ConversionError.converting({ try toStored(value) }) else {
      throw ConversionError("the coding can't make a \(Stored.self) of this \(Value.self)")
    }
    return try Stored.bridge.encode(stored)
  }

  func decode(_ stored: PropertyListValue) throws(ConversionError) -> Value {
    try value(of: Stored.bridge.decode(stored))
  }

  func decode(
    _ stored: PropertyListValue, fillingFrom defaults: [Value]
  ) throws(ConversionError) -> Value {
    let objects = defaults.compactMap { try? toStored($0) }
    guard objects.count == defaults.count else { return try decode(stored) }
    return try value(of: Stored.bridge.decode(stored, fillingFrom: objects))
  }

  private func value(of object: Stored) throws(ConversionError) -> Value {
    guard let value = try ConversionError.converting({ try toValue(object) }) else {
      throw .withoutReason
    }
    return value
  }
}

struct CodableStructureBridge<Value: Codable>: Defaults.PropertyListBridge {
  func encode(_ value: Value) throws(ConversionError) -> PropertyListValue {
    try ConversionError.converting { try StructureEncoder.encode(value) }
  }

  func decode(_ stored: PropertyListValue) throws(ConversionError) -> Value {
    try ConversionError.converting { try StructureDecoder.decode(Value.self, from: stored) }
  }

  func decode(
    _ stored: PropertyListValue, fillingFrom defaults: [Value]
  ) throws(ConversionError) -> Value {
    try ConversionError.converting {
      var structure = FilledStructure(stored, from: try defaults.map(StructureEncoder.encode))
      return try structure.decode { try StructureDecoder.decode(Value.self, from: $0) }
    }
  }
}

extension Defaults.Coding where Value: Codable {
  /// A native structure of dictionaries, arrays, numbers, text, dates and data, which other
  /// programs can read and edit.
  ///
  /// ```swift
  /// struct Window: Codable { var title = "Main"; var size = [640, 480]; var opened: Date? }
  /// Key("window", default: Window(), coding: .propertyList)  // ["title": "Main", "size": […]]
  /// ```
  ///
  /// Numbers, dates and data keep all their bits, and are read only if they are exactly of the
  /// type. A single-value container reads a bool only from a bool, and an integer only from an
  /// integer, so that an enum of mixed data can find its case by trying one type after another.
  /// URLs, decimals and integers of 128 bits are stored in the form of their own bridges, as text,
  /// so such an enum must try `String` before them. A field that is nil is left out; an optional
  /// *element* of an array or dictionary is an array of at most one element, like an optional in
  /// any collection. Sets are sorted, and so are dictionaries whose keys aren't text, so that equal
  /// values are stored alike.
  ///
  /// A missing field that isn't optional is filled from the key's default, so that a type can get
  /// new fields: see <doc:ChangingSettings>.
  ///
  /// A type must not forward its encoder to a dictionary with optional values or to a date, as
  /// `rows.encode(to: encoder)` does: the dictionary would lose its nils, and the date would become
  /// a real. Encode the value in a single-value container instead, and decode it from one. An array
  /// that is encoded as an element without being optional must be decoded by `decode`, because
  /// `decodeIfPresent` takes an array of at most one element for an optional.
  ///
  /// A nil where no field can be left out, a nil inside an optional field, a field that is written
  /// twice, and more levels than ``PropertyListValue/maximumDepth`` are rejected.
  public static var propertyList: Self { Self(CodableStructureBridge()) }
}

extension Defaults.CodingStart where Value: Codable {
  /// A native structure, as the first step of a ``CodingChain``.
  @_documentation(visibility: internal)
  public static var propertyList: Defaults.CodingChain<Value, Defaults.PropertyListValue> {
    Defaults.CodingChain(CodableStructureBridge())
  }
}
