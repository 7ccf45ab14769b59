import Foundation

// Diagnostics for calls that other libraries have; see `Mistakes.swift`.

extension Defaults {
  /// Diagnoses a subscript by name: settings are read by keys.
  @available(
    *, unavailable,
    message:
      "declare a key, and write `Defaults[.volume]`; to read by name, use `suite.object(forKey:)`"
  )
  public static subscript(name: String) -> PropertyListValue? {
    get { fatalError() }
    set { fatalError() }
  }
}

extension Defaults.Suite {
  /// Diagnoses a subscript by name: settings are read by keys.
  @available(
    *, unavailable,
    message: "declare a key, and write `suite[.volume]`; to read by name, use `object(forKey:)`"
  )
  public subscript(name: String) -> Defaults.PropertyListValue? {
    get { fatalError() }
    set { fatalError() }
  }

  /// Diagnoses an observation in another suite: a key is observed in the suite of its declaration.
  @available(
    *, unavailable,
    message:
      "declare the key with the suite, `Key(\"volume\", default: 5, suite: suite)`, and write `Defaults.updates(key)`; or write `Defaults.withSuite(suite) { Defaults.updates(key) }`"
  )
  public func updates<Value>(_ key: Defaults.Key<Value>) -> AsyncStream<Value> { fatalError() }

  /// Diagnoses a call that isn't needed: a value is stored when the setter returns.
  @available(
    *, unavailable,
    message:
      "a setting survives a crash when its setter returns; `flush()` makes it survive power loss"
  )
  @discardableResult
  public func synchronize() -> Bool { fatalError() }
}

extension Defaults.Key {
  /// Diagnoses a default after the traits.
  @available(
    *, unavailable,
    message: "the default comes before the traits: `Key(\"volume\", default: 5, .in(0...11))`"
  )
  public convenience init(
    _ name: String, _ trait: Defaults.Trait<Value>, _ more: Defaults.Trait<Value>...,
    default defaultValue: Value
  ) { fatalError() }
}

extension Defaults.Key where Value == Never? {
  /// Diagnoses a key whose type of value isn't known.
  @available(
    *, unavailable,
    message:
      "a key needs a default, `Key(\"volume\", default: 5)`, or a type, `Key<String?>(\"name\")`"
  )
  public convenience init(_ name: String) { fatalError() }
}

extension Defaults.Coding {
  /// Diagnoses `.rawValue` for a type without a raw value.
  @available(
    *, unavailable,
    message:
      "`.rawValue` stores a type with a raw value; for an array write `.array(of: .rawValue)`"
  )
  public static var rawValue: Self { fatalError() }
}

extension Defaults.Suite {
  /// Not available; the message says what to write.
  @available(
    *, unavailable,
    message: "name the settings, `suite.reset(.volume)`; `suite.removeAll()` removes all"
  )
  public func reset() { fatalError() }

  /// Not available; the message says what to write.
  @available(
    *, unavailable,
    message: "to read by name, use `object(forKey:)`, which returns a property-list value"
  )
  public func value(forKey name: String) -> Any? { fatalError() }

  /// Not available; the message says what to write.
  @available(*, unavailable, message: "to set by name, use `set(_:forKey:)`")
  public func setValue(_ value: Any?, forKey name: String) { fatalError() }
}

extension Defaults.Key {
  /// Not available; the message says what to write.
  @available(*, unavailable, message: "write `Defaults.updates(key)`")
  public var updates: AsyncStream<Value> { fatalError() }
}

extension UserDefaults {
  /// Diagnoses a subscript of `UserDefaults` by a key, whose suite is usually another one.
  @available(
    *, unavailable,
    message:
      "write `Defaults[key]`, which uses the suite of the key; a setting that remains in UserDefaults has a key with `suite: .userDefaults(…)`"
  )
  public subscript<Value>(key: Defaults.Key<Value>) -> Value {
    get { fatalError() }
    set { fatalError() }
  }
}

extension Defaults.Suite {
  /// Diagnoses a transaction that awaits.
  @available(
    *, unavailable,
    message:
      "the body of a transaction can't await, since it may run again: await before the call, and use the results in the body"
  )
  public func transaction<Result>(
    _ body: (inout Defaults.Draft) async throws -> Result
  ) throws -> Result { fatalError() }

  /// Diagnoses an update that awaits.
  @available(
    *, unavailable,
    message:
      "the body of an update can't await, since it may run again: await before the call, and use the results in the body"
  )
  public func update<Value, Result>(
    _ key: Defaults.Key<Value>, _ body: (inout Value) async throws -> Result
  ) throws -> Result { fatalError() }
}
