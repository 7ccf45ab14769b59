extension Defaults {
  /// A conversion between the values of one type and a storable type.
  ///
  /// Implement ``serialize(_:)`` and ``deserialize(_:)`` with any `Serializable` type, whose own
  /// bridge continues the conversion to a ``PropertyListValue``. Return nil for a value that can't
  /// be converted: then a write is rejected, a read falls back to the default, and the stored entry
  /// is unchanged.
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
  /// To give the reason that a value is rejected, conform to ``PropertyListBridge`` instead.
  public protocol Bridge<Value>: Sendable {
    /// The type of the values.
    associatedtype Value
    /// The type to which values are converted, which has a bridge of its own.
    associatedtype Serializable: Defaults.Serializable

    /// Returns the storable form of a value; nil if there is none.
    func serialize(_ value: Value?) -> Serializable?
    /// Returns the value of a storable form; nil if the bridge doesn't accept it.
    func deserialize(_ object: Serializable?) -> Value?

    /// Returns the property list of a value. The default encodes the result of `serialize`.
    ///
    /// - Throws: The reason that the value has no property list.
    func encode(_ value: Value) throws(ConversionError) -> PropertyListValue
    /// Returns the value of a property list. The default decodes a `Serializable`, and passes it to
    /// `deserialize`.
    ///
    /// - Throws: The reason that the property list isn't a value of the type.
    func decode(_ stored: PropertyListValue) throws(ConversionError) -> Value
    /// Whether `edit(for:)` may be a removal, as for an optional. The default is false.
    ///
    /// An optional of such a value has an outer and an inner nil. The inner nil is stored; only the
    /// outer nil removes the entry.
    var canRemove: Bool { get }
    /// Returns the edit that writes a value. The default sets the entry to the encoded value; an
    /// optional's nil removes it.
    func edit(for value: Value) throws(ConversionError) -> Edit
    /// Returns the value of an entry, the inverse of `edit(for:)`. The default decodes it.
    func value(ofEntry entry: PropertyListValue) throws(ConversionError) -> Value
    /// Returns the value of a property list that lacks fields, for example because they were added
    /// to the type later. The missing fields are filled from default values. Called if `decode`
    /// found that a field is missing.
    ///
    /// The default fills and decodes by the bridge of `Serializable`; the bridge of a collection
    /// passes the elements of the defaults to the bridge of its elements.
    ///
    /// - Parameters:
    ///   - stored: The property list.
    ///   - defaults: The default value, or several values, any of which may correspond to the
    ///     property list.
    func decode(
      _ stored: PropertyListValue, fillingFrom defaults: [Value]
    ) throws(ConversionError) -> Value
    /// Returns the value of an entry that lacks fields, the counterpart of `value(ofEntry:)`.
    func value(ofEntry entry: PropertyListValue, fillingFrom defaults: [Value])
      throws(ConversionError) -> Value
    /// The kind of property list that the values become, for texts and schemas. The default is the
    /// shape of `Serializable`; for a ``PropertyListBridge``, it is any property list.
    var shape: Shape { get }
  }

  /// A bridge that converts directly to ``PropertyListValue`` and can give the reason of a failure.
  /// Implement `encode` and `decode` instead of `serialize` and `deserialize`:
  ///
  /// ```swift
  /// struct MoneyBridge: Defaults.PropertyListBridge {
  ///   func encode(
  ///     _ money: Money
  ///   ) throws(Defaults.ConversionError) -> Defaults.PropertyListValue {
  ///     .integer(money.cents)
  ///   }
  ///   func decode(
  ///     _ stored: Defaults.PropertyListValue
  ///   ) throws(Defaults.ConversionError) -> Money {
  ///     guard case .integer(let cents) = stored, cents >= 0 else {
  ///       throw Defaults.ConversionError("An amount is a number of cents, such as 250")
  ///     }
  ///     return Money(cents: cents)
  ///   }
  /// }
  /// ```
  public protocol PropertyListBridge<Value>: Bridge where Serializable == PropertyListValue {}
}

@_documentation(visibility: internal)
extension Defaults.Bridge {
  /// Serializes, then encodes the result with its own bridge.
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
  @inlinable
  public func decode(
    _ stored: Defaults.PropertyListValue
  ) throws(Defaults.ConversionError) -> Value {
    guard let value = deserialize(try Serializable.bridge.decode(stored)) else {
      throw .withoutReason
    }
    return value
  }

  /// False: every value sets the entry.
  @inlinable
  public var canRemove: Bool { false }

  /// Sets the entry to the encoded value.
  @inlinable
  public func edit(for value: Value) throws(Defaults.ConversionError) -> Defaults.Edit {
    .set(try encode(value))
  }

  /// Decodes the entry.
  @inlinable
  public func value(
    ofEntry entry: Defaults.PropertyListValue
  ) throws(Defaults.ConversionError) -> Value {
    try decode(entry)
  }

