extension Defaults {
  /// The older spelling of `Key<Value?>`.
  public typealias OptionalKey<Value: Sendable> = Key<Value?>
  /// The older spelling of a key whose value is archived: `Key` finds that out by itself.
  public typealias NSSecureCodingKey<Value: Sendable> = Key<Value>
  /// The older spelling of a key whose value is archived, and optional.
  public typealias NSSecureCodingOptionalKey<Value: Sendable> = Key<Value?>
}

extension Defaults.AnyKey {
  /// A key of a type, by its short name inside of `extension Defaults.Keys`.
  public typealias Key = Defaults.Key
  /// The older spelling of a key with an optional value.
  public typealias OptionalKey<Value: Sendable> = Defaults.OptionalKey<Value>
  /// The older spelling of a key with an archived value.
  public typealias NSSecureCodingKey<Value: Sendable> = Defaults.NSSecureCodingKey<Value>
  /// The older spelling of a key with an optional, archived value.
  public typealias NSSecureCodingOptionalKey<Value: Sendable> =
    Defaults.NSSecureCodingOptionalKey<Value>
}
