import Synchronization

/// The storage of a schema's property: a closure that makes its key, and the key once it was made.
///
/// A class, because the property is created before its name is known: the initializer of the schema
/// calls ``bind(to:)`` before it returns.
@usableFromInline
class AnyStoredBox: @unchecked Sendable {
  // Unchecked because of `place`, which the initializer of the schema sets once before any other
  // code has the schema, and because of the pointer in `owned`, which is to a Sendable object.

  /// The name given in the attribute; nil for the property's own name.
  @usableFromInline final let givenName: String?
  /// Whether the schema creates the key when it is created itself: a property with a rule or a
  /// secret, which the suite must know before an import or export.
  @usableFromInline final let declaresAtOnce: Bool
  @usableFromInline final var place: StoredPlace?
  /// The `TrackedKey`, which the box owns; nil until its first use, so that a schema with many
  /// properties costs little. Unmanaged, because retaining and releasing it takes longer than the
  /// rest of a read. Untyped, because that makes the box faster.
  @usableFromInline final let owned = Atomic<UnsafeRawPointer?>(nil)

  @inlinable
  init(givenName: String?, declaresAtOnce: Bool) {
    self.givenName = givenName
    self.declaresAtOnce = declaresAtOnce
  }

  deinit {
    guard let pointer = owned.load(ordering: .acquiring) else { return }
    Unmanaged<AnyObject>.fromOpaque(pointer).release()
  }

  final func bind(to place: StoredPlace) {
    // A property that is a constant of several schemas would need a place in each.
    guard self.place == nil else {
      fatalError("a property with @Stored can belong to one schema only: \(escaped(place.name))")
    }
    self.place = place
  }

  /// The place of the setting. Traps if there is none.
  final var boundPlace: StoredPlace {
    guard let place else {
      fatalError(
        """
        a property with @Stored was used before it was bound to a suite. For a struct \
        `Preferences` that conforms to Defaults.Schema write `Preferences.standard` or \
        `Preferences(suite: …)`, not `Preferences()`; a class must inherit from Defaults.Settings. \
        The module must be built without -disable-reflection-metadata
        """)
    }
    return place
  }

  /// Returns the property for a list of the schema's settings.
  func describe(_ property: String) -> Defaults.StoredProperty {
    fatalError("StoredBox overrides it")
  }
}

/// The place of a setting: a suite, and the parts of the name.
@usableFromInline
struct StoredPlace: Sendable {
  @usableFromInline let suite: any Defaults.Suite
  /// The prefix of all settings of the schema.
  let schemaPrefix: String
  /// The prefix of the groups that the setting is in.
  let groupPrefix: String
  let ownName: String

  @usableFromInline var name: String { schemaPrefix + groupPrefix + ownName }

  /// Adds the prefixes of schema and group to previous names. A name that begins with a dot only
  /// gets the schema's prefix.
  @usableFromInline
  func behindPrefix(_ names: [String]) -> [String] {
    names.map { name in
      name.first == "." && name.count > 1
        ? schemaPrefix + name.dropFirst() : schemaPrefix + groupPrefix + name
    }
  }
}

extension Array {
  /// Returns whether the suite must know one of the traits before the setting is first used.
  @inlinable
  func needDeclaration<Value>() -> Bool where Element == Defaults.Trait<Value> {
    // In a loop; see `TraitLabels`.
    for trait in self {
      switch trait.content {
      case .rule, .label(.secret): return true
      case .label: continue
      }
    }
    return false
  }
}

/// The box of a property of one type.
@usableFromInline
final class StoredBox<Value: Sendable>: AnyStoredBox, @unchecked Sendable {
  // Unchecked because its superclass is; every added property is a constant.

  @usableFromInline typealias MakeKey = @Sendable (StoredPlace) -> Defaults.Key<Value>

  /// A closure instead of the parts of the key, because the closure's context is created and
  /// released by code that knows their types. That is most of the cost of a schema's instance.
  @usableFromInline let makeKey: MakeKey

  @inlinable
  init(_ givenName: String?, declaresAtOnce: Bool, _ makeKey: @escaping MakeKey) {
    self.makeKey = makeKey
    super.init(givenName: givenName, declaresAtOnce: declaresAtOnce)
  }

  @inlinable
  var value: Value {
    get {
      guard let pointer = owned.load(ordering: .acquiring) else { return tracked.value }
      // The key lives as long as the box, which the caller retains.
      return Unmanaged<TrackedKey<Value>>.fromOpaque(pointer)
        ._withUnsafeGuaranteedRef { $0.value }
    }
    set { tracked.value = newValue }
  }

  /// The key, created when it is first used.
  @usableFromInline
  var tracked: TrackedKey<Value> {
    if let pointer = owned.load(ordering: .acquiring) {
      return Unmanaged.fromOpaque(pointer).takeUnretainedValue()
    }
    let new = Unmanaged.passRetained(TrackedKey(makeKey(boundPlace)))
    let (isMine, present) = owned.compareExchange(
      expected: nil, desired: UnsafeRawPointer(new.toOpaque()), ordering: .acquiringAndReleasing)
    if let present, !isMine {
      // Another thread created the key first.
      new.release()
      return Unmanaged.fromOpaque(present).takeUnretainedValue()
    }
    return new.takeUnretainedValue()
  }

  override func describe(_ property: String) -> Defaults.StoredProperty {
    Defaults.StoredProperty(property, key: tracked.key)
  }
}

// MARK: - List of settings

extension Defaults {
  /// A setting of a schema in a list: its name, type, default and current value.
  ///
  /// ```swift
  /// for property in settings.storedProperties where property.isSet {
  ///   print(property.name, property.value)
  /// }
  /// ```
  public struct StoredProperty: Sendable {
    /// The property's name in the source. If the property is in a group, the group's name and a dot
    /// come first.
    public let property: String
    /// The key of the setting: a `Key<Value>` of ``type``.
    public let key: AnyKey
    /// The type of the value.
    public let type: any Sendable.Type
    private let readDefault: @Sendable () -> any Sendable
    private let read: @Sendable () -> any Sendable

    init<Value>(_ property: String, key: Key<Value>) {
      self.property = property
      self.key = key
      type = Value.self
      readDefault = { key.defaultValueIfAny ?? Value?.none as any Sendable }
      read = { (key.isRequired ? try? key.suite.value(for: key) : key.current) as any Sendable }
    }
  }
}

extension Defaults.StoredProperty: CustomStringConvertible {
  /// The property, the type and the current value: `volume: Int = 5`.
  public var description: String {
    "\(property): \(Description.of(type)) = "
      + (key.suite.isSecret(key) ? Description.secret : Description.brief(value: value))
  }

  /// The name under which the value is stored.
  public var name: String { key.name }
  /// A one-line description of the setting; see ``Trait/about(_:)``.
  public var about: String? { key.about }
  /// Whether the value is redacted; see ``Trait/secret``.
  public var isSecret: Bool { key.isSecret }
  /// The value while nothing is stored; see ``Defaults/Key/defaultValue``.
  public var defaultValue: any Sendable { readDefault() }
  /// The current value. Reading it here isn't tracked.
  public var value: any Sendable { read() }
  /// Whether a value is stored; it may equal the default.
  public var isSet: Bool { key.suite.contains(key) }
  /// Whether the current value equals the default, even if the value is stored.
  public var isDefaultValue: Bool { key.isDefaultValue }
}
