import Foundation

// The ways to make a key: with a default, with one that a closure computes, or optional; each for
// values that are `Serializable`, and with a coding. Emitted where they are used: the coding is
// specialized there, and a program carries none but its own.

extension Defaults.AnyKey {
  /// A key of a type, by its short name inside of `extension Defaults.Keys`.
  public typealias Key = Defaults.Key
}

extension Defaults.Key where Value: Defaults.Serializable {
  /// A key with a default value.
  ///
  /// With the trait ``Trait/generatedOnce`` the default is stored when it is needed first.
  @_alwaysEmitIntoClient
  public convenience init(
    _ name: String, default defaultValue: Value,
    suite: some Defaults.Suite = .standard, _ traits: Defaults.Trait<Value>...
  ) {
    self.init(
      name, fallback: Fallback(name, defaultValue, traits), suite: suite,
      coding: Defaults.Coding(Value.bridge), traits: traits)
  }

  /// A key whose default value is computed each time it is needed, and isn't registered. It is
  /// computed on whatever thread reads, so the closure can't use what belongs to the main actor.
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
  /// A key of an optional value, whose default is nil.
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
  /// A key with a default value, stored as the coding says.
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

  /// A key whose default value is computed each time it is needed, stored as the coding says.
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

  /// A key of an optional value, whose default is nil; a value is stored as the coding says.
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
  /// A key of a `Codable` value, stored as JSON text; for types that aren't `Serializable`.
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
  /// A key of an optional `Codable` value, whose default is nil.
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

// MARK: - Defaults

extension Defaults.Key.Fallback {
  /// A default value, which is stored when it is needed first if the traits say so.
  @usableFromInline
  init(_ name: String, _ value: Value, _ traits: [Defaults.Trait<Value>]) {
    switch TraitLabels(traits).generation {
    case nil: self = .constant(value)
    case .once: self = .initial(InitialValue { value })
    case .eachTime:
      fatalError(
        "the key \"\(escaped(name))\" can't compute its default again, which is a value; write "
          + "`Key(\"\(escaped(name))\") { … }` without `.computed`")
    }
  }

  /// A default value, which isn't registered if it is nil.
  @usableFromInline
  init<Wrapped>(
    _ name: String, optional value: Value, _ traits: [Defaults.Trait<Value>]
  ) where Value == Wrapped? {
    self.init(name, value, traits)
    if case .constant(nil) = self { self = .unregistered(nil) }
  }

  /// The default of a property: its initial value, once, each time, or to be stored, as the traits
  /// say.
  @usableFromInline
  init(_ value: @escaping @Sendable () -> Value, _ traits: [Defaults.Trait<Value>]) {
    switch TraitLabels(traits).generation {
    case nil: self = .constant(value())
    case .eachTime: self = .computed(value)
    case .once: self = .initial(InitialValue(value))
    }
  }

  /// The default that a closure computes.
  @usableFromInline
  init(computing value: @escaping @Sendable () -> Value, _ traits: [Defaults.Trait<Value>]) {
    let isGenerated = TraitLabels(traits).generation == .once
    self = isGenerated ? .initial(InitialValue(value)) : .computed(value)
  }
}
