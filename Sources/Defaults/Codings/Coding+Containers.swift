// Codings of containers, composed of the codings of their parts.

extension Defaults.Coding where Value: Defaults.Serializable {
  /// The stored form of the value type's own bridge. A key without a coding uses it.
  @inlinable
  public static var standard: Self { Self(Value.bridge) }
}

extension Defaults.Coding {
  /// An optional: nil removes the entry, or is `[]` inside another value.
  @inlinable
  public static func optional<Wrapped>(
    _ wrapped: Defaults.Coding<Wrapped>
  ) -> Self where Value == Wrapped? {
    Self(Defaults.OptionalBridge(wrapped))
  }

  /// An array whose elements are stored by a coding.
  public static func array<Element>(
    of element: Defaults.Coding<Element>
  ) -> Self where Value == [Element] {
    Self(ArrayBridge(element: element))
  }

  /// A set as a sorted array whose elements are stored by a coding.
  public static func set<Element: Hashable>(
    of element: Defaults.Coding<Element>
  ) -> Self where Value == Set<Element> {
    Self(Defaults.SetBridge(element: element))
  }

  /// A dictionary whose values are stored by a coding, with the descriptions of the keys as names.
  public static func dictionary<Key: LosslessStringConvertible & Hashable & Sendable, Element>(
    of element: Defaults.Coding<Element>
  ) -> Self where Value == [Key: Element] {
    Self(DictionaryBridge(element: element))
  }

  /// Returns a coding that writes like this coding, and also reads the forms of older codings.
  ///
  /// ```swift
  /// static let since = Key("since", default: .now, coding: .iso8601.reading(.timeInterval))
  /// ```
  ///
  /// The codings are tried in order, and the first that accepts the entry is used. The entry gets
  /// the new form when a value is next written, even an equal one.
  public func reading(_ older: Self, _ oldest: Self...) -> Self {
    Self(FallbackBridge(present: self, older: [older] + oldest))
  }

  private struct FallbackBridge: ReadingBridge {
    let present: Defaults.Coding<Value>
    let older: [Defaults.Coding<Value>]

    var shape: Defaults.Shape { .either(present.shape, or: older.map(\.shape)) }

    var canRemove: Bool { present.canRemove }

    func encode(_ value: Value) throws(ConversionError) -> PropertyListValue {
      try present.encode(value)
    }

    func edit(for value: Value) throws(ConversionError) -> Edit { try present.edit(for: value) }

    func value(
      of stored: PropertyListValue,
      by read: (Defaults.Coding<Value>) throws(ConversionError) -> Value
    ) throws(ConversionError) -> Value {
      do throws(ConversionError) {
        return try read(present)
      } catch {
        var reasons: [String] = []
        var lacksField = error.lacksField
        for coding in older {
          do throws(ConversionError) {
            return try read(coding)
          } catch {
            reasons.append("\(error)")
            lacksField = lacksField || error.lacksField
          }
        }
        var error = error
        error.reason += "; no older form matches either (\(reasons.joined(separator: "; ")))"
        error.lacksField = lacksField
        throw error
      }
    }
  }
}

/// A bridge that reads with other codings. Its ways of reading differ only in what it calls.
protocol ReadingBridge: Defaults.PropertyListBridge {
  /// Returns the value of a stored form by calling `read` with codings.
  func value(
    of stored: PropertyListValue,
    by read: (Defaults.Coding<Value>) throws(ConversionError) -> Value
  ) throws(ConversionError) -> Value
}

extension ReadingBridge {
  func decode(_ stored: PropertyListValue) throws(ConversionError) -> Value {
    try value(of: stored) { (coding) throws(ConversionError) in try coding.decode(stored) }
  }

  func decode(
    _ stored: PropertyListValue, fillingFrom defaults: [Value]
  ) throws(ConversionError) -> Value {
    try value(of: stored) { (coding) throws(ConversionError) in
      try coding.decode(stored, fillingFrom: defaults)
    }
  }

