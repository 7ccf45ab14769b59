extension Defaults {
  /// How the values of one key are stored: a bridge whose type is erased.
  ///
  /// Made where the key is made, from any bridge of the value's type; calls cost that of a closure
  /// and of the bridge, which is specialized in the module that made it.
  public struct Coding<Value>: Sendable {
    @usableFromInline
    let makeEdit: @Sendable (Value) throws(ConversionError) -> Edit
    @usableFromInline
    let makeValue: @Sendable (PropertyListValue) throws(ConversionError) -> Value

    /// The coding that a bridge does.
    @inlinable
    public init<B: Bridge>(_ bridge: B) where B.Value == Value {
      makeEdit = { (value) throws(ConversionError) in try bridge.edit(for: value) }
      makeValue = { (entry) throws(ConversionError) in try bridge.value(ofEntry: entry) }
    }

    /// What writing a value does to an entry; throws why it can't be written.
    @inlinable
    public func edit(for value: Value) throws(ConversionError) -> Edit {
      try makeEdit(value)
    }

    /// The value of an entry; throws why it isn't one.
    @inlinable
    public func value(ofEntry entry: PropertyListValue) throws(ConversionError) -> Value {
      try makeValue(entry)
    }
  }
}
