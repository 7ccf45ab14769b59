extension Defaults.Coding {
  /// Stores an optional as its own type does, and nil as an entry of its own, so that it differs
  /// from what isn't set.
  ///
  /// ```swift
  /// static let nickname = Key<String?>("nickname", default: "Bo", coding: .storingNil())
  ///
  /// Defaults[.nickname] = nil  // reads nil, whatever the default; reset() restores that
  /// ```
  ///
  /// A value is stored as without it, except that an array lies in another one: nil is `[]`, which
  /// a property list has no other word for. Where a key gets this coding that did without before,
  /// an empty array that it stored is nil now, and one array in another may be read without that.
  @inlinable
  public static func storingNil<Wrapped: Defaults.Serializable>() -> Self
  where Value == Wrapped? {
    Self(Defaults.ExplicitNilBridge(Wrapped.bridge))
  }

  /// Stores an optional as another coding does, and nil as an entry of its own; see the form
  /// without.
  ///
  /// ```swift
  /// static let camera = Key<Camera?>("camera", default: .back, coding: .storingNil(.json))
  /// ```
  @inlinable
  public static func storingNil<Wrapped>(_ wrapped: Defaults.Coding<Wrapped>) -> Self
  where Value == Wrapped? {
    Self(Defaults.ExplicitNilBridge(wrapped))
  }
}

extension Defaults {
  /// Stores an optional of which nil is an entry: an empty array. A value whose form is an array
  /// lies in another one.
  @frozen
  public struct ExplicitNilBridge<Wrapped: Bridge>: PropertyListBridge {
    @usableFromInline let wrapped: Wrapped

    /// A bridge for optionals of what `wrapped` converts.
    @inlinable
    public init(_ wrapped: Wrapped) { self.wrapped = wrapped }

    /// False: nil is stored.
    @inlinable
    public var canRemove: Bool { false }

    /// The value's own form, or an empty array.
    @inlinable
    public func encode(_ value: Wrapped.Value?) throws(ConversionError) -> PropertyListValue {
      guard let value else { return .array([]) }
      let stored = try wrapped.encode(value)
      if case .array = stored { return .array([stored]) }
      return stored
    }

    /// nil of an empty array, else the value.
    @inlinable
    public func decode(_ stored: PropertyListValue) throws(ConversionError) -> Wrapped.Value? {
      guard case .array(let elements) = stored else { return .some(try wrapped.decode(stored)) }
      if elements.isEmpty { return nil }
      if elements.count == 1, case .array = elements[0],
        let value = try? wrapped.decode(elements[0])
      {
        return .some(value)
      }
      // An array that was stored without this coding.
      return .some(try wrapped.decode(stored))
    }
  }
}
