import Foundation

// Keys of settings that stay in Foundation's `UserDefaults`. Disfavored, so that `.standard` means
// the program's own suite.

extension Defaults.Suite where Self == Defaults.UserDefaultsSuite {
  /// The suite on an object of Foundation's `UserDefaults`, for a key's `suite:` and the like.
  ///
  /// ```swift
  /// let isUnicorn = Defaults.Key("isUnicorn", default: true, suite: .userDefaults(.standard))
  /// ```
  public static func userDefaults(_ userDefaults: UserDefaults) -> Self {
    Defaults.UserDefaultsSuite(userDefaults)
  }
}

extension Defaults.Key where Value: Defaults.Serializable {
  /// A key with a default value, in the ``Defaults/UserDefaultsSuite`` on an object of Foundation's
  /// `UserDefaults`.
  @_alwaysEmitIntoClient
  @_disfavoredOverload
  public convenience init(
    _ name: String, default defaultValue: Value, previousNames: [String] = [],
    suite: UserDefaults, _ traits: Defaults.Trait<Value>...
  ) {
    self.init(
      name, fallback: .constant(defaultValue), previousNames: previousNames,
      suite: .userDefaults(suite), coding: Defaults.Coding(Value.bridge), traits: traits)
  }

  /// A key whose default value is computed each time it is needed, in the
  /// ``Defaults/UserDefaultsSuite`` on an object of Foundation's `UserDefaults`.
  @_alwaysEmitIntoClient
  @_disfavoredOverload
  public convenience init(
    _ name: String, previousNames: [String] = [], suite: UserDefaults,
    _ traits: Defaults.Trait<Value>..., default computeDefault: @escaping @Sendable () -> Value
  ) {
    self.init(
      name, fallback: .computed(computeDefault), previousNames: previousNames,
      suite: .userDefaults(suite), coding: Defaults.Coding(Value.bridge), traits: traits)
  }
}

extension Defaults.Key {
  /// A key of an optional value, whose default is nil, in the ``Defaults/UserDefaultsSuite`` on an
  /// object of Foundation's `UserDefaults`.
  @_alwaysEmitIntoClient
  @_disfavoredOverload
  public convenience init<Wrapped: Defaults.Serializable>(
    _ name: String, previousNames: [String] = [], suite: UserDefaults,
    _ traits: Defaults.Trait<Value>...
  ) where Value == Wrapped? {
    self.init(
      name, fallback: .unregistered(nil), previousNames: previousNames,
      suite: .userDefaults(suite), coding: Defaults.Coding(Value.bridge), traits: traits)
  }
}

extension UserDefaults {
  /// For the compiler: a setting is asked of the suite that its key names, which seldom is this
  /// object.
  @available(
    *, unavailable,
    message:
      "write `Defaults[key]`, which asks the suite of the key; what is to stay in UserDefaults has a key with `suite: .userDefaults(…)`"
  )
  public subscript<Value>(key: Defaults.Key<Value>) -> Value {
    get { fatalError("unavailable") }
    set { fatalError("unavailable") }
  }
}
