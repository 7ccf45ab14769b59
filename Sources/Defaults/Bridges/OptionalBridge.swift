extension Defaults {
  @usableFromInline
  struct OptionalBridge<Wrapped: Bridge>: PropertyListBridge {
    @usableFromInline let wrapped: Wrapped

    @usableFromInline var shape: Shape { .optional(wrapped.shape) }

    @inlinable
    init(_ wrapped: Wrapped) { self.wrapped = wrapped }

    @inlinable
    var canRemove: Bool { true }

    @inlinable
    func encode(_ value: Wrapped.Value?) throws(ConversionError) -> PropertyListValue {
      guard let value else { return .array([]) }
      return .array([try wrapped.encode(value)])
    }

    @inlinable
    func decode(_ stored: PropertyListValue) throws(ConversionError) -> Wrapped.Value? {
      guard case .array(let elements) = stored else {
        throw .mismatch(stored, expected: "an array of at most one element, for an optional,")
      }
      switch elements.count {
      case 0: return nil
      case 1: return .some(try wrapped.decode(elements[0]))
      default: throw ConversionError("an optional has one element at most, not \(elements.count)")
      }
    }

    @inlinable
    func edit(for value: Wrapped.Value?) throws(ConversionError) -> Edit {
      guard let value else { return .remove }
      return wrapped.canRemove ? .set(try wrapped.encode(value)) : try wrapped.edit(for: value)
    }

    @inlinable
    func value(ofEntry entry: PropertyListValue) throws(ConversionError) -> Wrapped.Value? {
      .some(try wrapped.canRemove ? wrapped.decode(entry) : wrapped.value(ofEntry: entry))
    }

    @usableFromInline
    func decode(
      _ stored: PropertyListValue, fillingFrom defaults: [Wrapped.Value?]
    ) throws(ConversionError) -> Wrapped.Value? {
      guard case .array(let elements) = stored, elements.count == 1 else {
        return try decode(stored)
      }
      return try wrapped.decode(elements[0], fillingFrom: defaults.compactMap(\.self))
    }

    @usableFromInline
    func value(
      ofEntry entry: PropertyListValue, fillingFrom defaults: [Wrapped.Value?]
    ) throws(ConversionError) -> Wrapped.Value? {
      let defaults = defaults.compactMap(\.self)
      return wrapped.canRemove
        ? try wrapped.decode(entry, fillingFrom: defaults)
        : try wrapped.value(ofEntry: entry, fillingFrom: defaults)
    }
  }
}

extension Optional: Defaults.Serializable where Wrapped: Defaults.Serializable {
  /// Stores an optional. As an entry, nil removes the entry, and a value is stored by its own
  /// bridge; inside another value, nil is `[]` and a value is `[value]`.
  ///
  /// So nil is exact everywhere: `[Int?]`, `[String: String?]` and `Int??` are read as they were
  /// written. For `Int??` as an entry, only the outer nil removes the entry; the inner nil and a
  /// value are stored as inside another value.
  @_documentation(visibility: internal) @inlinable
  public static var bridge: some Defaults.Bridge<Self> { Defaults.OptionalBridge(Wrapped.bridge) }
}
