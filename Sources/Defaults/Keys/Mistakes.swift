// Diagnostics for common mistakes: unavailable declarations. The compiler chooses them only if no
// other declaration fits, and shows their messages. None of them can be called.

extension Defaults {
  /// Diagnoses a value of another type than the key's.
  @available(
    *, unavailable,
    message: "the value isn't of the key's type: convert it, or give the key another type"
  )
  public static subscript<Value>(key: AnyKey) -> Value {
    get { fatalError() }
    set { fatalError() }
  }
}

extension Defaults.Suite {
  /// Diagnoses a value of another type than the key's.
  @available(
    *, unavailable,
    message: "the value isn't of the key's type: convert it, or give the key another type"
  )
  public subscript<Value>(key: Defaults.AnyKey) -> Value {
    get { fatalError() }
    set { fatalError() }
  }
}

extension Defaults.Draft {
  /// Diagnoses a value of another type than the key's.
  @available(
    *, unavailable,
    message: "the value isn't of the key's type: convert it, or give the key another type"
  )
  public subscript<Value>(key: Defaults.AnyKey) -> Value {
    get { fatalError() }
    set { fatalError() }
  }
}

extension Defaults.Key {
  /// Diagnoses a key without a default.
  @available(
    *, unavailable,
    message:
      "a key needs a default, `Key(\"volume\", default: 5)`, or an optional type, `Key<Int?>(\"volume\")`; a setting that must have a value is `Key<Int>.required(\"volume\")`"
  )
  public convenience init(
    _ name: String, suite: some Defaults.Suite = .standard, _ traits: Defaults.Trait<Value>...
  ) { fatalError() }

  /// Diagnoses a type that can't be stored.
  @available(
    *, unavailable,
    message:
      "this type can't be stored: make it `Codable`, make an enum with a raw type `Defaults.Serializable`, and the keys of a dictionary also `LosslessStringConvertible`; or pass a `coding:`"
  )
  public convenience init(
    _ name: String, default defaultValue: Value,
    suite: some Defaults.Suite = .standard, _ traits: Defaults.Trait<Value>...
  ) { fatalError() }

  /// Diagnoses an optional of a type that can't be stored.
  @available(
    *, unavailable,
    message:
      "this type can't be stored: make it `Codable`, make an enum with a raw type `Defaults.Serializable`, and the keys of a dictionary also `LosslessStringConvertible`; or pass a `coding:`"
  )
  public convenience init<Wrapped>(
    _ name: String, suite: some Defaults.Suite = .standard, _ traits: Defaults.Trait<Value>...
  ) where Value == Wrapped? { fatalError() }

  /// Diagnoses traits before the suite.
  @available(
    *, unavailable,
    message: "traits come last: `Key(\"volume\", default: 5, suite: suite, .in(0...11))`"
  )
  public convenience init(
    _ name: String, default defaultValue: Value,
    _ trait: Defaults.Trait<Value>, _ more: Defaults.Trait<Value>..., suite: some Defaults.Suite
  ) { fatalError() }

  /// Diagnoses traits before the coding.
  @available(
    *, unavailable,
    message: "traits come last: `Key(\"volume\", default: 5, coding: .text, .in(0...11))`"
  )
  public convenience init(
    _ name: String, default defaultValue: Value,
    _ trait: Defaults.Trait<Value>, _ more: Defaults.Trait<Value>..., coding: Defaults.Coding<Value>
  ) { fatalError() }
}

extension Defaults.Serializable {
  /// Diagnoses a type without a bridge.
  @available(
    *, unavailable,
    message:
      "this type has no bridge: give an enum a raw type (`enum Theme: String`), make another type `Codable`, or write a `static let bridge`"
  )
  public static var bridge: Defaults.Coding<Self> { fatalError() }
}

extension Defaults.Coding {
  /// Diagnoses `.text` for a type without a text.
  @available(
    *, unavailable,
    message:
      "`.text` stores a type that is `LosslessStringConvertible` and `Defaults.Serializable`; make the type both, or use another coding"
  )
  public static var text: Self { fatalError() }

  /// Diagnoses `.optional` on a coding.
  @available(
    *, unavailable,
    message:
      "write the coding of the wrapped type, `Key<Device?>(\"device\", coding: .propertyList)`, or `.optional(.propertyList)`"
  )
  public var optional: Self { fatalError() }
}

extension Defaults.CodingChain {
  /// Diagnoses `.optional` on a coding.
  @available(
    *, unavailable,
    message:
      "write the coding of the wrapped type, `Key<Device?>(\"device\", coding: .json)`, or `.optional(.json)`"
  )
  public var optional: Defaults.Coding<Value> { fatalError() }
}
