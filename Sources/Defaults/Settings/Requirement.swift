extension Defaults {
  /// The first argument of `@Stored` for a property without an initial value, whose setting must be
  /// set; see ``Key/required(_:suite:_:)``.
  public struct Requirement: Sendable {
    @usableFromInline
    init() {}

    /// The setting must be set.
    @_alwaysEmitIntoClient
    public static var required: Self { Self() }
  }
}

extension Defaults.Stored where Value: Defaults.Serializable {
  /// Creates a setting that must be set: `@Stored(.required) var port: Int`.
  @_alwaysEmitIntoClient
  public init(
    _ requirement: Defaults.Requirement, name: String? = nil, _ traits: Defaults.Trait<Value>...
  ) {
    self.init(
      name, fallback: .required(LastValue()), coding: Defaults.Coding(Value.bridge),
      traits: traits)
  }
}

extension Defaults.Stored {
  /// Creates a setting that must be set, with a coding.
  @_alwaysEmitIntoClient
  public init(
    _ requirement: Defaults.Requirement, name: String? = nil, coding: Defaults.Coding<Value>,
    _ traits: Defaults.Trait<Value>...
  ) {
    self.init(name, fallback: .required(LastValue()), coding: coding, traits: traits)
  }
}
