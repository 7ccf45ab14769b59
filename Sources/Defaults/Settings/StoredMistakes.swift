// Diagnostics for common mistakes at a property. None of these initializers can be called.

extension Defaults.Stored {
  // `init()`, for a property with a bare attribute, is in the type itself.

  /// Diagnoses a property with neither an initial value nor an optional type.
  @_disfavoredOverload
  @available(
    *, unavailable,
    message:
      "needs an initial value or an optional type; if the type isn't `Codable`, also a `coding:`"
  )
  public init(
    name: String? = nil, coding: Defaults.Coding<Value>? = nil, _ traits: Defaults.Trait<Value>...
  ) {
    fatalError("unavailable")
  }

  /// Diagnoses a type that can't be stored.
  @_disfavoredOverload
  @available(
    *, unavailable,
    message:
      "this type can't be stored: make it `Codable`, or `Defaults.Serializable` (an enum with a raw type needs no more than the name of the protocol), or pass a `coding:`"
  )
  public init(
    wrappedValue: @autoclosure @escaping @Sendable () -> Value, name: String? = nil,
    _ traits: Defaults.Trait<Value>...
  ) {
    fatalError("unavailable")
  }

  /// Diagnoses a name without its label.
  @_disfavoredOverload
  @available(*, unavailable, message: "the name has a label: `@Stored(name: \"volume\")`")
  public init(
    wrappedValue: @autoclosure @escaping @Sendable () -> Value, _ name: String,
    _ traits: Defaults.Trait<Value>...
  ) {
    fatalError("unavailable")
  }

  /// Diagnoses a name without its label.
  @_disfavoredOverload
  @available(*, unavailable, message: "the name has a label: `@Stored(name: \"volume\")`")
  public init(_ name: String, _ traits: Defaults.Trait<Value>...) {
    fatalError("unavailable")
  }
}
