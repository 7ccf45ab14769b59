import Synchronization

/// What a property of a schema holds: how its key is made, and the key once it is there.
///
/// An object, for the property is made before anybody can know its name: that comes with
/// ``bind(to:)``, which the initializer of the schema calls before it gives the schema away.
@usableFromInline
class AnyStoredBox: @unchecked Sendable {
  // Unchecked because `place` is variable: it is set once, by the initializer of the schema that
  // the box belongs to, and nobody else has the schema by then. And because of the pointer in
  // `owned`, which is to a Sendable object.

  /// The name that was given to the property; nil if it goes by its own.
  @usableFromInline final let givenName: String?
  @usableFromInline final var place: StoredPlace?
  /// The `TrackedKey`, which the box owns; nil until it is used first, so that a schema with many
  /// properties costs little. Unmanaged, since retaining and releasing it takes longer than all
  /// else that a read does; without its type, since the box goes faster then.
  @usableFromInline final let owned = Atomic<UnsafeRawPointer?>(nil)

  @inlinable
  init(givenName: String?) {
    self.givenName = givenName
  }

  deinit {
    guard let pointer = owned.load(ordering: .acquiring) else { return }
    Unmanaged<AnyObject>.fromOpaque(pointer).release()
  }

  /// Says where the setting is.
  final func bind(to place: StoredPlace) {
    // A property that is a constant of several schemas would have one place in all of them.
    guard self.place == nil else {
      fatalError(
        "a property with @Stored belongs to one schema, and is bound once: \(escaped(place.name))")
    }
    self.place = place
  }

  /// Where the setting is.
  final var boundPlace: StoredPlace {
    guard let place else {
      fatalError(
        """
        a property with @Stored was used before it had a name and a suite. Of a struct \
        `Preferences` that conforms to Defaults.Schema write `Preferences.standard` or \
        `Preferences(suite: …)`, not `Preferences()`; a class inherits from Defaults.Settings. \
        Names come from Swift's reflection: don't build the module with -disable-reflection-metadata
        """)
    }
    return place
  }

  /// The property as a list of the schema's settings shows it.
  func describe(_ property: String) -> Defaults.StoredProperty {
    fatalError("StoredBox does it")
  }
}

/// Where a setting is: a suite, and what the name consists of.
@usableFromInline
struct StoredPlace: Sendable {
  @usableFromInline let suite: any Defaults.Suite
  /// What comes before the names of all settings of the schema.
  let schemaPrefix: String
  /// What comes after that for the groups that the setting is in.
  let groupPrefix: String
  let ownName: String

  @usableFromInline var name: String { schemaPrefix + groupPrefix + ownName }

  /// Names that the setting had in this schema: in its group, or, behind a dot, outside of every
  /// group.
  @usableFromInline
  func behindPrefix(_ names: [String]) -> [String] {
    names.map { name in
      name.first == "." && name.count > 1
        ? schemaPrefix + name.dropFirst() : schemaPrefix + groupPrefix + name
    }
  }
}

/// The box of a property of one type.
@usableFromInline
final class StoredBox<Value: Sendable>: AnyStoredBox, @unchecked Sendable {
  // Unchecked as its superclass demands; what is added is constant.

  @usableFromInline typealias MakeKey = @Sendable (StoredPlace) -> Defaults.Key<Value>

  /// A closure, not what goes into the key: its context is made and released by code that knows the
  /// type, which is most of what an instance of a schema costs.
  @usableFromInline let makeKey: MakeKey

  @inlinable
  init(_ givenName: String?, _ makeKey: @escaping MakeKey) {
    self.makeKey = makeKey
    super.init(givenName: givenName)
  }

  /// The value of the setting; reading it is tracked.
  @inlinable
  var value: Value {
    get {
      guard let pointer = owned.load(ordering: .acquiring) else { return tracked.value }
      // It lives as long as the box does, which the caller holds.
      return Unmanaged<TrackedKey<Value>>.fromOpaque(pointer)
        ._withUnsafeGuaranteedRef { $0.value }
    }
    set { tracked.value = newValue }
  }

  /// The key, made when it is asked for first.
  @usableFromInline
  var tracked: TrackedKey<Value> {
    if let pointer = owned.load(ordering: .acquiring) {
      return Unmanaged.fromOpaque(pointer).takeUnretainedValue()
    }
    let new = Unmanaged.passRetained(TrackedKey(makeKey(boundPlace)))
    let (isMine, present) = owned.compareExchange(
      expected: nil, desired: UnsafeRawPointer(new.toOpaque()), ordering: .acquiringAndReleasing)
    if let present, !isMine {
      // Another thread was faster.
      new.release()
      return Unmanaged.fromOpaque(present).takeUnretainedValue()
    }
    return new.takeUnretainedValue()
  }

  override func describe(_ property: String) -> Defaults.StoredProperty {
    Defaults.StoredProperty(property, key: tracked.key)
  }
}

// MARK: - The setting as a list shows it

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

    init<Value>(_ property: String, key: Key<Value>) {
      self.property = property
      self.key = key
      type = Value.self
      readDefault = { key.defaultValue }
      read = { key.current }
    }
  }
}

extension Defaults.StoredProperty: CustomStringConvertible {
  /// The property, the type and the present value: `volume: Int = 5`.
  public var description: String {
    "\(property): \(Description.of(type)) = "
      + (key.isSecret ? Description.secret : Description.brief(value: value))
  }

  /// The name under which the value is stored.
  public var name: String { key.name }
  /// What the setting is for; see ``Trait/about(_:)``.
  public var about: String? { key.about }
  /// Whether the value is shown to nobody who doesn't ask for it; see ``Trait/secret``.
  public var isSecret: Bool { key.isSecret }
  /// The value while nothing is stored; see ``Defaults/Key/defaultValue``.
  public var defaultValue: any Sendable { readDefault() }
  /// The present value. Reading it here isn't tracked.
  public var value: any Sendable { read() }
  /// Whether a value is stored; it may equal the default.
  public var isSet: Bool { key.suite.contains(key) }
  /// Whether the present value is the default, stored or not.
  public var isDefaultValue: Bool { key.isDefaultValue }
}
