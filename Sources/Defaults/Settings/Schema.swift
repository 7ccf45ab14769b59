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
  /// ``standard`` is a schema on the program's suite; ``init(suite:namePrefix:)`` creates one on
  /// any other suite, for tests and previews. A schema that was created by `init()` isn't bound to
  /// a suite, and traps when one of its settings is used. Copies have the same settings, and
  /// setters are nonmutating. Two properties with one name are the same setting, so their types and
  /// rules must agree. The names of the properties are found by reflection, which takes one or two
  /// microseconds for each, and each instance caches its own decoded values, so keep an instance
  /// and reuse it. A new instance also declares its properties that have rules or are secret: from
  /// then on, imports check these rules, and exports omit these secrets.
  ///
  /// Each property is the same setting as a key with its name in the suite: `Defaults[.volume]`
  /// sees what `preferences.volume` writes. The Observation framework tracks each property
  /// separately: `withObservationTracking` and `Observations` are notified of changes through the
  /// schema, through a key, or by another process. The notification comes after the change, on the
  /// delivering thread and in its scope of `withSuite`, outside of every lock. As with every
  /// observed type, a change by another thread between a read and the end of the closure around it
  /// may be missed; `Defaults.updates` misses none.
  ///
  /// A property that is itself a schema is a group, created by its `init()`: the names of its
  /// settings begin with the property's name and a dot, or with the group's own
  /// ``StoredProperties/namePrefix``. For a setting that moved into a group, write its previous
  /// name with a leading dot: `@Stored(.renamed(from: ".fontSize")) var size = 12`. Initial values
  /// are the defaults. Defaults in a bundle override them: see
  /// ``Suite/register(defaultsFrom:resource:)``.
  public protocol Schema: StoredProperties, Sendable {
    /// Creates an unbound schema. Synthesized if all properties have initial values.
    init()
  }
}

extension Defaults.Schema {
  /// An empty prefix.
  public static var namePrefix: String { "" }

  /// No migrations.
  public static var migrations: [Defaults.Migration] { [] }

  /// A schema on the program's suite. Each access creates an instance, so keep one and reuse it.
  public static var standard: Self { Self(suite: .standard) }

  /// Creates a schema on a suite.
  ///
  /// - Parameters:
  ///   - suite: The suite that stores the settings.
  ///   - namePrefix: The text before the property's name in the name of each setting.
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
  /// A type whose properties with `@Stored` are settings: a ``Schema`` or a ``Settings`` class.
  /// Conform to one of these instead.
  public protocol StoredProperties {
    /// The text before the name of each setting; empty by default.
    static var namePrefix: String { get }

    /// The migrations from earlier versions of the settings to the current version, in ascending
    /// order; none by default. See ``Suite/migrate(_:)``.
    ///
    /// The version belongs to the suite. If several schemas share a suite, declare the migrations
    /// of all of them in one schema. A group has no migrations: the enclosing schema's migrations
    /// also rename the entries of the group.
    static var migrations: [Migration] { get }
  }
}

extension Defaults.StoredProperties {
  /// The attribute of a property that is a setting.
  public typealias Stored<Value: Sendable> = Defaults.Stored<Value>

  /// All settings of the schema in the order of their declaration, a superclass's settings first.
  public var storedProperties: [Defaults.StoredProperty] {
    SchemaReflection(of: self).properties.map { $0.box.describe($0.path) }
  }

  /// The keys of all settings in the order of their declaration, for `Defaults.reset`, `updates`
  /// and `observe`. Two properties that are the same setting have one key.
  public var keys: [Defaults.AnyKey] {
    var known: Set<Defaults.AnyKey> = []
    return storedProperties.map(\.key).filter { known.insert($0).inserted }
  }

  /// Removes the entries of all settings of the schema in one transaction, so that they have their
  /// default values again. To reset one setting, use ``Defaults/KeyBase/reset()`` of its key.
  public func resetAll() {
    for (suite, keys) in Defaults.AnyKey.bySuite(keys) { suite.reset(keys) }
  }
}

// MARK: - Classes

extension Defaults {
  /// A base class for classes whose properties are settings.
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
  /// Use it where an object is needed, such as an environment or a binding; otherwise prefer a
  /// ``Schema``, which is `Sendable`. The rules of a schema also apply to this class. A setting
  /// must not be used before `super.init`.
  open class Settings: StoredProperties, Observable {
    /// The text before the name of each setting, unless another text is passed to `init`.
    open class var namePrefix: String { "" }

    /// The migrations from earlier versions of the settings to the current version, in ascending
    /// order; see ``StoredProperties/migrations``.
    open class var migrations: [Migration] { [] }

    /// Creates the settings on a suite. If `namePrefix` is nil, the prefix of the class is used.
    public init(suite: some Suite, namePrefix: String? = nil) {
      SchemaReflection(of: self).bind(to: suite, behind: namePrefix ?? Self.namePrefix)
    }

    // Not a default argument of the other initializer: subclasses don't inherit a default argument
    // of an opaque type.
    /// Creates the settings on the program's suite.
    public convenience init(namePrefix: String? = nil) {
      self.init(suite: .standard, namePrefix: namePrefix)
    }
  }
}

// MARK: - Reflection

/// The `@Stored` properties of a schema, found by reflection in a microsecond each.
struct SchemaReflection {
  struct Property {
    let box: AnyStoredBox
    /// The property's name after the names of its groups.
    let path: String
    /// The prefix of the setting's name from its groups.
    let prefix: String
    /// The name of the setting in its group.
    let ownName: String

    var name: String { prefix + ownName }

    /// The key, once the property is bound.
    var key: Defaults.AnyKey { box.describe(path).key }
  }

  private(set) var properties: [Property] = []
  private let schema: Any.Type

  /// Reflects a schema. Traps if its properties have no names.
  init(of schema: Any) {
    self.schema = type(of: schema)
    add(Mirror(reflecting: schema), path: "", prefix: "")
  }

  /// Binds the settings to entries of a suite whose names begin with a prefix.
  func bind(to suite: any Defaults.Suite, behind prefix: String) {
    for property in properties {
      property.box.bind(
        to: StoredPlace(
          suite: suite, schemaPrefix: prefix, groupPrefix: property.prefix,
          ownName: property.ownName))
    }
    checkNames()
    for property in properties where property.box.declaresAtOnce { _ = property.key }
  }

  /// Traps if two properties with one name aren't the same setting.
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
      // By type, because a cast would also unwrap an optional, which may be nil in another
      // instance.
      if let stored = type as? any Defaults.AnyStored.Type, let box = stored.box(in: child.value) {
        let label = Self.label(of: child, in: mirror)
        // The compiler names the storage of a property wrapper with a leading underscore.
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
          a group always exists exactly once, so it can't be optional or in an array
          """)
      }
    }
  }

  private static func label(of child: Mirror.Child, in mirror: Mirror) -> String {
    guard let label = child.label, !label.isEmpty else {
      fatalError(
        """
        the settings of \(mirror.subjectType) are named after its properties, whose names are \
        missing: build the module without -disable-reflection-names
        """)
    }
    return label
  }
}

/// A type whose values may contain groups, which a schema doesn't support.
private protocol MightHoldGroups {
  static var holdsGroups: Bool { get }
}

extension Optional: MightHoldGroups {
  fileprivate static var holdsGroups: Bool { Wrapped.self is any Defaults.Schema.Type }
}

extension Array: MightHoldGroups {
  fileprivate static var holdsGroups: Bool { Element.self is any Defaults.Schema.Type }
}
