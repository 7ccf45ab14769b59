extension Defaults {
  /// A property of a ``Schema`` or of a ``Settings`` class that is a setting, and goes by its name.
  ///
  /// ```swift
  /// @Stored var volume = 5
  /// @Stored var nickname: String?
  /// @Stored("other-name") var title = "x"
  /// @Stored(coding: .json) var device = Device()
  /// @Stored(default: { Date() }) var since: Date
  /// @Stored(initial: UUID()) var installation: UUID
  /// @Stored(previousNames: ["soundVolume"]) var loudness = 5
  /// ```
  ///
  /// The property's initial value is the default of the setting. Names, previous ones too, stand
  /// behind the prefix of the schema. The projected value is its key:
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
      _ name: String?, previousNames: [String] = [], fallback: Key<Value>.Fallback,
      coding: Coding<Value>
    ) {
      box = StoredBox(name) { place in
        Key(
          place.name, fallback: fallback, previousNames: place.behindPrefix(previousNames),
          suite: place.suite, coding: coding)
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
    var anyBox: AnyStoredBox { get }
  }
}

extension Defaults.Stored: Defaults.AnyStored {
  var anyBox: AnyStoredBox { box }
}
