extension Defaults {
  /// Any storable value, for data whose types are only known at run time.
  ///
  /// It holds the value's stored form. Reading it back names the type that is wanted:
  ///
  /// ```swift
  /// var any: Defaults.AnySerializable = 1
  /// any.set(Mime.json)
  /// let mime: Mime? = any.get()
  /// ```
  ///
  /// Nil as an entry of its own removes the entry; inside a collection it is refused. A value that
  /// can't be encoded makes one that refuses to be written, and says why; it is never left out.
  /// Prefer a type of your own wherever you can name one.
  public struct AnySerializable: Sendable, Hashable {
    /// What writing this value does, or why it can't be written.
    private var content: Content

    private enum Content: Hashable, Sendable {
      case edit(Edit)
      case unencodable(ConversionError)
    }

    /// The stored form of a value; costs an encoding.
    public init(_ value: some Serializable) {
      content = Self.content(of: value)
    }

    init(_ edit: Edit) {
      content = .edit(edit)
    }

    /// The value as one of type `V`; nil if it isn't one, or is nil. Costs a decoding.
    public func get<V: Serializable>() -> V? {
      guard case .edit(.set(let stored)) = content else { return nil }
      return try? V.bridge.value(ofEntry: stored)
    }

    /// The value as one of the given type; nil if it isn't one, or is nil. Costs a decoding.
    public func get<V: Serializable>(_ type: V.Type) -> V? {
      get()
    }

    /// Replaces the value; costs an encoding.
    public mutating func set(_ newValue: some Serializable) {
      content = Self.content(of: newValue)
    }

    /// Replaces the value by one of the given type; costs an encoding.
    public mutating func set<V: Serializable>(_ newValue: V, type: V.Type) {
      set(newValue)
    }

    private static func content<V: Serializable>(of value: V) -> Content {
      do throws(ConversionError) {
        return .edit(try V.bridge.edit(for: value))
      } catch {
        return .unencodable(error)
      }
    }
  }

  /// Stores what an ``AnySerializable`` holds.
  struct AnySerializableBridge: PropertyListBridge {
    var canRemove: Bool { true }

    func encode(_ value: AnySerializable) throws(ConversionError) -> PropertyListValue {
      guard case .set(let stored) = try value.edit else {
        throw ConversionError("nil can't be stored inside a collection")
      }
      return stored
    }

    func decode(_ stored: PropertyListValue) throws(ConversionError) -> AnySerializable {
      AnySerializable(.set(stored))
    }

    func edit(for value: AnySerializable) throws(ConversionError) -> Edit {
      try value.edit
    }
  }
}

extension Defaults.AnySerializable: Defaults.Serializable {
  /// Stores the value that it holds.
  @_documentation(visibility: internal)
  public static var bridge: some Defaults.Bridge<Self> { Defaults.AnySerializableBridge() }

  fileprivate var edit: Defaults.Edit {
    get throws(Defaults.ConversionError) {
      switch content {
      case .edit(let edit): return edit
      case .unencodable(let error): throw error
      }
    }
  }
}

extension Defaults.AnySerializable: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByStringLiteral,
  ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  /// Nothing: as an entry of its own, a removal.
  public init(nilLiteral: ()) { self.init(Defaults.Edit.remove) }

  /// `true` or `false`.
  public init(booleanLiteral value: Bool) { self.init(value) }

  /// A literal such as `42`.
  public init(integerLiteral value: Int64) { self.init(value) }

  /// A literal such as `0.5`.
  public init(floatLiteral value: Double) { self.init(value) }

  /// A literal such as `"text"`.
  public init(stringLiteral value: String) { self.init(value) }

  /// A literal such as `[1, "two"]`; with a nil in it, it can't be written.
  public init(arrayLiteral elements: Self...) { self.init(elements) }

  /// A literal such as `["one": 1]`; of equal keys the last one counts.
  public init(dictionaryLiteral elements: (String, Self)...) {
    self.init(Dictionary(elements) { _, last in last })
  }
}

extension Defaults.AnySerializable: CustomStringConvertible {
  /// The stored form in the manner of Swift literals, "nil", or why there is none.
  @_documentation(visibility: internal)
  public var description: String {
    switch content {
    case .edit(.set(let stored)): "\(stored)"
    case .edit(.remove): "nil"
    case .unencodable(let error): "unencodable (\(error))"
    }
  }
}
