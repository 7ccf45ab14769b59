extension Defaults {
  /// A setting of a schema as a list shows it: name, type, default, and present value.
  ///
  /// ```swift
  /// for property in settings.storedProperties where property.isSet {
  ///   print(property.name, property.value)
  /// }
  /// ```
  public struct StoredProperty: Sendable {
    /// The property's name in the source; within a group, behind that of the group and a dot.
    public let property: String
    /// The key of the setting; it is a `Key<Value>` of ``type``.
    public let key: AnyKey
    /// The type of the value.
    public let type: any Sendable.Type
    private let readDefault: @Sendable () -> any Sendable
    private let read: @Sendable () -> any Sendable
    private let readIsDefault: @Sendable () -> Bool

    init<Value>(_ property: String, key: Key<Value>) {
      self.property = property
      self.key = key
      type = Value.self
      readDefault = { key.defaultValue }
      read = { Defaults[key] }
      readIsDefault = { key.isDefaultValue }
    }
  }
}

extension Defaults.StoredProperty {
  /// The name under which the value is stored.
  public var name: String { key.name }
  /// The value while nothing is stored; see ``Defaults/Key/defaultValue``.
  public var defaultValue: any Sendable { readDefault() }
  /// The present value. Reading it here isn't tracked.
  public var value: any Sendable { read() }
  /// Whether a value is stored; it may equal the default.
  public var isSet: Bool { key.suite.contains(key) }
  /// Whether the present value is the default, stored or not.
  public var isDefaultValue: Bool { readIsDefault() }
}
