extension Defaults {
  /// A collection of your own that is stored as an array of its elements.
  ///
  /// ```swift
  /// extension Bag: Defaults.CollectionSerializable {
  ///   init(_ elements: [Element]) { items = elements }
  /// }
  /// ```
  ///
  /// It takes precedence over `Codable` and `RawRepresentable`.
  public protocol CollectionSerializable: Collection, Serializable {
    /// A collection of these elements: all of them, in this order.
    init(_ elements: [Element])
  }

  /// Stores a ``CollectionSerializable`` as an array of its elements, each as its own bridge does.
  ///
  /// If the initializer leaves elements out, the stored array is refused.
  public struct CollectionBridge<
    Value: CollectionSerializable, Element: Bridge
  >: PropertyListBridge where Element.Value == Value.Element {
    /// Converts the elements.
    public let element: Element

    /// A bridge for collections of what `element` converts.
    public init(_ element: Element) { self.element = element }

    /// An array of the encoded elements, in their order.
    public func encode(_ value: Value) throws(ConversionError) -> PropertyListValue {
      .array(try ArrayBridge(element).encodeElements(of: value))
    }

    /// A collection of the decoded elements.
    public func decode(_ stored: PropertyListValue) throws(ConversionError) -> Value {
      let elements = try ArrayBridge(element).decode(stored)
      let value = Value(elements)
      guard value.count == elements.count else {
        throw ConversionError(
          "\(Value.self) made \(value.count) elements of the \(elements.count) stored ones")
      }
      return value
    }
  }
}
