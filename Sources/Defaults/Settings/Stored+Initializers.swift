import Foundation

// The ways to declare a property: they are those to make a key, with the name left out if it is the
// property's. Inlinable, so that the coding is specialized where the value's type is known.

extension Defaults.Stored where Value: Defaults.Serializable {
  /// A property whose initial value is the default: `@Stored var volume = 5`. Where that is an
  /// optional, nil removes the entry, and so restores the default.
  @inlinable
  public init(wrappedValue: Value, _ name: String? = nil, previousNames: [String] = []) {
    self.init(
      name, previousNames: previousNames, fallback: .constant(wrappedValue),
      coding: Defaults.Coding(Value.bridge))
  }

  /// A property whose default is computed each time it is needed:
  /// `@Stored(default: { Date() }) var since: Date`.
  @inlinable
  public init(
    _ name: String? = nil, previousNames: [String] = [],
    default computeDefault: @escaping @Sendable () -> Value
  ) {
    self.init(
      name, previousNames: previousNames, fallback: .computed(computeDefault),
      coding: Defaults.Coding(Value.bridge))
  }
}

extension Defaults.Stored {
  /// A property of an optional value, whose default is nil: `@Stored var nickname: String?`.
  @inlinable
  public init<Wrapped: Defaults.Serializable>() where Value == Wrapped? {
    self.init(nil, fallback: .unregistered(nil), coding: Defaults.Coding(Value.bridge))
  }

  /// A property of an optional value with a name of its own: `@Stored("nick") var name: String?`.
  @inlinable
  public init<Wrapped: Defaults.Serializable>(
    _ name: String? = nil, previousNames: [String] = []
  ) where Value == Wrapped? {
    self.init(
      name, previousNames: previousNames, fallback: .unregistered(nil),
      coding: Defaults.Coding(Value.bridge))
  }
}

// MARK: - Initial values

extension Defaults.Stored {
  /// A property with a value that is stored when it is needed first, and stays when the program's
  /// default changes: `@Stored(initial: UUID()) var installation: UUID`.
  ///
  /// When it is stored, and what several threads and processes get, is said at the keys with an
  /// initial value.
  @inlinable
  public init(
    _ name: String? = nil, initial computeInitial: @autoclosure @escaping @Sendable () -> Value,
    previousNames: [String] = []
  ) where Value: Defaults.Serializable {
    self.init(
      name, previousNames: previousNames, fallback: .initial(InitialValue(computeInitial)),
      coding: Defaults.Coding(Value.bridge))
  }

  /// A property with a value that is stored, as the coding says, when it is needed first.
  @inlinable
  public init(
    _ name: String? = nil, initial computeInitial: @autoclosure @escaping @Sendable () -> Value,
    coding: Defaults.Coding<Value>, previousNames: [String] = []
  ) {
    self.init(
      name, previousNames: previousNames, fallback: .initial(InitialValue(computeInitial)),
      coding: coding)
  }
}

// MARK: - Codings

extension Defaults.Stored {
  /// A property that is stored as the coding says: `@Stored(coding: .json) var device = Device()`.
  @inlinable
  public init(
    wrappedValue: Value, _ name: String? = nil, coding: Defaults.Coding<Value>,
    previousNames: [String] = []
  ) {
    self.init(name, previousNames: previousNames, fallback: .constant(wrappedValue), coding: coding)
  }

  /// A property with a computed default that is stored as the coding says.
  @inlinable
  public init(
    _ name: String? = nil, coding: Defaults.Coding<Value>, previousNames: [String] = [],
    default computeDefault: @escaping @Sendable () -> Value
  ) {
    self.init(
      name, previousNames: previousNames, fallback: .computed(computeDefault), coding: coding)
  }

  /// A property of an optional value, whose default is nil; a value is stored as the coding says:
  /// `@Stored(coding: .iso8601) var expiry: Date?`.
  @inlinable
  public init<Wrapped: Sendable>(
    _ name: String? = nil, coding: Defaults.Coding<Wrapped>,
    previousNames: [String] = []
  ) where Value == Wrapped? {
    self.init(
      name, previousNames: previousNames, fallback: .unregistered(nil), coding: .optional(coding))
  }

