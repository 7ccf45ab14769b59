import Foundation

// The ways to make a key: with a default, with a computed one, with an initial value, or optional;
// each for values that are `Serializable`, and with a coding. Emitted where they are used: the
// coding is specialized there, and a program carries none but its own.

extension Defaults.Key where Value: Defaults.Serializable {
  /// A key with a default value.
  @_alwaysEmitIntoClient
  public convenience init(
    _ name: String, default defaultValue: Value,
    previousNames: [String] = [], suite: some Defaults.Suite = .standard,
    _ traits: Defaults.Trait<Value>...
  ) {
    self.init(
      name, fallback: .constant(defaultValue), previousNames: previousNames, suite: suite,
      coding: Defaults.Coding(Value.bridge), traits: traits)
  }

  /// A key whose default value is computed each time it is needed, and isn't registered. It is
  /// computed on whatever thread reads, so the closure can't use what belongs to the main actor.
  @_alwaysEmitIntoClient
  public convenience init(
    _ name: String, previousNames: [String] = [], suite: some Defaults.Suite = .standard,
    _ traits: Defaults.Trait<Value>..., default computeDefault: @escaping @Sendable () -> Value
  ) {
    self.init(
      name, fallback: .computed(computeDefault), previousNames: previousNames, suite: suite,
      coding: Defaults.Coding(Value.bridge), traits: traits)
  }
}

extension Defaults.Key {
  /// A key of an optional value, whose default is nil.
  @_alwaysEmitIntoClient
  public convenience init<Wrapped: Defaults.Serializable>(
    _ name: String, previousNames: [String] = [], suite: some Defaults.Suite = .standard,
    _ traits: Defaults.Trait<Value>...
  ) where Value == Wrapped? {
    self.init(
      name, fallback: .unregistered(nil), previousNames: previousNames, suite: suite,
      coding: Defaults.Coding(Value.bridge), traits: traits)
  }
}

// MARK: - Initial values

extension Defaults.Key where Value: Defaults.Serializable {
  /// A key with a value that is stored when it is needed first, and stays when the program's
  /// default changes.
  ///
  /// Reading or observing stores it, which takes as long as a setter; of all threads and processes
  /// that come at once one stores its value, and all get that. Computed again only after a reset.
  /// In a transaction, or after a tenth of a second beside one, a read gives the value and leaves
  /// storing it to a later one.
  ///
  /// ```swift
  /// static let installation = Key("installation", initial: UUID())
  /// ```
  @_alwaysEmitIntoClient
  public convenience init(
    _ name: String, initial computeInitial: @autoclosure @escaping @Sendable () -> Value,
    previousNames: [String] = [], suite: some Defaults.Suite = .standard,
    _ traits: Defaults.Trait<Value>...
  ) {
    self.init(
      name, fallback: .initial(InitialValue(computeInitial)), previousNames: previousNames,
      suite: suite, coding: Defaults.Coding(Value.bridge), traits: traits)
  }
}

// MARK: - With a coding

extension Defaults.Key {
  /// A key with a default value, stored as the coding says.
  ///
  /// ```swift
  /// static let device = Key("device", default: Device(), coding: .propertyList)
  /// ```
  @_alwaysEmitIntoClient
  public convenience init(
    _ name: String, default defaultValue: Value, coding: Defaults.Coding<Value>,
    previousNames: [String] = [], suite: some Defaults.Suite = .standard,
    _ traits: Defaults.Trait<Value>...
  ) {
    self.init(
      name, fallback: .constant(defaultValue), previousNames: previousNames, suite: suite,
      coding: coding, traits: traits)
  }

  /// A key whose default value is computed each time it is needed, stored as the coding says.
  ///
  /// ```swift
  /// static let since = Key("since", coding: .iso8601) { Date() }
  /// ```
  @_alwaysEmitIntoClient
  public convenience init(
    _ name: String, coding: Defaults.Coding<Value>, previousNames: [String] = [],
    suite: some Defaults.Suite = .standard,
    _ traits: Defaults.Trait<Value>..., default computeDefault: @escaping @Sendable () -> Value
  ) {
    self.init(
      name, fallback: .computed(computeDefault), previousNames: previousNames, suite: suite,
      coding: coding, traits: traits)
  }

