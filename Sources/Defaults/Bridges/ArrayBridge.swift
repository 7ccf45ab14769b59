extension Defaults {
  /// Stores an array as an array, each element as its own bridge does.
  ///
  /// An element that can't be converted is an error for the whole array, with the index in its
  /// path; never a shorter array.
  public struct ArrayBridge<Element: Bridge>: PropertyListBridge {
    /// Converts the elements.
    public let element: Element

    /// A bridge for arrays of what `element` converts.
    public init(_ element: Element) { self.element = element }

    /// An array of the encoded elements, in their order.
    public func encode(_ value: [Element.Value]) throws(ConversionError) -> PropertyListValue {
      .array(try encodeElements(of: value))
    }

    /// The decoded elements, in their order.
    public func decode(_ stored: PropertyListValue) throws(ConversionError) -> [Element.Value] {
      guard case .array(let elements) = stored else {
        throw .mismatch(stored, expected: "an array")
      }
      var value: [Element.Value] = []
      value.reserveCapacity(elements.count)
      for (index, stored) in elements.enumerated() {
        let decoded = try ConversionError.locating("[\(index)]") { () throws(ConversionError) in
          try element.decode(stored)
        }
        value.append(decoded)
      }
      return value
    }

    /// The encoded elements of any collection, in its order.
    func encodeElements(
      of value: some Collection<Element.Value>
    ) throws(ConversionError) -> [PropertyListValue] {
      var elements: [PropertyListValue] = []
      elements.reserveCapacity(value.count)
      for (index, member) in value.enumerated() {
        let encoded = try ConversionError.locating("[\(index)]") { () throws(ConversionError) in
          try element.encode(member)
        }
        elements.append(encoded)
      }
      return elements
    }
  }
}

extension Array: Defaults.Serializable where Element: Defaults.Serializable {
  /// Stores an array.
  public static var bridge: Defaults.ArrayBridge<Element.Bridge> {
    Defaults.ArrayBridge(Element.bridge)
  }
}
