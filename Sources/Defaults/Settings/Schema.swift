extension Defaults {
  /// A struct whose properties are settings.
  ///
  /// ```swift
  /// struct Preferences: Defaults.Schema {
  ///   @Stored var volume = 5
  ///   @Stored var nickname: String?
  ///   @Stored("other-name") var title = "x"
  /// }
  ///
  /// let preferences = Preferences(suite: .standard)
  /// preferences.volume += 1
  /// ```
  ///
  /// Make one by ``init(suite:namePrefix:)``: it is then bound to a suite, so that tests and
  /// previews can give it another one. One that was made by `init()` traps when a setting of it is
  /// used. Copies are the same settings; a setter needs no variable. It is `Sendable`. The names of
  /// the properties are found by reflection, which takes a microsecond or two for each, and what
  /// one instance has decoded another one decodes again, so keep it where there is a place for it.
  ///
  /// Each setting is the same as that of a key with its name in the suite: `Defaults[.volume]` sees
  /// what `preferences.volume` writes. The Observation framework tracks each property by itself:
  /// `withObservationTracking` and `Observations` hear of changes made here, by a key, or by
  /// another process; after the change, on the thread that delivers it, outside of every lock. As
  /// with any type that is observed, a change by another thread that falls between a read and the
  /// end of the closure it is in may be missed; `Defaults.updates` misses none.
  ///
  /// A property that is itself a schema is a group, made by its `init()`: its settings have the
  /// property's name and a dot before theirs, or the group's own ``StoredProperties/namePrefix``.
  /// The defaults are the initial values; those of a bundle, see
  /// ``Suite/register(defaultsFrom:resource:)``, win over them.
  public protocol Schema: StoredProperties, Sendable {
    /// A schema that isn't bound; it is there if all properties have initial values.
    init()
  }
}

extension Defaults.Schema {
  /// Nothing.
  public static var namePrefix: String { "" }

  /// The settings of a suite, each by the name of its property behind the prefix.
  public init(suite: some Defaults.Suite = .standard, namePrefix: String = Self.namePrefix) {
    self.init()
    let reflection = SchemaReflection(of: self)
    guard !reflection.properties.isEmpty || Self.self is AnyClass || MemoryLayout<Self>.size == 0
    else {
      fatalError(
        """
        no property of \(Self.self) has @Stored, or Swift's reflection doesn't show them: build \
        the module without -disable-reflection-metadata
        """)
    }
    reflection.bind(to: suite, behind: namePrefix)
  }
}

extension Defaults {
  /// A type whose properties with `@Stored` are settings: what a ``Schema`` and a ``Settings``
  /// class have in common. There is no need to conform to it.
  public protocol StoredProperties {
    /// What comes before the name of each setting; the default is nothing.
    static var namePrefix: String { get }
  }
}

extension Defaults.StoredProperties {
  /// The attribute of a property that is a setting.
  public typealias Stored<Value: Sendable> = Defaults.Stored<Value>

  /// All settings of the schema, in the order of their declaration; those of a superclass first.
  public var storedProperties: [Defaults.StoredProperty] {
    SchemaReflection(of: self).properties.map { $0.box.describe($0.path) }
  }

  /// The keys of all settings, in the order of their declaration, for `Defaults.reset`, `updates`
  /// and `observe`.
  public var keys: [Defaults.AnyKey] { storedProperties.map(\.key) }

  /// Removes the entries of all settings of the schema, in one transaction, so that they have their
  /// default values again.
  public func reset() {
    Defaults.reset(keys)
  }
}

extension Defaults {
  /// A setting of a schema as a list shows it: name, type, default, and present value.
  ///
  /// ```swift
  /// for property in settings.storedProperties where property.isSet {
  ///   print(property.name, property.value)
  /// }
  /// ```
  public struct StoredProperty: Sendable {
    /// The property's name in the source; within a group, behind that of the group and a dot.
    public let property: String
    /// The key of the setting; it is a `Key<Value>` of ``type``.
    public let key: AnyKey
    /// The type of the value.
    public let type: any Sendable.Type
    private let readDefault: @Sendable () -> any Sendable
    private let read: @Sendable () -> any Sendable
    private let readIsDefault: @Sendable () -> Bool

    init<Value>(_ property: String, key: Key<Value>) {
      self.property = property
      self.key = key
      type = Value.self
      readDefault = { key.defaultValue }
      read = { Defaults[key] }
      readIsDefault = { key.isDefaultValue }
    }
  }
}

extension Defaults.StoredProperty {
  /// The name under which the value is stored.
  public var name: String { key.name }
  /// The value while nothing is stored; see ``Defaults/Key/defaultValue``.
  public var defaultValue: any Sendable { readDefault() }
  /// The present value. Reading it here isn't tracked.
  public var value: any Sendable { read() }
  /// Whether a value is stored; it may equal the default.
  public var isSet: Bool { key.suite.contains(key) }
  /// Whether the present value is the default, stored or not.
  public var isDefaultValue: Bool { readIsDefault() }
}
