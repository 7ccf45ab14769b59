// Codings of containers, made of the codings of their parts.

extension Defaults.Coding where Value: Defaults.Serializable {
  /// As the bridge of the value's type stores it, which is what a key does without a coding.
  @inlinable
  public static var standard: Self { Self(Value.bridge) }
}

extension Defaults.Coding {
  /// An optional: nil removes the entry, or is `[]` inside another value; see `OptionalBridge`.
  @inlinable
  public static func optional<Wrapped>(
    _ wrapped: Defaults.Coding<Wrapped>
  ) -> Self where Value == Wrapped? {
    Self(Defaults.OptionalBridge(wrapped))
  }

  /// An array, element by element: an array of what the elements' coding stores.
  @inlinable
  public static func array<Element>(
    of element: Defaults.Coding<Element>
  ) -> Self where Value == [Element] {
    Self(Defaults.ArrayBridge(element))
  }

  /// A set, element by element, as a sorted array.
  @inlinable
  public static func set<Element: Hashable>(
    of element: Defaults.Coding<Element>
  ) -> Self where Value == Set<Element> {
    Self(Defaults.SetBridge(element))
  }

  /// A dictionary, element by element: a dictionary of what the elements' coding stores, by the
  /// descriptions of the keys.
  @inlinable
  public static func dictionary<Key: LosslessStringConvertible & Hashable & Sendable, Element>(
    of element: Defaults.Coding<Element>
  ) -> Self where Value == [Key: Element] {
    Self(Defaults.DictionaryBridge(element))
  }
}

extension Defaults.Coding {
  /// Writes as this coding does, and reads what it wrote, or else what the older ones wrote.
  ///
  /// ```swift
  /// static let since = Key("since", default: .now, coding: .iso8601.reading(.timeInterval))
  /// ```
  ///
  /// The codings are tried in their order; the first that accepts the entry wins. The entry takes
  /// the new form when a value is next written, be it an equal one.
  public func reading(_ older: Self, _ oldest: Self...) -> Self {
    Self(FallbackBridge(present: self, older: [older] + oldest))
  }

  private struct FallbackBridge: Defaults.PropertyListBridge {
    let present: Defaults.Coding<Value>
    let older: [Defaults.Coding<Value>]

    var canRemove: Bool { present.canRemove }

    func encode(
      _ value: Value
    ) throws(Defaults.ConversionError) -> Defaults.PropertyListValue {
      try present.encode(value)
    }

    func decode(_ stored: Defaults.PropertyListValue) throws(Defaults.ConversionError) -> Value {
      try firstSuccess { (coding) throws(Defaults.ConversionError) in try coding.decode(stored) }
    }

    func edit(for value: Value) throws(Defaults.ConversionError) -> Defaults.Edit {
      try present.edit(for: value)
    }

    func value(
      ofEntry entry: Defaults.PropertyListValue
    ) throws(Defaults.ConversionError) -> Value {
      try firstSuccess { (coding) throws(Defaults.ConversionError) in
        try coding.value(ofEntry: entry)
      }
    }

    private func firstSuccess(
      _ read: (Defaults.Coding<Value>) throws(Defaults.ConversionError) -> Value
    ) throws(Defaults.ConversionError) -> Value {
      do throws(Defaults.ConversionError) {
        return try read(present)
      } catch {
        var reasons: [String] = []
        for coding in older {
          do throws(Defaults.ConversionError) {
            return try read(coding)
          } catch {
            reasons.append("\(error)")
          }
        }
        throw Defaults.ConversionError(
          "\(error.reason); nor is it of an older form (\(reasons.joined(separator: "; ")))",
          path: error.path)
      }
    }
  }
}
