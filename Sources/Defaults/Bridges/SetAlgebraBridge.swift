extension Defaults {
  /// A set of your own that is stored as an array of its elements, sorted.
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

  /// Stores a ``SetAlgebraSerializable`` as a sorted array of its elements, so that equal sets are
  /// stored alike.
  ///
  /// Two elements that are stored alike or come back equal are an error, as for `Set`.
  public struct SetAlgebraBridge<
    Value: SetAlgebraSerializable, Element: Bridge
  >: PropertyListBridge where Element.Value == Value.Element {
    /// Converts the elements.
    public let element: Element

    /// A bridge for sets of what `element` converts.
    public init(_ element: Element) { self.element = element }

    /// An array of the encoded elements in canonical order; costs a sort.
    public func encode(_ value: Value) throws(ConversionError) -> PropertyListValue {
      .array(try canonicalOrder(ArrayBridge(element).encodeElements(of: value.toArray())))
    }

    /// A set of the decoded elements, which may stand in any order.
    public func decode(_ stored: PropertyListValue) throws(ConversionError) -> Value {
      var value = Value()
      for (index, member) in try ArrayBridge(element).decode(stored).enumerated() {
        guard value.insert(member).inserted else {
          throw ConversionError("it equals an earlier element of the set", path: ["[\(index)]"])
        }
      }
      return value
    }
  }
}
