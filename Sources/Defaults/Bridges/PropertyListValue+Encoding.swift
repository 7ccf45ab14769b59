extension Defaults.PropertyListValue {
  /// The property list of a value, as its bridge stores it inside another one: an optional is an
  /// array of at most one element. Throws why there is none.
  public init<V: Defaults.Serializable>(encoding value: V) throws(Defaults.ConversionError) {
    self = try V.bridge.encode(value)
  }

  /// The value that this is the property list of, the inverse of `init(encoding:)`. Throws why it
  /// isn't one.
  public func decoded<V: Defaults.Serializable>(
    as type: V.Type = V.self
  ) throws(Defaults.ConversionError) -> V {
    try V.bridge.decode(self)
  }
}
