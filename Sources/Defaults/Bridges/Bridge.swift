extension Defaults {
  /// Converts values of one type to something storable and back.
  ///
  /// A bridge of your own implements ``serialize(_:)`` and ``deserialize(_:)``, towards any type
  /// that is itself `Serializable`; from there the conversion goes on until it ends in a
  /// ``PropertyListValue``. Returning nil for a value means that it can't be converted: writing is
  /// then refused, and reading falls back to the default; in both cases the stored entry stays.
  ///
  /// ```swift
  /// struct UserBridge: Defaults.Bridge {
  ///   func serialize(_ value: User?) -> [String: String]? {
  ///     value.map { ["name": $0.name, "age": $0.age] }
  ///   }
  ///   func deserialize(_ object: [String: String]?) -> User? {
  ///     guard let name = object?["name"], let age = object?["age"] else { return nil }
  ///     return User(name: name, age: age)
  ///   }
  /// }
  /// ```
  ///
  /// A bridge that can say why it refuses a value conforms to ``PropertyListBridge`` instead.
  public protocol Bridge<Value>: Sendable {
    /// The type that is converted.
    associatedtype Value
    /// The type that it is converted to, which has a bridge of its own.
    associatedtype Serializable: Defaults.Serializable

    /// The storable form of a value; nil if there is none.
    func serialize(_ value: Value?) -> Serializable?
    /// The value of a storable form; nil if it isn't one that this bridge writes or accepts.
    func deserialize(_ object: Serializable?) -> Value?

    /// The property list of a value, all the way down. The default goes through `serialize`.
    func encode(_ value: Value) throws(ConversionError) -> PropertyListValue
    /// The value of a property list. The default goes through `deserialize`.
    func decode(_ stored: PropertyListValue) throws(ConversionError) -> Value
    /// Whether `edit(for:)` may be a removal, as for an optional. The default is false.
    ///
    /// An optional of such a value has two kinds of nothing. It stores the inner one, so that only
    /// the outer one removes the entry.
    var canRemove: Bool { get }
    /// What writing a value does to an entry. The default sets it to the encoded value; an
    /// optional's nil removes it.
    func edit(for value: Value) throws(ConversionError) -> Edit
    /// The value of an entry, the counterpart of `edit(for:)`. The default decodes it.
    func value(ofEntry entry: PropertyListValue) throws(ConversionError) -> Value
    /// The value of a property list that lacks fields which its type got later: they are filled from
    /// default values. Called where `decode` found that a field is missing.
    ///
    /// The default completes what `Serializable` decodes to, and decodes that; a bridge of a
    /// collection passes the elements of the defaults to the bridge of its elements.
    ///
    /// - Parameters:
    ///   - stored: The property list.
    ///   - defaults: One value, or those of which any may be the counterpart.
    func decode(
      _ stored: PropertyListValue, fillingFrom defaults: [Value]
    ) throws(ConversionError) -> Value
    /// The value of an entry that lacks fields, the counterpart of `value(ofEntry:)`.
    func value(
      ofEntry entry: PropertyListValue, fillingFrom defaults: [Value]
    ) throws(ConversionError) -> Value
    /// What kind of property list the values become, for texts and schemas. The default is that of
    /// `Serializable`, which for a ``PropertyListBridge`` is any.
    var shape: Shape { get }
  }

  /// A bridge that goes to ``PropertyListValue`` in one step, and says why where it can't: it
  /// implements `encode` and `decode`, not `serialize` and `deserialize`.
  public protocol PropertyListBridge<Value>: Bridge where Serializable == PropertyListValue {}
}

extension Defaults.Bridge {
  /// Serializes, then encodes the result with its own bridge.
  @_documentation(visibility: internal)
  @inlinable
  public func encode(
    _ value: Value
  ) throws(Defaults.ConversionError) -> Defaults.PropertyListValue {
    guard let object = serialize(value) else {
      throw Defaults.ConversionError("\(Self.self) can't serialize this \(Value.self)")
    }
    return try Serializable.bridge.encode(object)
  }

