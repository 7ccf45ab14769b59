extension Defaults {
  /// A type whose properties with `@Stored` are settings: what a ``Schema`` and a ``Settings``
  /// class have in common. There is no need to conform to it.
  public protocol StoredProperties {
    /// What comes before the name of each setting; the default is nothing.
    static var namePrefix: String { get }
  }
}

extension Defaults.StoredProperties {
  /// The attribute of a property that is a setting.
  public typealias Stored<Value: Sendable> = Defaults.Stored<Value>

  /// All settings of the schema, in the order of their declaration; those of a superclass first.
  public var storedProperties: [Defaults.StoredProperty] {
    SchemaReflection(of: self).properties.map { $0.box.describe($0.path) }
  }

  /// The keys of all settings, in the order of their declaration, for `Defaults.reset`, `updates`
  /// and `observe`.
  public var keys: [Defaults.AnyKey] { storedProperties.map(\.key) }

  /// Removes the entries of all settings of the schema, in one transaction, so that they have their
  /// default values again.
  public func reset() {
    Defaults.reset(keys)
  }
}
