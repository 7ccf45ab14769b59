extension Defaults {
  /// Any storable value, for data whose types are known only at run time.
  ///
  /// It holds the value's stored form. To read the value, name its type:
  ///
  /// ```swift
  /// var any: Defaults.AnySerializable = 1
  /// any.set(Mime.json)
  /// let mime: Mime? = any.get()
  /// ```
  ///
  /// As an entry, nil removes the entry; inside a collection, nil is rejected. If a value can't be
  /// encoded, the instance keeps the reason, and writing it throws; the value is never left out.
  /// Prefer a type of your own wherever you can name one.
  public struct AnySerializable: Sendable, Hashable {
    /// The edit that writing the value makes, or the reason that it can't be written.
    fileprivate var content: Result<Edit, ConversionError>

    /// Creates an instance by encoding a value.
    public init(_ value: some Serializable) { content = Self.content(of: value) }

    init(_ edit: Edit) { content = .success(edit) }

    /// Decodes the value as a `V`; returns nil if it has another type or is nil.
    public func get<V: Serializable>() -> V? {
      guard case .success(.set(let stored)) = content else { return nil }
      return try? V.bridge.value(ofEntry: stored)
    }

    /// Decodes the value as the given type; returns nil if it has another type or is nil.
    public func get<V: Serializable>(_ type: V.Type) -> V? { get() }

    /// Encodes a value, and replaces the current value with the result.
    public mutating func set(_ newValue: some Serializable) { content = Self.content(of: newValue) }

    /// Encodes a value of the given type, and replaces the current value with the result.
    public mutating func set<V: Serializable>(_ newValue: V, type: V.Type) { set(newValue) }

    private static func content<V: Serializable>(of value: V) -> Result<Edit, ConversionError> {
      Result { () throws(ConversionError) in try V.bridge.edit(for: value) }
    }
  }

  /// The bridge of ``AnySerializable``, which stores the value that it holds.
  struct AnySerializableBridge: PropertyListBridge {
    var canRemove: Bool { true }

    func encode(_ value: AnySerializable) throws(ConversionError) -> PropertyListValue {
      guard case .set(let stored) = try value.content.get() else {
        throw ConversionError("nil can't be stored inside a collection")
      }
      return stored
    }

    func decode(_ stored: PropertyListValue) throws(ConversionError) -> AnySerializable {
      AnySerializable(.set(stored))
    }

    func edit(for value: AnySerializable) throws(ConversionError) -> Edit {
      try value.content.get()
    }
  }
}

extension Defaults.AnySerializable: Defaults.Serializable, CustomStringConvertible,
  ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByStringLiteral, ExpressibleByArrayLiteral,
  ExpressibleByDictionaryLiteral
{
  /// Stores the value that it holds.
  @_documentation(visibility: internal)
  public static var bridge: some Defaults.Bridge<Self> { Defaults.AnySerializableBridge() }

  /// Creates an object without a value. Storing it removes the entry.
  public init(nilLiteral: ()) { self.init(Defaults.Edit.remove) }

  /// `true` or `false`.
  public init(booleanLiteral value: Bool) { self.init(value) }

  /// A literal such as `42`.
  public init(integerLiteral value: Int64) { self.init(value) }

  /// A literal such as `0.5`.
  public init(floatLiteral value: Double) { self.init(value) }

  /// A literal such as `"text"`.
  public init(stringLiteral value: String) { self.init(value) }

  /// A literal such as `[1, "two"]`; it can't be written if it contains nil.
  public init(arrayLiteral elements: Self...) { self.init(elements) }

  /// Creates a dictionary from a literal such as `["one": 1]`. The last of several equal keys is
  /// used.
  public init(dictionaryLiteral elements: (String, Self)...) {
    self.init(Dictionary(elements) { _, last in last })
  }

  /// The stored form as a Swift literal, "nil", or the reason that there is none.
  @_documentation(visibility: internal)
  public var description: String {
    switch content {
    case .success(.set(let stored)): "\(stored)"
    case .success(.remove): "nil"
    case .failure(let error): "unencodable (\(error))"
    }
  }
}
