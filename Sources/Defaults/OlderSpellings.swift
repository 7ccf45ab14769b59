import Foundation

// What code that was written for an earlier library of this name says. All of it is hidden from the
// documentation; the porting articles have the spelling of today.

extension Defaults {
  /// The older spelling of `Key<Value?>`.
  @_documentation(visibility: internal)
  public typealias OptionalKey<Value: Sendable> = Key<Value?>
  /// The older spelling of a key whose value is archived: `Key` finds that out by itself.
  @_documentation(visibility: internal)
  public typealias NSSecureCodingKey<Value: Sendable> = Key<Value>
  /// The older spelling of a key whose value is archived, and optional.
  @_documentation(visibility: internal)
  public typealias NSSecureCodingOptionalKey<Value: Sendable> = Key<Value?>
}

extension Defaults.AnyKey {
  /// The older spelling of a key with an optional value.
  @_documentation(visibility: internal)
  public typealias OptionalKey<Value: Sendable> = Defaults.OptionalKey<Value>
  /// The older spelling of a key with an archived value.
  @_documentation(visibility: internal)
  public typealias NSSecureCodingKey<Value: Sendable> = Defaults.NSSecureCodingKey<Value>
  /// The older spelling of a key with an optional, archived value.
  @_documentation(visibility: internal)
  public typealias NSSecureCodingOptionalKey<Value: Sendable> =
    Defaults.NSSecureCodingOptionalKey<Value>
}

// MARK: - Archived values

extension Defaults.Key where Value: NSObject & NSSecureCoding {
  /// A key of an object that is stored as a keyed archive; `coding: .archive` says it today.
  @_documentation(visibility: internal)
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

extension Defaults.Key {
  /// A key of an optional object that is stored as a keyed archive, whose default is nil.
  @_documentation(visibility: internal)
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

extension Defaults.Key where Value: Defaults.Serializable {
  /// A key in Foundation's `UserDefaults`; `suite: .userDefaults(…)` says it today.
  @_documentation(visibility: internal)
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

  /// A key in Foundation's `UserDefaults`, with a default that a closure computes.
  @_documentation(visibility: internal)
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

extension Defaults.Key {
  /// A key of an optional value in Foundation's `UserDefaults`.
  @_documentation(visibility: internal)
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

extension Defaults {
  /// Removes all entries of an object of Foundation's `UserDefaults`.
  @_documentation(visibility: internal)
  @_disfavoredOverload
  public static func removeAll(suite: UserDefaults) {
    removeAll(suite: .userDefaults(suite))
  }

  /// Removes the entries of these names from an object of Foundation's `UserDefaults`.
  @_documentation(visibility: internal)
  @_disfavoredOverload
  public static func reset(_ name: String, _ more: String..., suite: UserDefaults) {
    reset([name] + more, suite: .userDefaults(suite))
  }

  /// Removes the entries of these names from an object of Foundation's `UserDefaults`.
  @_documentation(visibility: internal)
  @_disfavoredOverload
  public static func reset(_ names: [String], suite: UserDefaults) {
    reset(names, suite: .userDefaults(suite))
  }
}

// MARK: - Names outside of the namespace

/// The name of ``Defaults/Serializable`` in the documentation of the libraries before this one.
@_documentation(visibility: internal)
public typealias DefaultsSerializable = Defaults.Serializable
/// The name of ``Defaults/Bridge`` in the documentation of the libraries before this one.
@_documentation(visibility: internal)
public typealias DefaultsBridge = Defaults.Bridge
/// The name of ``Defaults/CollectionSerializable`` in the documentation of the libraries before
/// this one.
@_documentation(visibility: internal)
public typealias DefaultsCollectionSerializable = Defaults.CollectionSerializable
/// The name of ``Defaults/SetAlgebraSerializable`` in the documentation of the libraries before
/// this one.
@_documentation(visibility: internal)
public typealias DefaultsSetAlgebraSerializable = Defaults.SetAlgebraSerializable
/// The name of ``Defaults/Observation`` in the documentation of the libraries before this one.
@_documentation(visibility: internal)
public typealias DefaultsObservation = Defaults.Observation
