import Foundation

// Spellings of an earlier library with this name. All of them are hidden from the documentation;
// the porting articles show the current spelling.

@_documentation(visibility: internal)
extension Defaults {
  /// The older spelling of `Key<Value?>`.
  public typealias OptionalKey<Value: Sendable> = Key<Value?>
  /// The older spelling of a key with an archived value, which `Key` recognizes by itself.
  public typealias NSSecureCodingKey<Value: Sendable> = Key<Value>
  /// The older spelling of a key with an optional, archived value.
  public typealias NSSecureCodingOptionalKey<Value: Sendable> = Key<Value?>
}

@_documentation(visibility: internal)
extension Defaults.AnyKey {
  /// The older spelling of a key with an optional value.
  public typealias OptionalKey<Value: Sendable> = Defaults.OptionalKey<Value>
  /// The older spelling of a key with an archived value.
  public typealias NSSecureCodingKey<Value: Sendable> = Defaults.NSSecureCodingKey<Value>
  /// The older spelling of a key with an optional, archived value.
  public typealias NSSecureCodingOptionalKey<Value: Sendable> =
    Defaults.NSSecureCodingOptionalKey<Value>
}

// MARK: - Archived values

@_documentation(visibility: internal)
extension Defaults.Key where Value: NSObject & NSSecureCoding {
  /// Creates a key of an object that is stored as a keyed archive. New code uses `coding:
  /// .archive`.
  @_alwaysEmitIntoClient
  @_disfavoredOverload
  public convenience init(
    _ name: String, default defaultValue: Value,
    suite: some Defaults.Suite = .standard, _ traits: Defaults.Trait<Value>...
  ) {
    self.init(
      name, fallback: Fallback(name, defaultValue, traits), suite: suite, coding: .archive,
      traits: traits)
  }
}

@_documentation(visibility: internal)
extension Defaults.Key {
  /// Creates a key of an optional object that is stored as a keyed archive, with the default nil.
  @_alwaysEmitIntoClient
  @_disfavoredOverload
  public convenience init<Wrapped: NSObject & NSSecureCoding & Sendable>(
    _ name: String, default defaultValue: Value = nil,
    suite: some Defaults.Suite = .standard, _ traits: Defaults.Trait<Value>...
  ) where Value == Wrapped? {
    self.init(
      name, fallback: Fallback(name, optional: defaultValue, traits), suite: suite,
      coding: .optional(.archive), traits: traits)
  }
}

// MARK: - UserDefaults as a suite

@_documentation(visibility: internal)
extension Defaults.Key where Value: Defaults.Serializable {
  /// Creates a key in Foundation's `UserDefaults`. New code uses `suite: .userDefaults(…)`.
  @_alwaysEmitIntoClient
  @_disfavoredOverload
  public convenience init(
    _ name: String, default defaultValue: Value,
    suite: UserDefaults, _ traits: Defaults.Trait<Value>...
  ) {
    self.init(
      name, fallback: Fallback(name, defaultValue, traits), suite: .userDefaults(suite),
      coding: Defaults.Coding(Value.bridge), traits: traits)
  }

  /// Creates a key in Foundation's `UserDefaults`, with a default that a closure computes.
  @_alwaysEmitIntoClient
  @_disfavoredOverload
  public convenience init(
    _ name: String, suite: UserDefaults, _ traits: Defaults.Trait<Value>...,
    default computeDefault: @escaping @Sendable () -> Value
  ) {
    self.init(
      name, fallback: Fallback(computing: computeDefault, traits), suite: .userDefaults(suite),
      coding: Defaults.Coding(Value.bridge), traits: traits)
  }
}

@_documentation(visibility: internal)
extension Defaults.Key {
  /// Creates a key of an optional value in Foundation's `UserDefaults`.
  @_alwaysEmitIntoClient
  @_disfavoredOverload
  public convenience init<Wrapped: Defaults.Serializable>(
    _ name: String, suite: UserDefaults, _ traits: Defaults.Trait<Value>...
  ) where Value == Wrapped? {
    self.init(
      name, fallback: .unregistered(nil), suite: .userDefaults(suite),
      coding: Defaults.Coding(Value.bridge), traits: traits)
  }
}

@_documentation(visibility: internal)
extension Defaults {
  /// Removes all entries of a `UserDefaults` object.
  @_disfavoredOverload
  public static func removeAll(suite: UserDefaults) { removeAll(suite: .userDefaults(suite)) }

  /// Removes the entries with these names from a `UserDefaults` object.
  @_disfavoredOverload
  public static func reset(_ name: String, _ more: String..., suite: UserDefaults) {
    reset([name] + more, suite: .userDefaults(suite))
  }

  /// Removes the entries with these names from a `UserDefaults` object.
  @_disfavoredOverload
  public static func reset(_ names: [String], suite: UserDefaults) {
    reset(names, suite: .userDefaults(suite))
  }
}

// MARK: - Names outside of the namespace

/// The name of ``Defaults/Serializable`` in earlier libraries.
@_documentation(visibility: internal)
public typealias DefaultsSerializable = Defaults.Serializable
/// The name of ``Defaults/Bridge`` in earlier libraries.
@_documentation(visibility: internal)
public typealias DefaultsBridge = Defaults.Bridge
/// The name of ``Defaults/CollectionSerializable`` in earlier libraries.
@_documentation(visibility: internal)
public typealias DefaultsCollectionSerializable = Defaults.CollectionSerializable
/// The name of ``Defaults/SetAlgebraSerializable`` in earlier libraries.
@_documentation(visibility: internal)
public typealias DefaultsSetAlgebraSerializable = Defaults.SetAlgebraSerializable
/// The name of ``Defaults/Observation`` in earlier libraries.
@_documentation(visibility: internal)
public typealias DefaultsObservation = Defaults.Observation