  /// A property of an optional value, whose default is nil, and which is stored as a coding of the
  /// optional itself says, such as `.storingNil()`.
  @_disfavoredOverload
  @inlinable
  public init<Wrapped: Sendable>(
    _ name: String? = nil, coding: Defaults.Coding<Value>, previousNames: [String] = []
  ) where Value == Wrapped? {
    self.init(
      name, previousNames: previousNames, fallback: .unregistered(nil), coding: coding)
  }

  /// A property of an optional value with a default, stored as the coding says; nil removes the
  /// entry, and so restores the default.
  @_disfavoredOverload
  @inlinable
  public init<Wrapped: Sendable>(
    wrappedValue: Wrapped?, _ name: String? = nil, coding: Defaults.Coding<Wrapped>,
    previousNames: [String] = []
  ) where Value == Wrapped? {
    self.init(
      name, previousNames: previousNames,
      fallback: wrappedValue.map { .constant($0) } ?? .unregistered(nil),
      coding: .optional(coding))
  }

  /// A property of an optional value with a computed default; nil removes the entry.
  @_disfavoredOverload
  @inlinable
  public init<Wrapped: Sendable>(
    _ name: String? = nil, coding: Defaults.Coding<Wrapped>, previousNames: [String] = [],
    default computeDefault: @escaping @Sendable () -> Wrapped?
  ) where Value == Wrapped? {
    self.init(
      name, previousNames: previousNames, fallback: .computed(computeDefault),
      coding: .optional(coding))
  }
}

// MARK: - Codable and archived values

extension Defaults.Stored where Value: Codable {
  /// A property of a `Codable` value, stored as JSON text; for types that aren't `Serializable`.
  @_disfavoredOverload
  @inlinable
  public init(wrappedValue: Value, _ name: String? = nil, previousNames: [String] = []) {
    self.init(
      name, previousNames: previousNames, fallback: .constant(wrappedValue),
      coding: Defaults.Coding(Defaults.CodableBridge<Value>()))
  }
}

extension Defaults.Stored {
  /// A property of an optional `Codable` value, whose default is nil.
  @_disfavoredOverload
  @inlinable
  public init<Wrapped: Codable & Sendable>() where Value == Wrapped? {
    self.init(
      nil, fallback: .unregistered(nil),
      coding: Defaults.Coding(Defaults.OptionalBridge(Defaults.CodableBridge<Wrapped>())))
  }

  /// A property of an optional `Codable` value with a name of its own.
  @_disfavoredOverload
  @inlinable
  public init<Wrapped: Codable & Sendable>(
    _ name: String? = nil, previousNames: [String] = []
  ) where Value == Wrapped? {
    self.init(
      name, previousNames: previousNames, fallback: .unregistered(nil),
      coding: Defaults.Coding(Defaults.OptionalBridge(Defaults.CodableBridge<Wrapped>())))
  }
}

extension Defaults.Stored where Value: NSObject & NSSecureCoding {
  /// A property of an object that is stored as a keyed archive.
  @_disfavoredOverload
  @inlinable
  public init(wrappedValue: Value, _ name: String? = nil, previousNames: [String] = []) {
    self.init(
      name, previousNames: previousNames, fallback: .constant(wrappedValue),
      coding: Defaults.Coding(Defaults.NSSecureCodingBridge<Value>()))
  }
}

extension Defaults.Stored {
  /// A property of an optional object that is stored as a keyed archive, whose default is nil.
  @_disfavoredOverload
  @inlinable
  public init<Wrapped: NSObject & NSSecureCoding & Sendable>() where Value == Wrapped? {
    self.init(
      nil, fallback: .unregistered(nil),
      coding: Defaults.Coding(Defaults.OptionalBridge(Defaults.NSSecureCodingBridge<Wrapped>())))
  }

  /// A property of an optional archived object with a name of its own.
  @_disfavoredOverload
  @inlinable
  public init<Wrapped: NSObject & NSSecureCoding & Sendable>(
    _ name: String? = nil, previousNames: [String] = []
  ) where Value == Wrapped? {
    self.init(
      name, previousNames: previousNames, fallback: .unregistered(nil),
      coding: Defaults.Coding(Defaults.OptionalBridge(Defaults.NSSecureCodingBridge<Wrapped>())))
  }
}
