// The ways to make a key with a coding of its own. The value needn't be `Serializable`.

extension Defaults.Key {
  /// A key with a default value, stored as the coding says.
  ///
  /// ```swift
  /// static let device = Key("device", default: Device(), coding: .propertyList)
  /// ```
  @inlinable
  public convenience init(
    _ name: String, default defaultValue: Value, coding: Defaults.Coding<Value>,
    previousNames: [String] = [], suite: some Defaults.Suite = .standard
  ) {
    self.init(
      name, fallback: .constant(defaultValue), previousNames: previousNames, suite: suite,
      coding: coding)
  }

  /// A key whose default value is computed each time it is needed, stored as the coding says.
  ///
  /// ```swift
  /// static let since = Key("since", coding: .iso8601) { Date() }
  /// ```
  @inlinable
  public convenience init(
    _ name: String, coding: Defaults.Coding<Value>, previousNames: [String] = [],
    suite: some Defaults.Suite = .standard,
    default computeDefault: @escaping @Sendable () -> Value
  ) {
    self.init(
      name, fallback: .computed(computeDefault), previousNames: previousNames, suite: suite,
      coding: coding)
  }

  /// A key of an optional value, whose default is nil; a value is stored as the coding says.
  ///
  /// ```swift
  /// static let expiry = Key<Date?>("expiry", coding: .iso8601)
  /// ```
  @inlinable
  public convenience init<Wrapped: Sendable>(
    _ name: String, coding: Defaults.Coding<Wrapped>, previousNames: [String] = [],
    suite: some Defaults.Suite = .standard
  ) where Value == Wrapped? {
    self.init(
      name, fallback: .unregistered(nil), previousNames: previousNames, suite: suite,
      coding: .optional(coding))
  }

  /// A key of an optional value, whose default is nil, and which is stored as a coding of the
  /// optional itself says, such as `.storingNil()`.
  @_disfavoredOverload
  @inlinable
  public convenience init<Wrapped: Sendable>(
    _ name: String, coding: Defaults.Coding<Value>, previousNames: [String] = [],
    suite: some Defaults.Suite = .standard
  ) where Value == Wrapped? {
    self.init(
      name, fallback: .unregistered(nil), previousNames: previousNames, suite: suite,
      coding: coding)
  }

  /// A key of an optional value with a default; nil removes the entry, and so restores the default.
  ///
  /// A coding of the optional itself, such as `.json`, is preferred where there is one: it stores
  /// nil as something that differs from no entry.
  @_disfavoredOverload
  @inlinable
  public convenience init<Wrapped: Sendable>(
    _ name: String, default defaultValue: Wrapped?, coding: Defaults.Coding<Wrapped>,
    previousNames: [String] = [], suite: some Defaults.Suite = .standard
  ) where Value == Wrapped? {
    self.init(
      name, fallback: defaultValue.map { .constant($0) } ?? .unregistered(nil),
      previousNames: previousNames, suite: suite,
      coding: .optional(coding))
  }

  /// A key of an optional value with a computed default; nil removes the entry.
  @_disfavoredOverload
  @inlinable
  public convenience init<Wrapped: Sendable>(
    _ name: String, coding: Defaults.Coding<Wrapped>, previousNames: [String] = [],
    suite: some Defaults.Suite = .standard,
    default computeDefault: @escaping @Sendable () -> Wrapped?
  ) where Value == Wrapped? {
    self.init(
      name, fallback: .computed(computeDefault), previousNames: previousNames, suite: suite,
      coding: .optional(coding))
  }

  /// A key with a value that is stored, as the coding says, when it is needed first.
  @inlinable
  public convenience init(
    _ name: String, initial computeInitial: @autoclosure @escaping @Sendable () -> Value,
    coding: Defaults.Coding<Value>, previousNames: [String] = [],
    suite: some Defaults.Suite = .standard
  ) {
    self.init(
      name, fallback: .initial(InitialValue(computeInitial)), previousNames: previousNames,
      suite: suite, coding: coding)
  }
}
