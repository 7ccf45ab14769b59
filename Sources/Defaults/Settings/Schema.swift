import Observation

extension Defaults {
  /// A struct whose properties are settings.
  ///
  /// ```swift
  /// struct Preferences: Defaults.Schema {
  ///   @Stored var volume = 5
  ///   @Stored var nickname: String?
  ///   @Stored(name: "other-name") var title = "x"
  /// }
  ///
  /// let preferences = Preferences.standard
  /// preferences.volume += 1
  /// ```
  ///
  /// ``standard`` makes one on the program's suite, ``init(suite:namePrefix:)`` on any other, for
  /// tests and previews. One that was made by `init()` isn't bound to a suite, and traps when a
  /// setting of it is used. Copies are the same settings; a setter needs no variable. It is `Sendable`. Two
  /// properties may have one name, and are the same setting then: their types and rules must agree.
  /// The names of the properties are found by reflection, which takes a microsecond or two for each, and what
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
  /// A setting that moved into a group has its name from before with a dot at its start:
  /// `@Stored(.renamed(from: ".fontSize")) var size = 12`.
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

  /// None.
  public static var migrations: [Defaults.Migration] { [] }

  /// The settings of the program's suite, as ``init(suite:namePrefix:)`` makes them of any suite.
  ///
  /// Each call makes an instance; keep it where there is a place for it.
  public static var standard: Self { Self(suite: .standard) }

  /// The settings of a suite, each by the name of its property behind the prefix.
  public init(suite: some Defaults.Suite, namePrefix: String = Self.namePrefix) {
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

    /// The steps from earlier versions of the settings to the current one, in ascending order; the
    /// default is none. See ``Suite/migrate(_:)``.
    ///
    /// The version belongs to the suite. Where several schemas share one, one of them has the steps
    /// of all. A group has none: those of the schema around it rename its entries, too.
    static var migrations: [Migration] { get }
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
  /// and `observe`; one for each, also where two properties are the same setting.
  public var keys: [Defaults.AnyKey] {
    var known: Set<Defaults.AnyKey> = []
    return storedProperties.map(\.key).filter { known.insert($0).inserted }
  }

  /// Removes the entries of all settings of the schema, in one transaction, so that they have their
  /// default values again. ``Defaults/KeyBase/reset()`` of a property's key resets that alone.
  public func resetAll() {
    Defaults.AnyKey.reset(keys)
  }
}

// MARK: - Classes

extension Defaults {
  /// The superclass of a class whose properties are settings.
  ///
  /// ```swift
  /// final class Preferences: Defaults.Settings {
  ///   @Stored var volume = 5
  ///   @Stored var nickname: String?
  /// }
  ///
  /// let preferences = Preferences()
  /// let inTests = Preferences(suite: Defaults.MemorySuite())
  /// ```
  ///
  /// For what an object is needed for, such as an environment or a binding; else a ``Schema`` is
  /// the better form, being `Sendable`. All that is said there holds here, too. A setting must not
  /// be used before `super.init`.
  open class Settings: StoredProperties, Observable {
    /// What comes before the name of each setting, unless the initializer is given something else.
    open class var namePrefix: String { "" }

    /// The steps from earlier versions of the settings to the current one, in ascending order; see
    /// ``StoredProperties/migrations``.
    open class var migrations: [Migration] { [] }

    /// The settings of a suite, each by the name of its property behind the prefix; `namePrefix`
    /// nil stands for the class's own.
    public init(suite: some Suite, namePrefix: String? = nil) {
      SchemaReflection(of: self).bind(to: suite, behind: namePrefix ?? Self.namePrefix)
    }

    // Not by a default argument of the other: subclasses inherit none for an opaque type.
    /// The settings of the program's own suite.
    public convenience init(namePrefix: String? = nil) {
      self.init(suite: .standard, namePrefix: namePrefix)
    }
  }
}

// MARK: - Reflection

/// The properties with `@Stored` of a schema, found by reflection: a microsecond each.
struct SchemaReflection {
  struct Property {
    let box: AnyStoredBox
    /// The property's name, behind those of the groups it is in.
    let path: String
    /// What comes before the name of the setting for the groups it is in.
    let prefix: String
    /// The name of the setting in its group.
    let ownName: String