  /// Adds missing fields to the stored form, using the bridge of `Serializable`, then decodes it.
  public func decode(
    _ stored: Defaults.PropertyListValue, fillingFrom defaults: [Value]
  ) throws(Defaults.ConversionError) -> Value {
    let objects = defaults.compactMap { serialize($0) }
    guard !objects.isEmpty, objects.count == defaults.count else { return try decode(stored) }
    let object = try Serializable.bridge.decode(stored, fillingFrom: objects)
    return try decode(Serializable.bridge.encode(object))
  }

  /// Decodes the entry. Missing fields aren't added if the bridge may remove entries, because the
  /// entries of such a bridge have another form.
  public func value(
    ofEntry entry: Defaults.PropertyListValue, fillingFrom defaults: [Value]
  ) throws(Defaults.ConversionError) -> Value {
    try canRemove ? value(ofEntry: entry) : decode(entry, fillingFrom: defaults)
  }

  /// The shape of `Serializable`.
  public var shape: Defaults.Shape { .converted(Serializable.bridge.shape) }
}

@_documentation(visibility: internal)
extension Defaults.PropertyListBridge {
  /// Rejects a bridge that has the defaults of both directions, which would call each other.
  @available(
    *, unavailable, message: "implement `encode(_:)` with `throws(Defaults.ConversionError)`"
  )
  public func encode(
    _ value: Value
  ) throws(Defaults.ConversionError) -> Defaults.PropertyListValue {
    throw Defaults.ConversionError("The bridge has no `encode`")
  }

  /// Rejects a bridge that has the defaults of both directions, which would call each other.
  @available(
    *, unavailable, message: "implement `decode(_:)` with `throws(Defaults.ConversionError)`"
  )
  public func decode(
    _ stored: Defaults.PropertyListValue
  ) throws(Defaults.ConversionError) -> Value {
    throw Defaults.ConversionError("The bridge has no `decode`")
  }

  /// Decodes the property list without filling fields.
  public func decode(
    _ stored: Defaults.PropertyListValue, fillingFrom defaults: [Value]
  ) throws(Defaults.ConversionError) -> Value {
    try decode(stored)
  }

  /// Any property list.
  public var shape: Defaults.Shape { .any }

  /// Returns the encoded value; nil if encoding throws.
  @inlinable
  public func serialize(_ value: Value?) -> Defaults.PropertyListValue? {
    value.flatMap { try? encode($0) }
  }

  /// Returns the decoded value; nil if decoding throws.
  @inlinable
  public func deserialize(_ object: Defaults.PropertyListValue?) -> Value? {
    object.flatMap { try? decode($0) }
  }
}

extension Defaults {
  /// A type whose values can be stored by its bridge, which converts them to property lists.
  ///
  /// Conform your type, and Swift selects the bridge in this order of preference:
  ///
  /// | the type is also | stored as |
  /// | --- | --- |
  /// | `Codable` | JSON text, with sorted keys |
  /// | `RawRepresentable` | its raw value |
  /// | `NSObject & NSSecureCoding` | a keyed archive, as data |
  ///
  /// A conformance that is added later changes the stored form. A type that becomes `Codable` still
  /// reads its raw values; for anything else, see <doc:ChangingSettings>.
  ///
  /// ``PreferRawRepresentable`` and ``PreferNSSecureCoding`` reverse the order for one type. For
  /// any other form, give the type a `bridge` of your own:
  ///
  /// ```swift
  /// extension User: Defaults.Serializable {
  ///   static let bridge = UserBridge()
  /// }
  /// ```
  public protocol Serializable: Sendable {
    /// The type that the bridge converts; always the conforming type itself.
    typealias Value = Bridge.Value
    /// The type to which the bridge converts.
    typealias Serializable = Bridge.Serializable
    /// The bridge's type.
    associatedtype Bridge: Defaults.Bridge where Bridge.Value == Self
    /// The bridge, which converts values of this type to property lists and back.
    static var bridge: Bridge { get }
  }

  /// A type that is stored by its raw value although it is also `Codable`.
  ///
  /// It can't also be a ``CollectionSerializable`` or ``SetAlgebraSerializable``, unless it has a
  /// bridge of its own.
  public protocol PreferRawRepresentable: RawRepresentable, Serializable {}

  /// A class that is stored as a keyed archive although it is also `Codable`.
  public protocol PreferNSSecureCoding: Serializable {}
}

// MARK: - Property lists

extension Defaults {
  /// The bridge of property lists, which stores them as they are. Every conversion ends in it.
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
  @_documentation(visibility: internal) @inlinable
  public static var bridge: some Defaults.Bridge<Self> { Defaults.PropertyListValueBridge() }

  /// Creates the property list of a value by its bridge, in the form that it has inside another
  /// value: an optional is an array of at most one element.
  ///
  /// - Throws: The reason why the value can't be encoded.
  public init<V: Defaults.Serializable>(encoding value: V) throws(Defaults.ConversionError) {
    self = try V.bridge.encode(value)
  }

  /// Returns the value of this property list, the inverse of `init(encoding:)`.
  ///
  /// - Throws: The reason why it isn't a value of the type.
  public func decoded<V: Defaults.Serializable>(
    as type: V.Type = V.self
  ) throws(Defaults.ConversionError) -> V {
    try V.bridge.decode(self)
  }
}
