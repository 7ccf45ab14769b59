extension Defaults {
  /// A property of a ``Schema`` or a ``Settings`` class that is a setting with the property's name.
  ///
  /// ```swift
  /// @Stored var volume = 5
  /// @Stored var nickname: String?
  /// @Stored(name: "other-name") var title = "x"
  /// @Stored(coding: .json) var device = Device()
  /// @Stored(.required) var port: Int
  /// @Stored(.computed) var since = Date()
  /// @Stored(.generatedOnce) var installation = UUID()
  /// @Stored(.renamed(from: "soundVolume")) var loudness = 5
  /// @Stored(.in(0...11), .about("Brightness, 0 to 11")) var brightness = 5
  /// ```
  ///
  /// The property's initial value is the default of the setting. The prefixes of the schema and of
  /// the property's group come before the name and the previous names. A previous name that begins
  /// with a dot, `.renamed(from: ".fontSize")`, is outside of every group: use it for a setting
  /// that moved into a group. The projected value is the key: `$volume.reset()`,
  /// `Defaults.updates(settings.$volume)`. Getting and setting work like `Defaults[key]` on the
  /// same entry, and the Observation framework tracks them: see ``Schema``.
  @propertyWrapper
  public struct Stored<Value: Sendable>: AnyStored, Sendable {
    @usableFromInline let box: StoredBox<Value>

    /// Diagnoses a property with neither an initial value nor an optional type.
    ///
    /// Declared in the type itself, because the compiler initializes a property with a bare
    /// attribute only if there is an initializer for every type.
    @available(
      *, unavailable,
      message:
        "needs an initial value or an optional type, or `@Stored(.required)`; if the type isn't `Codable`, also a `coding:`"
    )
    public init() { fatalError("unavailable") }

    @inlinable
    init(
      _ name: String?, fallback: Fallback<Value>, coding: Coding<Value>, traits: [Trait<Value>]
    ) {
      box = StoredBox(name, declaresAtOnce: traits.needDeclaration()) { place in
        Key(
          place.name, fallback: fallback, suite: place.suite, coding: coding, traits: traits,
          prefixed: place.behindPrefix)
      }
    }

    /// The value of the setting. Reading it is tracked.
    @inlinable
    public var wrappedValue: Value {
      get { box.value }
      nonmutating set { box.value = newValue }
    }

    /// The key of the setting.
    public var projectedValue: Key<Value> { box.tracked.key }

    static func box(in value: Any) -> AnyStoredBox? { (value as? Self)?.box }
  }

  /// A `Stored` whose type of value isn't known.
  protocol AnyStored {
    /// Returns the box of a value of this type; nil for another type.
    static func box(in value: Any) -> AnyStoredBox?
  }
}

// MARK: - Initializers

// They correspond to the initializers of a key, and are emitted into the client like these. The
// name is omitted if it is the property's name.

extension Defaults.Stored where Value: Defaults.Serializable {
  /// Creates a setting whose default is the initial value: `@Stored var volume = 5`.
  ///
  /// - Parameters:
  ///   - wrappedValue: The default. If it is an optional, setting nil removes the entry, which
  ///     restores the default.
  ///   - name: The name of the entry; nil for the property's name.
  ///   - traits: The rules and labels of the setting; see ``Trait``.
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
  /// Creates a setting with an optional value, whose default is nil:
  /// `@Stored var nickname: String?`.
  @_alwaysEmitIntoClient
  public init<Wrapped: Defaults.Serializable>(
    name: String? = nil, _ traits: Defaults.Trait<Value>...
  ) where Value == Wrapped? {
    self.init(
      name, fallback: .unregistered(nil), coding: Defaults.Coding(Value.bridge), traits: traits)
  }

  /// Creates a setting with a coding: `@Stored(coding: .json) var device = Device()`.
  @_alwaysEmitIntoClient
  public init(
    wrappedValue: @autoclosure @escaping @Sendable () -> Value, name: String? = nil,
    coding: Defaults.Coding<Value>, _ traits: Defaults.Trait<Value>...
  ) {
    self.init(name, fallback: .init(wrappedValue, traits), coding: coding, traits: traits)
  }

  /// Creates a setting of an optional value with a coding for the wrapped value. Its default is
  /// nil: `@Stored(coding: .iso8601) var expiry: Date?`.
  @_alwaysEmitIntoClient
  public init<Wrapped: Sendable>(
    name: String? = nil, coding: Defaults.Coding<Wrapped>, _ traits: Defaults.Trait<Value>...
  ) where Value == Wrapped? {
    self.init(name, fallback: .unregistered(nil), coding: .optional(coding), traits: traits)
  }
}

extension Defaults.Stored where Value: Codable {
  /// Creates a setting of a `Codable` type that isn't `Serializable`. It is stored as JSON text.
  /// Setting an optional value to nil removes the entry, which restores the default.
  @_alwaysEmitIntoClient
  @_disfavoredOverload
  public init(
    wrappedValue: @autoclosure @escaping @Sendable () -> Value, name: String? = nil,
    _ traits: Defaults.Trait<Value>...
  ) {
    self.init(name, fallback: .init(wrappedValue, traits), coding: .jsonOfProperty, traits: traits)
  }
}

extension Defaults.Stored {
  /// Creates a setting of an optional `Codable` value, stored as JSON text. Its default is nil.
  @_alwaysEmitIntoClient
  @_disfavoredOverload
  public init<Wrapped: Codable & Sendable>(
    name: String? = nil, _ traits: Defaults.Trait<Value>...
  ) where Value == Wrapped? {
    self.init(name, fallback: .unregistered(nil), coding: .optional(.json), traits: traits)
  }
}

// MARK: - Without a default

extension Defaults {
  /// The first argument of `@Stored` for a property without an initial value, whose setting must be
  /// set; see ``Key/required(_:suite:_:)``.
  public struct Requirement: Sendable {
    @usableFromInline
    init() {}

    /// The setting must be set.
    @_alwaysEmitIntoClient
    public static var required: Self { Self() }
  }
}

extension Defaults.Stored where Value: Defaults.Serializable {
  /// Creates a setting that must be set: `@Stored(.required) var port: Int`.
  @_alwaysEmitIntoClient
  public init(
    _ requirement: Defaults.Requirement, name: String? = nil, _ traits: Defaults.Trait<Value>...
  ) {
    self.init(
      name, fallback: .required(Lock(nil)), coding: Defaults.Coding(Value.bridge),
      traits: traits)
  }
}

extension Defaults.Stored {
  /// Creates a setting that must be set, with a coding.
  @_alwaysEmitIntoClient
  public init(
    _ requirement: Defaults.Requirement, name: String? = nil, coding: Defaults.Coding<Value>,
    _ traits: Defaults.Trait<Value>...
  ) {
    self.init(name, fallback: .required(Lock(nil)), coding: coding, traits: traits)
  }
}
