// What the compiler says of common mistakes. None of this can be called: right code has a better
// choice everywhere, and where there is none, the compiler shows the sentence that stands here.

extension Defaults {
  /// For the compiler: the value has another type than the key.
  @_disfavoredOverload
  @available(
    *, unavailable,
    message: "the value isn't of the key's type: convert it, or give the key another type"
  )
  public static subscript<Value>(key: AnyKey) -> Value {
    get { fatalError("unavailable") }
    set { fatalError("unavailable") }
  }
}

extension Defaults.Suite {
  /// For the compiler: the value has another type than the key.
  @_disfavoredOverload
  @available(
    *, unavailable,
    message: "the value isn't of the key's type: convert it, or give the key another type"
  )
  public subscript<Value>(key: Defaults.AnyKey) -> Value {
    get { fatalError("unavailable") }
    set { fatalError("unavailable") }
  }
}

extension Defaults.Draft {
  /// For the compiler: the value has another type than the key.
  @_disfavoredOverload
  @available(
    *, unavailable,
    message: "the value isn't of the key's type: convert it, or give the key another type"
  )
  public subscript<Value>(key: Defaults.AnyKey) -> Value {
    get { fatalError("unavailable") }
    set { fatalError("unavailable") }
  }
}

extension Defaults.Key {
  /// For the compiler: a key without a default.
  @_disfavoredOverload
  @available(
    *, unavailable,
    message:
      "a key needs a default, `Key(\"volume\", default: 5)`, or an optional type, `Key<Int?>(\"volume\")`"
  )
  public convenience init(
    _ name: String, previousNames: [String] = [], suite: some Defaults.Suite = .standard,
    _ traits: Defaults.Trait<Value>...
  ) {
    fatalError("unavailable")
  }

  /// For the compiler: a type that can't be stored.
  @_disfavoredOverload
  @available(
    *, unavailable,
    message:
      "this type can't be stored: make it `Codable`, or `Defaults.Serializable` (an enum with a raw type needs no more than the name of the protocol), or pass a `coding:`"
  )
  public convenience init(
    _ name: String, default defaultValue: Value, previousNames: [String] = [],
    suite: some Defaults.Suite = .standard,
    _ traits: Defaults.Trait<Value>...
  ) {
    fatalError("unavailable")
  }

  /// For the compiler: an optional of a type that can't be stored.
  @_disfavoredOverload
  @available(
    *, unavailable,
    message:
      "this type can't be stored: make it `Codable`, or `Defaults.Serializable` (an enum with a raw type needs no more than the name of the protocol), or pass a `coding:`"
  )
  public convenience init<Wrapped>(
    _ name: String, previousNames: [String] = [], suite: some Defaults.Suite = .standard,
    _ traits: Defaults.Trait<Value>...
  ) where Value == Wrapped? {
    fatalError("unavailable")
  }
}
