import Foundation

// The ways to make a key: with a default, with a computed one, or optional; each for values that
// are `Serializable`, and for those that are merely `Codable` or archivable, which the older
// generation of these libraries took. Inlinable, so that the coding is specialized where the
// value's type is known.

extension Defaults.Key where Value: Defaults.Serializable {
  /// A key with a default value.
  @inlinable
  public convenience init(
    _ name: String, default defaultValue: Value,
    suite: some Defaults.Suite = .standard
  ) {
    self.init(
      name, fallback: .constant(defaultValue), suite: suite, coding: Defaults.Coding(Value.bridge))
  }

  /// A key whose default value is computed each time it is needed, and isn't registered.
  @inlinable
  public convenience init(
    _ name: String, suite: some Defaults.Suite = .standard,
    default computeDefault: @escaping @Sendable () -> Value
  ) {
    self.init(
      name, fallback: .computed(computeDefault), suite: suite,
      coding: Defaults.Coding(Value.bridge))
  }
}

extension Defaults.Key {
  /// A key of an optional value, whose default is nil.
  @inlinable
  public convenience init<Wrapped: Defaults.Serializable>(
    _ name: String, suite: some Defaults.Suite = .standard
  ) where Value == Wrapped? {
    self.init(
      name, fallback: .unregistered(nil), suite: suite, coding: Defaults.Coding(Value.bridge))
  }
}

// MARK: - Codable values

extension Defaults.Key where Value: Codable {
  /// A key of a `Codable` value, stored as JSON text; for types that aren't `Serializable`.
  @_disfavoredOverload
  @inlinable
  public convenience init(
    _ name: String, default defaultValue: Value,
    suite: some Defaults.Suite = .standard
  ) {
    self.init(
      name, fallback: .constant(defaultValue), suite: suite,
      coding: Defaults.Coding(Defaults.CodableBridge<Value>()))
  }

  /// A key of a `Codable` value with a computed default; for types that aren't `Serializable`.
  @_disfavoredOverload
  @inlinable
  public convenience init(
    _ name: String, suite: some Defaults.Suite = .standard,
    default computeDefault: @escaping @Sendable () -> Value
  ) {
    self.init(
      name, fallback: .computed(computeDefault), suite: suite,
      coding: Defaults.Coding(Defaults.CodableBridge<Value>()))
  }
}

extension Defaults.Key {
  /// A key of an optional `Codable` value, whose default is nil.
  @_disfavoredOverload
  @inlinable
  public convenience init<Wrapped: Codable & Sendable>(
    _ name: String, default defaultValue: Value = nil,
    suite: some Defaults.Suite = .standard
  ) where Value == Wrapped? {
    self.init(
      name, fallback: defaultValue == nil ? .unregistered(nil) : .constant(defaultValue),
      suite: suite,
      coding: Defaults.Coding(Defaults.OptionalBridge(Defaults.CodableBridge<Wrapped>())))
  }
}

// MARK: - Archived values

extension Defaults.Key where Value: NSObject & NSSecureCoding {
  /// A key of an object that is stored as a keyed archive; for classes that aren't `Serializable`.
  @_disfavoredOverload
  @inlinable
  public convenience init(
    _ name: String, default defaultValue: Value,
    suite: some Defaults.Suite = .standard
  ) {
    self.init(
      name, fallback: .constant(defaultValue), suite: suite,
      coding: Defaults.Coding(Defaults.NSSecureCodingBridge<Value>()))
  }
}

extension Defaults.Key {
  /// A key of an optional object that is stored as a keyed archive, whose default is nil.
  @_disfavoredOverload
  @inlinable
  public convenience init<Wrapped: NSObject & NSSecureCoding & Sendable>(
    _ name: String, default defaultValue: Value = nil,
    suite: some Defaults.Suite = .standard
  ) where Value == Wrapped? {
    self.init(
      name, fallback: defaultValue == nil ? .unregistered(nil) : .constant(defaultValue),
      suite: suite,
      coding: Defaults.Coding(Defaults.OptionalBridge(Defaults.NSSecureCodingBridge<Wrapped>())))
  }
}
