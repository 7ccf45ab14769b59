// Keys without a default: the setting must have a value when the program starts.

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
  /// Check all required settings with ``Suite/validate(_:)`` when the program starts. If the entry
  /// is removed or becomes invalid later, reads return the last valid value that this process has
  /// read, and report an issue. If this process has never read a valid value, a subscript traps;
  /// `value(for:)` and `update` throw ``SuiteError/Code/missing``. A registered default counts as a
  /// value.
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
      name, fallback: .required(LastValue()), suite: suite, coding: Defaults.Coding(Value.bridge),
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
      name, fallback: .required(LastValue()), suite: suite, coding: coding, traits: traits)
  }

  /// Returns the error about a required setting without a value.
  func missing(in suite: any Defaults.Suite) -> Defaults.SuiteError {
    let places = suite.stored?.derived?.placesForSetting.joined(separator: ", ") ?? ""
    return Defaults.SuiteError(
      .missing,
      places.isEmpty
        ? "The setting is required and has no value"
        : "The setting is required and has no value; set it in one of: \(places)",
      suite: suite.label, key: name)
  }
}

/// The last valid value of a required setting in its own suite.
@usableFromInline
final class LastValue<Value: Sendable>: Sendable {
  private let last = Lock(Value?.none)

  @usableFromInline
  init() {}

  var value: Value? {
    get { last.withLock { $0 } }
    set { last.replace(with: newValue) }
  }
}