  func value(ofEntry entry: PropertyListValue) throws(ConversionError) -> Value {
    try value(of: entry) { (coding) throws(ConversionError) in try coding.value(ofEntry: entry) }
  }

  func value(
    ofEntry entry: PropertyListValue, fillingFrom defaults: [Value]
  ) throws(ConversionError) -> Value {
    try value(of: entry) { (coding) throws(ConversionError) in
      try coding.value(ofEntry: entry, fillingFrom: defaults)
    }
  }
}

// MARK: - Optional properties

extension Defaults.Coding where Value: Codable & Sendable {
  /// JSON text. An optional's nil removes the entry, as with `.optional(.json)`. Also reads the
  /// text "null", which earlier versions stored for the nil of a property.
  @usableFromInline static var jsonOfProperty: Self {
    Self(CodableBridge(canRemove: Value.self is any AnyOptional.Type))
  }
}

// MARK: - Nil as an entry

extension Defaults.Coding {
  /// Stores an optional in the form of its type, and nil as an entry of its own.
  ///
  /// ```swift
  /// static let nickname = Key<String?>("nickname", default: "Bo", coding: .storingNil())
  ///
  /// Defaults[.nickname] = nil  // reads nil, whatever the default; reset() restores the default
  /// ```
  ///
  /// A property list has no nil, so nil is stored as `[]`, and a value that is an array is stored
  /// inside another array. Any other value has the same form as without this coding. If a key used
  /// no coding before, an empty array that it stored is now read as nil, and an array that contains
  /// a single array may be read as the inner array.
  @inlinable
  public static func storingNil<Wrapped: Defaults.Serializable>() -> Self
  where Value == Wrapped? {
    Self(Defaults.ExplicitNilBridge(Wrapped.bridge))
  }

  /// Stores an optional in the form of another coding, and nil as an entry of its own; see
  /// ``storingNil()``.
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
  @usableFromInline
  struct ExplicitNilBridge<Wrapped: Bridge>: PropertyListBridge {
    @usableFromInline let wrapped: Wrapped

    @usableFromInline var shape: Shape { .optional(wrapped.shape) }

    @inlinable
    init(_ wrapped: Wrapped) { self.wrapped = wrapped }

    @inlinable
    func encode(_ value: Wrapped.Value?) throws(ConversionError) -> PropertyListValue {
      guard let value else { return .array([]) }
      let stored = try wrapped.encode(value)
      if case .array = stored { return .array([stored]) }
      return stored
    }

    @inlinable
    func decode(_ stored: PropertyListValue) throws(ConversionError) -> Wrapped.Value? {
      try decode(stored) { (stored) throws(ConversionError) in try wrapped.decode(stored) }
    }

    @usableFromInline
    func decode(
      _ stored: PropertyListValue, fillingFrom defaults: [Wrapped.Value?]
    ) throws(ConversionError) -> Wrapped.Value? {
      let defaults = defaults.compactMap(\.self)
      return try decode(stored) { (stored) throws(ConversionError) in
        try wrapped.decode(stored, fillingFrom: defaults)
      }
    }

    @usableFromInline
    func decode(
      _ stored: PropertyListValue,
      by decode: (PropertyListValue) throws(ConversionError) -> Wrapped.Value
    ) throws(ConversionError) -> Wrapped.Value? {
      guard case .array(let elements) = stored else { return .some(try decode(stored)) }
      if elements.isEmpty { return nil }
      var lack: ConversionError?
      if elements.count == 1, case .array = elements[0] {
        do throws(ConversionError) {
          return .some(try decode(elements[0]))
        } catch {
          if error.lacksField { lack = error }
        }
      }
      // An array that was stored without this coding.
      do throws(ConversionError) {
        return .some(try decode(stored))
      } catch {
        throw lack ?? error
      }
    }
  }
}
