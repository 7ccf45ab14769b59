// Unavailable declarations that people try first; see `Mistakes.swift`.

extension Defaults.Key {
  /// Not available; the message says what to write.
  @available(*, unavailable, message: "the default has a label: `Key(\"volume\", default: 5)`")
  public convenience init(_ name: String, _ value: Value, _ traits: Defaults.Trait<Value>...) {
    fatalError()
  }

  /// Not available; the message says what to write.
  @available(*, unavailable, message: "the label is `default`: `Key(\"volume\", default: 5)`")
  public convenience init(_ name: String, defaultValue: Value, _ traits: Defaults.Trait<Value>...) {
    fatalError()
  }

  /// Not available; the message says what to write.
  @available(
    *, unavailable, message: "a secret has a trait: `Key(\"token\", default: \"\", .secret)`"
  )
  public convenience init(
    _ name: String, default defaultValue: Value, isSecret: Bool, _ traits: Defaults.Trait<Value>...
  ) { fatalError() }

  /// Not available; the message says what to write.
  @available(
    *, unavailable,
    message: "a bridge is a coding: `Key(\"size\", default: size, coding: .bridge(SizeBridge()))`"
  )
  public convenience init(
    _ name: String, default defaultValue: Value, coding: some Defaults.Bridge,
    _ traits: Defaults.Trait<Value>...
  ) { fatalError() }

  /// Not available; the message says what to write.
  @available(
    *, unavailable,
    message: "a bridge is a coding: `Key(\"size\", default: size, coding: .bridge(SizeBridge()))`"
  )
  public convenience init(
    _ name: String, default defaultValue: Value, bridge: some Defaults.Bridge,
    _ traits: Defaults.Trait<Value>...
  ) { fatalError() }
}

extension Defaults.Trait {
  /// Not available; the message says what to write.
  @available(
    *, unavailable,
    message: "a list of values is `.choices([1, 2])`, limits are a range, `.in(0...11)`"
  )
  public static func `in`(_ values: [Value]) -> Self { fatalError() }

  /// Not available; the message says what to write.
  @available(*, unavailable, message: "the choices are an array: `.choices([\"a\", \"b\"])`")
  public static func choices(_ first: Value, _ more: Value...) -> Self { fatalError() }

  /// Not available; the message says what to write.
  @available(*, unavailable, message: "the count is a range: `.count(8...8)`")
  public static func count(_ count: Int) -> Self { fatalError() }

  /// Not available; the message says what to write.
  @available(*, unavailable, message: "the pattern is text: `.matching(\"[a-z]+\")`")
  public static func matching(_ pattern: some RegexComponent) -> Self { fatalError() }

  /// Not available; the message says what to write.
  @available(*, unavailable, message: "limits are `.in(0...11)`, `.in(0...)` or `.in(...11)`")
  public static func range(_ range: some RangeExpression<Value>) -> Self where Value: Comparable {
    fatalError()
  }

  /// Not available; the message says what to write.
  @available(*, unavailable, message: "limits are `.in(0...11)`, `.in(0...)` or `.in(...11)`")
  public static func min(_ value: Value) -> Self { fatalError() }

  /// Not available; the message says what to write.
  @available(*, unavailable, message: "limits are `.in(0...11)`, `.in(0...)` or `.in(...11)`")
  public static func max(_ value: Value) -> Self { fatalError() }
}
