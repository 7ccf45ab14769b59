import Synchronization

/// What a property of a schema holds: how its key is made, and the key once it is there.
///
/// An object, for the property is made before anybody can know its name: that comes with
/// ``bind(to:name:)``, which the initializer of the schema calls before it gives the schema away.
@usableFromInline
class AnyStoredBox: @unchecked Sendable {
  // Unchecked because `place` is variable: it is set once, by the initializer of the schema that
  // the box belongs to, and nobody else has the schema by then.

  /// The name that was given to the property; nil if it goes by its own.
  final let givenName: String?
  private final var place: (suite: any Defaults.Suite, name: String)?

  init(givenName: String?) {
    self.givenName = givenName
  }

  /// Says where the setting is.
  final func bind(to suite: any Defaults.Suite, name: String) {
    // A property that is a constant of several schemas would have one place in all of them.
    guard place == nil else {
      fatalError("a property with @Stored belongs to one schema, and is bound once: \(name)")
    }
    place = (suite, name)
  }

  /// Where the setting is.
  final var boundPlace: (suite: any Defaults.Suite, name: String) {
    guard let place else {
      fatalError(
        """
        a property with @Stored was used before it had a name and a suite. Make a struct that \
        conforms to Defaults.Schema by its init(suite:), not by init(), and let a class inherit \
        from Defaults.Settings. Names come from Swift's reflection: don't build the module with \
        -disable-reflection-metadata
        """)
    }
    return place
  }

  /// The property as a list of the schema's settings shows it.
  func describe(_ property: String) -> Defaults.StoredProperty {
    fatalError("StoredBox does it")
  }
}

/// The box of a property of one type.
@usableFromInline
final class StoredBox<Value: Sendable>: AnyStoredBox, @unchecked Sendable {
  // Unchecked as its superclass demands; all that is added is constant, or atomic.

  private let fallback: Defaults.Key<Value>.Fallback
  private let coding: Defaults.Coding<Value>
  /// The key, which the box owns; nil until it is used first, so that a schema with many properties
  /// costs little. Unmanaged, since retaining and releasing it takes longer than all else that a
  /// read does.
  @usableFromInline let owned = Atomic<Unmanaged<TrackedKey<Value>>?>(nil)

  @usableFromInline
  init(
    _ givenName: String?, fallback: Defaults.Key<Value>.Fallback, coding: Defaults.Coding<Value>
  ) {
    self.fallback = fallback
    self.coding = coding
    super.init(givenName: givenName)
  }

  deinit {
    owned.load(ordering: .acquiring)?.release()
  }

  /// The value of the setting; reading it is tracked.
  @inlinable
  var value: Value {
    get {
      // It lives as long as the box does, which the caller holds.
      guard let tracked = owned.load(ordering: .acquiring) else { return tracked.value }
      return tracked._withUnsafeGuaranteedRef { $0.value }
    }
    set { tracked.value = newValue }
  }

  /// The key, made when it is asked for first.
  @usableFromInline
  var tracked: TrackedKey<Value> {
    if let tracked = owned.load(ordering: .acquiring) { return tracked.takeUnretainedValue() }
    let place = boundPlace
    let new = Unmanaged.passRetained(
      TrackedKey(
        Defaults.Key(place.name, fallback: fallback, suite: place.suite, coding: coding)))
    let (isMine, present) = owned.compareExchange(
      expected: nil, desired: new, ordering: .acquiringAndReleasing)
    if let present, !isMine {
      // Another thread was faster.
      new.release()
      return present.takeUnretainedValue()
    }
    return new.takeUnretainedValue()
  }

  override func describe(_ property: String) -> Defaults.StoredProperty {
    Defaults.StoredProperty(property, key: tracked.key)
  }
}
