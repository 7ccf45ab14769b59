extension Defaults {
  struct SetBridge<Element: Bridge>: PropertyListBridge where Element.Value: Hashable {
    let element: Element

    var shape: Shape { .set(element.shape) }

    func encode(_ value: Set<Element.Value>) throws(ConversionError) -> PropertyListValue {
      .array(try canonicalOrder(ArrayBridge(element: element).encodeElements(of: value)))
    }

    func decode(_ stored: PropertyListValue) throws(ConversionError) -> Set<Element.Value> {
      try makeSet(of: ArrayBridge(element: element).decode(stored))
    }

    func decode(
      _ stored: PropertyListValue, fillingFrom defaults: [Set<Element.Value>]
    ) throws(ConversionError) -> Set<Element.Value> {
      let defaults = defaults.map { Array($0) }
      return try makeSet(of: ArrayBridge(element: element).decode(stored, fillingFrom: defaults))
    }
  }

  /// Returns a set of the decoded elements; throws if two of them are equal.
  static func makeSet<Value: SetAlgebra>(
    of members: [Value.Element]
  ) throws(ConversionError) -> Value {
    var value = Value()
    for (index, member) in members.enumerated() {
      guard value.insert(member).inserted else {
        throw ConversionError("the element equals an earlier element", path: ["[\(index)]"])
      }
    }
    return value
  }

  /// Sorts the encoded elements of an unordered collection, in the order that is the same in every
  /// process; throws if two of them are equal.
  static func canonicalOrder(
    _ elements: [PropertyListValue]
  ) throws(ConversionError) -> [PropertyListValue] {
    let sorted = elements.sorted { $0.compare(to: $1) < 0 }
    for (element, next) in zip(sorted, sorted.dropFirst()) where element == next {
      throw ConversionError("two elements of a set have the same stored value, \(element.kind)")
    }
    return sorted
  }
}

extension Set: Defaults.Serializable where Element: Defaults.Serializable {
  /// Stores a set as a sorted array of its elements, so that equal sets are stored alike.
  ///
  /// If an element can't be converted, the conversion of the whole set fails. It also fails for two
  /// elements that are stored alike or decode to equal values. The result is never a smaller set.
  @_documentation(visibility: internal)
  public static var bridge: some Defaults.Bridge<Self> {
    Defaults.SetBridge(element: Element.bridge)
  }
}

extension Defaults {
  /// A set of your own that is stored as a sorted array of its elements.
  ///
  /// ```swift
  /// extension SetBag: Defaults.SetAlgebraSerializable {
  ///   func toArray() -> [Element] { Array(store) }
  /// }
  /// ```
  ///
  /// It takes precedence over `Codable` and `RawRepresentable`.
  public protocol SetAlgebraSerializable: SetAlgebra, Serializable {
    /// All elements, in any order.
    func toArray() -> [Element]
  }

  /// The bridge of a ``SetAlgebraSerializable``, which stores a sorted array of its elements, so
  /// that equal sets are stored alike.
  ///
  /// Two elements that are stored alike or decode to equal values are an error, as for `Set`. A
  /// type whose elements are sets of that type, such as an option set, doesn't get this bridge.
  @_documentation(visibility: internal)
  public struct SetAlgebraBridge<
    Value: SetAlgebraSerializable, Element: Bridge
  >: PropertyListBridge where Element.Value == Value.Element {
    let element: Element

    /// The shape of a set of the elements.
    public var shape: Shape { .set(element.shape) }

    /// Returns an array of the encoded elements in canonical order.
    public func encode(_ value: Value) throws(ConversionError) -> PropertyListValue {
      .array(try canonicalOrder(ArrayBridge(element: element).encodeElements(of: value.toArray())))
    }

    /// Returns a set of the decoded elements, which may be stored in any order.
    public func decode(_ stored: PropertyListValue) throws(ConversionError) -> Value {
      try makeSet(of: ArrayBridge(element: element).decode(stored))
    }

    /// Returns a set of the decoded elements, with missing fields filled from the defaults.
    public func decode(
      _ stored: PropertyListValue, fillingFrom defaults: [Value]
    ) throws(ConversionError) -> Value {
      let defaults = defaults.map { $0.toArray() }
      return try makeSet(of: ArrayBridge(element: element).decode(stored, fillingFrom: defaults))
    }
  }
}
