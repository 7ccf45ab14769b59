// The initializers of a key: with a default, with a default that a closure computes, or optional;
// each for `Serializable` values and with a coding. They are emitted into the client, where the
// coding is specialized, so a program carries only the codings that it uses.

extension Defaults.AnyKey {
  /// The short name of ``Defaults/Key`` inside `extension Defaults.Keys`.
  public typealias Key = Defaults.Key
}

extension Defaults.Key where Value: Defaults.Serializable {
  /// Creates a key with a default value.
  ///
  /// - Parameters:
  ///   - name: The name of the entry: any string except the empty one and the library's own names.
  ///   - defaultValue: The value while nothing is stored, so an optional with this default that is
  ///     set to nil reads it; see ``Coding/storingNil()``. With ``Trait/generatedOnce`` it is
  ///     stored when it is first needed.
  ///   - suite: The suite that stores the value; a scope may replace `.standard`.
  ///   - traits: The rules and labels of the setting; see ``Trait``.
  @_alwaysEmitIntoClient
  public convenience init(
    _ name: String, default defaultValue: Value,
    suite: some Defaults.Suite = .standard, _ traits: Defaults.Trait<Value>...
  ) {
    self.init(
      name, fallback: Fallback(name, defaultValue, traits), suite: suite,
      coding: Defaults.Coding(Value.bridge), traits: traits)
  }

  /// Creates a key whose default value is computed each time it is needed, and isn't registered.
  ///
  /// The closure runs on the thread that reads the setting, so it can't use state of the main
  /// actor. With ``Trait/generatedOnce`` its result is stored.
  @_alwaysEmitIntoClient
  public convenience init(
    _ name: String, suite: some Defaults.Suite = .standard,
    _ traits: Defaults.Trait<Value>..., default computeDefault: @escaping @Sendable () -> Value
  ) {
    self.init(
      name, fallback: Fallback(computing: computeDefault, traits), suite: suite,
      coding: Defaults.Coding(Value.bridge), traits: traits)
  }
}

extension Defaults.Key {
  /// Creates a key of an optional value, whose default is nil.
  @_alwaysEmitIntoClient
  public convenience init<Wrapped: Defaults.Serializable>(
    _ name: String, suite: some Defaults.Suite = .standard, _ traits: Defaults.Trait<Value>...
  ) where Value == Wrapped? {
    self.init(
      name, fallback: .unregistered(nil), suite: suite, coding: Defaults.Coding(Value.bridge),
      traits: traits)
  }
}

// MARK: - With a coding

extension Defaults.Key {
  /// Creates a key with a default value and a coding.
  ///
  /// ```swift
  /// static let device = Key("device", default: Device(), coding: .propertyList)
  /// ```
  @_alwaysEmitIntoClient
  public convenience init(
    _ name: String, default defaultValue: Value,
    coding: Defaults.Coding<Value>, suite: some Defaults.Suite = .standard,
    _ traits: Defaults.Trait<Value>...
  ) {
    self.init(
      name, fallback: Fallback(name, defaultValue, traits), suite: suite, coding: coding,
      traits: traits)
  }

  /// Creates a key with a coding, whose default value is computed each time it is needed.
  ///
  /// ```swift
  /// static let since = Key("since", coding: .iso8601) { Date() }
  /// ```
  @_alwaysEmitIntoClient
  public convenience init(
    _ name: String, coding: Defaults.Coding<Value>, suite: some Defaults.Suite = .standard,
    _ traits: Defaults.Trait<Value>..., default computeDefault: @escaping @Sendable () -> Value
  ) {
    self.init(
      name, fallback: Fallback(computing: computeDefault, traits), suite: suite, coding: coding,
      traits: traits)
  }

  /// Creates a key of an optional value with a coding for the wrapped value. Its default is nil.
  ///
  /// ```swift
  /// static let expiry = Key<Date?>("expiry", coding: .iso8601)
  /// ```
  @_alwaysEmitIntoClient
  public convenience init<Wrapped: Sendable>(
    _ name: String, coding: Defaults.Coding<Wrapped>, suite: some Defaults.Suite = .standard,
    _ traits: Defaults.Trait<Value>...
  ) where Value == Wrapped? {
    self.init(
      name, fallback: .unregistered(nil), suite: suite, coding: .optional(coding), traits: traits)
  }
}

// MARK: - Codable values

extension Defaults.Key where Value: Codable {
  /// Creates a key of a `Codable` type that isn't `Serializable`. The value is stored as JSON text.
  @_alwaysEmitIntoClient
  @_disfavoredOverload
  public convenience init(
    _ name: String, default defaultValue: Value,
    suite: some Defaults.Suite = .standard, _ traits: Defaults.Trait<Value>...
  ) {
    self.init(
      name, fallback: Fallback(name, defaultValue, traits), suite: suite, coding: .json,
      traits: traits)
  }
}

extension Defaults.Key {
  /// Creates a key of an optional `Codable` value, stored as JSON text. Its default is nil.
  @_alwaysEmitIntoClient
  @_disfavoredOverload
  public convenience init<Wrapped: Codable & Sendable>(
    _ name: String, default defaultValue: Value = nil,
    suite: some Defaults.Suite = .standard, _ traits: Defaults.Trait<Value>...
  ) where Value == Wrapped? {
    self.init(
      name, fallback: Fallback(name, optional: defaultValue, traits), suite: suite,
      coding: .optional(.json), traits: traits)
  }
}

// MARK: - Without a default

extension Defaults.Key where Value: Defaults.Serializable {
  /// Creates a key of a setting that must be set: it has no default.
  ///
  /// ```swift
  /// extension Defaults.Keys {
  ///   static let port = Key<Int>.required("port", .in(1...65535))
  /// }
  ///
  /// try suite.validate([.port])  // throws an error that lists each setting without a value
  /// print(suite[.port])
  /// ```
  ///
  /// Check all required settings with ``Suite/validate(_:)-([Defaults.AnyKey])`` when the program
  /// starts. If the entry is removed or becomes invalid later, reads in the key's own suite return
  /// the last valid value that this process has read there outside of transactions, and report an
  /// issue. If there is no such value, a subscript traps; `value(for:)` and `update` throw
  /// ``SuiteError/Code/missing``. A registered default counts as a value: a subscript returns it
  /// whenever there is no valid entry.
  ///
  /// - Parameters:
  ///   - name: The name of the entry.
  ///   - suite: The suite that stores the value.
  ///   - traits: The rules and labels of the setting.
  @_alwaysEmitIntoClient
  public static func required(
    _ name: String, suite: some Defaults.Suite = .standard, _ traits: Defaults.Trait<Value>...
  ) -> Defaults.Key<Value> {
    Defaults.Key(
      name, fallback: .required(Lock(nil)), suite: suite, coding: Defaults.Coding(Value.bridge),
      traits: traits)
  }
}

extension Defaults.Key {
  /// Creates a key of a setting that must be set, with a coding.
  @_alwaysEmitIntoClient
  public static func required(
    _ name: String, coding: Defaults.Coding<Value>, suite: some Defaults.Suite = .standard,
    _ traits: Defaults.Trait<Value>...
  ) -> Defaults.Key<Value> {
    Defaults.Key(
      name, fallback: .required(Lock(nil)), suite: suite, coding: coding, traits: traits)
  }
}
