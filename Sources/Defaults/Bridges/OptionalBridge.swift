extension Defaults {
  /// Stores an optional: as an entry of its own, nil removes the entry and a value is stored as its
  /// own bridge does; inside another value, nil is `[]` and a value is `[value]`.
  ///
  /// So nil is exact wherever it stands: `[Int?]`, `[String: String?]` and `Int??` come back as
  /// they were. Of `Int??` as an entry, only the outer nil removes; the rest is stored as inside
  /// another value.
  @frozen
  public struct OptionalBridge<Wrapped: Bridge>: PropertyListBridge {
    /// Converts the value, if there is one.
    public let wrapped: Wrapped

    /// A bridge for optionals of what `wrapped` converts.
    @inlinable
    public init(_ wrapped: Wrapped) { self.wrapped = wrapped }

    /// True: nil removes an entry.
    @inlinable
    public var canRemove: Bool { true }

    /// An array of the value, empty for nil.
    @inlinable
    public func encode(_ value: Wrapped.Value?) throws(ConversionError) -> PropertyListValue {
      guard let value else { return .array([]) }
      return .array([try wrapped.encode(value)])
    }

    /// The only element of the array, or nil if it has none.
    @inlinable
    public func decode(_ stored: PropertyListValue) throws(ConversionError) -> Wrapped.Value? {
      guard case .array(let elements) = stored else {
        throw .mismatch(stored, expected: "an array of at most one element, for an optional,")
      }
      switch elements.count {
      case 0: return nil
      case 1: return .some(try wrapped.decode(elements[0]))
      default: throw ConversionError("an optional has one element at most, not \(elements.count)")
      }
    }

    /// A removal for nil, else what the value's own bridge does.
    @inlinable
    public func edit(for value: Wrapped.Value?) throws(ConversionError) -> Edit {
      guard let value else { return .remove }
      return wrapped.canRemove ? .set(try wrapped.encode(value)) : try wrapped.edit(for: value)
    }

    /// The value of an entry; it is there, so it isn't the outer nil.
    @inlinable
    public func value(
      ofEntry entry: PropertyListValue
    ) throws(ConversionError) -> Wrapped.Value? {
      .some(try wrapped.canRemove ? wrapped.decode(entry) : wrapped.value(ofEntry: entry))
    }
  }
}

extension Optional: Defaults.Serializable where Wrapped: Defaults.Serializable {
  /// Stores the value, or removes the entry.
  @inlinable
  public static var bridge: Defaults.OptionalBridge<Wrapped.Bridge> {
    Defaults.OptionalBridge(Wrapped.bridge)
  }
}
