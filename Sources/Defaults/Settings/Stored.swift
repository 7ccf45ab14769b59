extension Defaults {
  /// A property of a ``Schema`` or of a ``Settings`` class that is a setting, and goes by its name.
  ///
  /// ```swift
  /// @Stored var volume = 5
  /// @Stored var nickname: String?
  /// @Stored(name: "other-name") var title = "x"
  /// @Stored(coding: .json) var device = Device()
  /// @Stored(.computed) var since = Date()
  /// @Stored(.generatedOnce) var installation = UUID()
  /// @Stored(.renamed(from: "soundVolume")) var loudness = 5
  /// @Stored(.in(0...11), .about("Loudness, 0 to 11")) var volume = 5
  /// ```
  ///
  /// The property's initial value is the default of the setting. Names, previous ones too, stand
  /// behind the prefix of the schema, and of the group that the property is in; a previous name
  /// that begins with a dot, `.renamed(from: ".fontSize")`, stands outside of every group, where
  /// the setting was before it moved into one. The projected value is its key:
  /// `$volume.reset()`, `Defaults.updates(settings.$volume)`. Getting and setting is what
  /// `Defaults[key]` does, of the same entry, and the Observation framework tracks it: see
  /// ``Schema``.
  @propertyWrapper
  public struct Stored<Value: Sendable>: Sendable {
    @usableFromInline let box: StoredBox<Value>

    /// Without an initial value only optionals have a default; see the other initializers.
    ///
    /// It is here for the compiler: a property with an attribute and nothing else is initialized by
    /// itself only if there is an initializer for any type.
    @_disfavoredOverload
    @available(
      *, unavailable,
      message:
        "needs an initial value or an optional, of a Serializable or Codable type, or a coding"
    )
    public init() { fatalError("unavailable") }

    @inlinable
    init(
      _ name: String?, fallback: Key<Value>.Fallback, coding: Coding<Value>, traits: [Trait<Value>]
    ) {
      box = StoredBox(name) { place in
        Key(
          place.name, fallback: fallback, suite: place.suite, coding: coding, traits: traits,
          prefixed: place.behindPrefix)
      }
    }

    /// The value of the setting; reading it is tracked.
    @inlinable
    public var wrappedValue: Value {
      get { box.value }
      nonmutating set { box.value = newValue }
    }

    /// The key of the setting.
    public var projectedValue: Key<Value> { box.tracked.key }
  }

  /// A property with `@Stored`, of any type.
  protocol AnyStored {
    /// The box of a value of this type; nil of another one.
    static func box(in value: Any) -> AnyStoredBox?
  }
}

extension Defaults.Stored: Defaults.AnyStored {
  static func box(in value: Any) -> AnyStoredBox? { (value as? Self)?.box }
}

// MARK: - The ways to declare a property

// They are those to make a key, with the name left out if it is the property's, and emitted where
// they are used, as those are.

extension Defaults.Stored where Value: Defaults.Serializable {
  /// A property whose initial value is the default: `@Stored var volume = 5`. Where that is an
  /// optional, nil removes the entry, and so restores the default.
  @_alwaysEmitIntoClient
  public init(
    wrappedValue: @autoclosure @escaping @Sendable () -> Value, name: String? = nil,
    _ traits: Defaults.Trait<Value>...
  ) {
    self.init(
      name, fallback: .init(wrappedValue, traits), coding: Defaults.Coding(Value.bridge),
      traits: traits)
  }
}

extension Defaults.Stored {
  /// A property of an optional value, whose default is nil: `@Stored var nickname: String?`.
  @_alwaysEmitIntoClient
  public init<Wrapped: Defaults.Serializable>(
    name: String? = nil, _ traits: Defaults.Trait<Value>...
  ) where Value == Wrapped? {
    self.init(
      name, fallback: .unregistered(nil), coding: Defaults.Coding(Value.bridge), traits: traits)
  }

  /// A property that is stored as the coding says: `@Stored(coding: .json) var device = Device()`.
  @_alwaysEmitIntoClient
  public init(
    wrappedValue: @autoclosure @escaping @Sendable () -> Value, name: String? = nil,
    coding: Defaults.Coding<Value>, _ traits: Defaults.Trait<Value>...
  ) {
    self.init(name, fallback: .init(wrappedValue, traits), coding: coding, traits: traits)
  }

  /// A property of an optional value, whose default is nil; a value is stored as the coding says:
  /// `@Stored(coding: .iso8601) var expiry: Date?`.
  @_alwaysEmitIntoClient
  public init<Wrapped: Sendable>(
    name: String? = nil, coding: Defaults.Coding<Wrapped>, _ traits: Defaults.Trait<Value>...
  ) where Value == Wrapped? {
    self.init(name, fallback: .unregistered(nil), coding: .optional(coding), traits: traits)
  }
}

extension Defaults.Stored where Value: Codable {
  /// A property of a `Codable` value, stored as JSON text; for types that aren't `Serializable`.
  @_alwaysEmitIntoClient
  @_disfavoredOverload
  public init(
    wrappedValue: @autoclosure @escaping @Sendable () -> Value, name: String? = nil,
    _ traits: Defaults.Trait<Value>...
  ) {
    self.init(name, fallback: .init(wrappedValue, traits), coding: .json, traits: traits)
  }
}

extension Defaults.Stored {
  /// A property of an optional `Codable` value, whose default is nil.
  @_alwaysEmitIntoClient
  @_disfavoredOverload
  public init<Wrapped: Codable & Sendable>(
    name: String? = nil, _ traits: Defaults.Trait<Value>...
  ) where Value == Wrapped? {
    self.init(name, fallback: .unregistered(nil), coding: .optional(.json), traits: traits)
  }
}
