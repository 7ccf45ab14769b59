import Foundation

// Diagnostics for common mistakes at a property. None of these initializers can be called.

extension Defaults.Stored {
  // `init()`, for a property with a bare attribute, is in the type itself.

  /// Diagnoses a property with neither an initial value nor an optional type.
  @available(
    *, unavailable,
    message:
      "needs an initial value or an optional type, or `@Stored(.required)`; if the type isn't `Codable`, also a `coding:`"
  )
  public init(
    name: String? = nil, coding: Defaults.Coding<Value>? = nil, _ traits: Defaults.Trait<Value>...
  ) { fatalError() }

  /// Diagnoses a type that can't be stored.
  @available(
    *, unavailable,
    message:
      "this type can't be stored: make it `Codable`, make an enum with a raw type `Defaults.Serializable`, and the keys of a dictionary also `LosslessStringConvertible`; or pass a `coding:`"
  )
  public init(
    wrappedValue: @autoclosure @escaping @Sendable () -> Value, name: String? = nil,
    _ traits: Defaults.Trait<Value>...
  ) { fatalError() }

  /// Diagnoses a name without its label.
  @available(*, unavailable, message: "the name has a label: `@Stored(name: \"volume\")`")
  public init(
    wrappedValue: @autoclosure @escaping @Sendable () -> Value, _ name: String,
    _ traits: Defaults.Trait<Value>...
  ) { fatalError() }

  /// Diagnoses a name without its label.
  @available(*, unavailable, message: "the name has a label: `@Stored(name: \"volume\")`")
  public init(_ name: String, _ traits: Defaults.Trait<Value>...) { fatalError() }

  /// Not available; the message says what to write.
  @available(*, unavailable, message: "the initial value is the default: `@Stored var volume = 5`")
  public init(default defaultValue: Value, _ traits: Defaults.Trait<Value>...) { fatalError() }

  /// Not available; the message says what to write.
  @available(*, unavailable, message: "the label is `name`: `@Stored(name: \"volume\")`")
  public init(wrappedValue: Value, key: String, _ traits: Defaults.Trait<Value>...) { fatalError() }
}

extension Defaults.Schema {
  /// Not available; the message says what to write.
  @available(
    *, unavailable,
    message: "settings in Foundation's UserDefaults have the suite `.userDefaults(.standard)`"
  )
  public init(suite: UserDefaults, namePrefix: String = "") { fatalError() }
}

extension Defaults.StoredProperties {
  /// Not available; the message says what to write.
  @available(
    *, unavailable,
    message: "`resetAll()` resets all settings, `Defaults.reset(preferences.$volume)` resets one"
  )
  public func reset(_ property: PartialKeyPath<Self>? = nil) { fatalError() }
}