  /// Decodes with the bridge of `Serializable`, then deserializes.
  @_documentation(visibility: internal)
  @inlinable
  public func decode(
    _ stored: Defaults.PropertyListValue
  ) throws(Defaults.ConversionError) -> Value {
    guard let value = deserialize(try Serializable.bridge.decode(stored)) else {
      throw Defaults.ConversionError(
        "\(Self.self) can't make a \(Value.self) of this \(Serializable.self)")
    }
    return value
  }

  /// False: every value sets the entry.
  @_documentation(visibility: internal)
  @inlinable
  public var canRemove: Bool { false }

  /// Sets the entry to the encoded value.
  @_documentation(visibility: internal)
  @inlinable
  public func edit(for value: Value) throws(Defaults.ConversionError) -> Defaults.Edit {
    .set(try encode(value))
  }

  /// Decodes the entry.
  @_documentation(visibility: internal)
  @inlinable
  public func value(
    ofEntry entry: Defaults.PropertyListValue
  ) throws(Defaults.ConversionError) -> Value {
    try decode(entry)
  }

  /// Completes the stored form with the bridge of `Serializable`, then decodes it.
  @_documentation(visibility: internal)
  public func decode(
    _ stored: Defaults.PropertyListValue, fillingFrom defaults: [Value]
  ) throws(Defaults.ConversionError) -> Value {
    let objects = defaults.compactMap { serialize($0) }
    guard !objects.isEmpty, objects.count == defaults.count else { return try decode(stored) }
    let object = try Serializable.bridge.decode(stored, fillingFrom: objects)
    return try decode(Serializable.bridge.encode(object))
  }

  /// Decodes the entry, unless the bridge may remove it: then entries have a form of their own.
  @_documentation(visibility: internal)
  public func value(
    ofEntry entry: Defaults.PropertyListValue, fillingFrom defaults: [Value]
  ) throws(Defaults.ConversionError) -> Value {
    try canRemove ? value(ofEntry: entry) : decode(entry, fillingFrom: defaults)
  }

  /// The shape of what values are serialized to.
  @_documentation(visibility: internal)
  public var shape: Defaults.Shape { .converted(Serializable.bridge.shape) }
}

extension Defaults.PropertyListBridge {
  /// Decodes the property list, of which nothing is filled.
  @_documentation(visibility: internal)
  public func decode(
    _ stored: Defaults.PropertyListValue, fillingFrom defaults: [Value]
  ) throws(Defaults.ConversionError) -> Value {
    try decode(stored)
  }

  /// Any property list.
  @_documentation(visibility: internal)
  public var shape: Defaults.Shape { .any }

  /// The encoded value; nil where encoding throws.
  @_documentation(visibility: internal)
  @inlinable
  public func serialize(_ value: Value?) -> Defaults.PropertyListValue? {
    value.flatMap { try? encode($0) }
  }

  /// The decoded value; nil where decoding throws.
  @_documentation(visibility: internal)
  @inlinable
  public func deserialize(_ object: Defaults.PropertyListValue?) -> Value? {
    object.flatMap { try? decode($0) }
  }
}

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

// MARK: - Property lists as they are

extension Defaults {
  /// Stores a property list as it is: where every conversion ends.
  @usableFromInline
  struct PropertyListValueBridge: PropertyListBridge {
    @inlinable
    init() {}

    @inlinable
    func encode(_ value: PropertyListValue) throws(ConversionError) -> PropertyListValue { value }

    @inlinable
    func decode(_ stored: PropertyListValue) throws(ConversionError) -> PropertyListValue { stored }
  }
}

extension Defaults.PropertyListValue: Defaults.Serializable {
  /// Stores the value as it is.
  @_documentation(visibility: internal)
  @inlinable
  public static var bridge: some Defaults.Bridge<Self> { Defaults.PropertyListValueBridge() }

  /// The property list of a value, as its bridge stores it inside another one: an optional is an
  /// array of at most one element. Throws why there is none.
  public init<V: Defaults.Serializable>(encoding value: V) throws(Defaults.ConversionError) {
    self = try V.bridge.encode(value)
  }

  /// The value that this is the property list of, the inverse of `init(encoding:)`. Throws why it
  /// isn't one.
  public func decoded<V: Defaults.Serializable>(
    as type: V.Type = V.self
  ) throws(Defaults.ConversionError) -> V {
    try V.bridge.decode(self)
  }
}