  /// A key of an optional value, whose default is nil; a value is stored as the coding says.
  ///
  /// ```swift
  /// static let expiry = Key<Date?>("expiry", coding: .iso8601)
  /// ```
  @_alwaysEmitIntoClient
  public convenience init<Wrapped: Sendable>(
    _ name: String, coding: Defaults.Coding<Wrapped>, previousNames: [String] = [],
    suite: some Defaults.Suite = .standard,
    _ traits: Defaults.Trait<Value>...
  ) where Value == Wrapped? {
    self.init(
      name, fallback: .unregistered(nil), previousNames: previousNames, suite: suite,
      coding: .optional(coding), traits: traits)
  }

  /// A key with a value that is stored, as the coding says, when it is needed first.
  @_alwaysEmitIntoClient
  public convenience init(
    _ name: String, initial computeInitial: @autoclosure @escaping @Sendable () -> Value,
    coding: Defaults.Coding<Value>, previousNames: [String] = [],
    suite: some Defaults.Suite = .standard,
    _ traits: Defaults.Trait<Value>...
  ) {
    self.init(
      name, fallback: .initial(InitialValue(computeInitial)), previousNames: previousNames,
      suite: suite, coding: coding, traits: traits)
  }
}

// MARK: - Codable and archived values, which the older generation of these libraries took

extension Defaults.Key where Value: Codable {
  /// A key of a `Codable` value, stored as JSON text; for types that aren't `Serializable`.
  @_alwaysEmitIntoClient
  @_disfavoredOverload
  public convenience init(
    _ name: String, default defaultValue: Value,
    previousNames: [String] = [], suite: some Defaults.Suite = .standard,
    _ traits: Defaults.Trait<Value>...
  ) {
    self.init(
      name, fallback: .constant(defaultValue), previousNames: previousNames, suite: suite,
      coding: .json, traits: traits)
  }
}

extension Defaults.Key where Value: NSObject & NSSecureCoding {
  /// A key of an object that is stored as a keyed archive; for classes that aren't `Serializable`.
  @_alwaysEmitIntoClient
  @_disfavoredOverload
  public convenience init(
    _ name: String, default defaultValue: Value,
    previousNames: [String] = [], suite: some Defaults.Suite = .standard,
    _ traits: Defaults.Trait<Value>...
  ) {
    self.init(
      name, fallback: .constant(defaultValue), previousNames: previousNames, suite: suite,
      coding: .archive, traits: traits)
  }
}

extension Defaults.Key {
  /// A key of an optional `Codable` value, whose default is nil.
  @_alwaysEmitIntoClient
  @_disfavoredOverload
  public convenience init<Wrapped: Codable & Sendable>(
    _ name: String, default defaultValue: Value = nil,
    previousNames: [String] = [], suite: some Defaults.Suite = .standard,
    _ traits: Defaults.Trait<Value>...
  ) where Value == Wrapped? {
    self.init(
      name, fallback: defaultValue == nil ? .unregistered(nil) : .constant(defaultValue),
      previousNames: previousNames, suite: suite, coding: .optional(.json), traits: traits)
  }

  /// A key of an optional object that is stored as a keyed archive, whose default is nil.
  @_alwaysEmitIntoClient
  @_disfavoredOverload
  public convenience init<Wrapped: NSObject & NSSecureCoding & Sendable>(
    _ name: String, default defaultValue: Value = nil,
    previousNames: [String] = [], suite: some Defaults.Suite = .standard,
    _ traits: Defaults.Trait<Value>...
  ) where Value == Wrapped? {
    self.init(
      name, fallback: defaultValue == nil ? .unregistered(nil) : .constant(defaultValue),
      previousNames: previousNames, suite: suite, coding: .optional(.archive), traits: traits)
  }
}