    /// The name of the setting, without the prefix of the schema.
    var name: String { prefix + ownName }

    /// The key, once the property is bound.
    var key: Defaults.AnyKey { box.describe(path).key }
  }

  private(set) var properties: [Property] = []
  private let schema: Any.Type

  /// Reflects a schema. Traps, with what to do about it, if there are no names.
  init(of schema: Any) {
    self.schema = type(of: schema)
    add(Mirror(reflecting: schema), path: "", prefix: "")
  }

  /// Says where the settings are: in a suite, by their names behind a prefix.
  func bind(to suite: any Defaults.Suite, behind prefix: String) {
    for property in properties {
      property.box.bind(
        to: StoredPlace(
          suite: suite, schemaPrefix: prefix, groupPrefix: property.prefix,
          ownName: property.ownName))
    }
    checkNames()
  }

  /// Traps, with what to do about it, where two properties of one entry aren't the same setting.
  private func checkNames() {
    var known = [String: Property](minimumCapacity: properties.count)
    for property in properties {
      guard let other = known.updateValue(property, forKey: property.name) else { continue }
      let (old, new) = (other.key.keyDeclaration, property.key.keyDeclaration)
      guard let difference = new.difference(from: old) else { continue }
      fatalError(
        """
        two properties of \(schema) have the name \(escaped(property.name)), \(other.path) and \
        \(property.path), \(difference); @Stored(name:) gives a property another name
        """)
    }
  }

  private mutating func add(_ mirror: Mirror, path: String, prefix: String) {
    if let inherited = mirror.superclassMirror { add(inherited, path: path, prefix: prefix) }
    for child in mirror.children {
      let type = Swift.type(of: child.value)
      // By its type: a cast alone would also look into an optional, which may be nil elsewhere.
      if let stored = type as? any Defaults.AnyStored.Type, let box = stored.box(in: child.value) {
        let label = Self.label(of: child, in: mirror)
        // The compiler puts a line before the name of what a property wrapper is kept in.
        let property = String(label.hasPrefix("_") ? label.dropFirst() : label[...])
        properties.append(
          Property(
            box: box, path: path + property, prefix: prefix, ownName: box.givenName ?? property))
      } else if let group = type as? any Defaults.Schema.Type {
        let label = Self.label(of: child, in: mirror)
        guard group.migrations.isEmpty else {
          fatalError(
            """
            \(path)\(label) of \(mirror.subjectType) is a group, whose migrations would never run; \
            declare them in the schema around it
            """)
        }
        let own = group.namePrefix
        add(
          Mirror(reflecting: child.value), path: path + label + ".",
          prefix: prefix + (own.isEmpty ? label + "." : own))
      } else if let container = type as? any MightHoldGroups.Type, container.holdsGroups {
        fatalError(
          """
          \(path)\(Self.label(of: child, in: mirror)) of \(mirror.subjectType) can't be a group: \
          whether it is there, and how often, mustn't change, so it is neither optional nor an array
          """)
      }
    }
  }

  private static func label(of child: Mirror.Child, in mirror: Mirror) -> String {
    guard let label = child.label, !label.isEmpty else {
      fatalError(
        """
        the properties of \(mirror.subjectType) have no names, from which those of the settings \
        come: build the module without -disable-reflection-names
        """)
    }
    return label
  }
}

/// A type whose values may have groups in them that a schema can't have.
private protocol MightHoldGroups {
  static var holdsGroups: Bool { get }
}

extension Optional: MightHoldGroups {
  fileprivate static var holdsGroups: Bool { Wrapped.self is any Defaults.Schema.Type }
}

extension Array: MightHoldGroups {
  fileprivate static var holdsGroups: Bool { Element.self is any Defaults.Schema.Type }
}
