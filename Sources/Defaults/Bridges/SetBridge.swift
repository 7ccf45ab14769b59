extension Defaults {
  /// Stores a set as an array of its elements, sorted, so that equal sets are stored alike.
  ///
  /// An element that can't be converted is an error for the whole set, and so are two that are
  /// stored alike or come back equal: a set never gets smaller on its way.
  public struct SetBridge<Element: Bridge>: PropertyListBridge where Element.Value: Hashable {
    /// Converts the elements.
    public let element: Element

    /// A bridge for sets of what `element` converts.
    public init(_ element: Element) { self.element = element }

    /// An array of the encoded elements in canonical order; costs a sort.
    public func encode(_ value: Set<Element.Value>) throws(ConversionError) -> PropertyListValue {
      .array(try canonicalOrder(ArrayBridge(element).encodeElements(of: value)))
    }

    /// The set of the decoded elements, which may stand in any order.
    public func decode(_ stored: PropertyListValue) throws(ConversionError) -> Set<Element.Value> {
      var value: Set<Element.Value> = []
      for (index, member) in try ArrayBridge(element).decode(stored).enumerated() {
        guard value.insert(member).inserted else {
          throw ConversionError("it equals an earlier element of the set", path: ["[\(index)]"])
        }
      }
      return value
    }
  }

  /// Sorts the encoded elements of an unordered collection; throws if two of them are the same.
  static func canonicalOrder(
    _ elements: [PropertyListValue]
  ) throws(ConversionError) -> [PropertyListValue] {
    let sorted = elements.sorted { $0.compare(to: $1) < 0 }
    for (element, next) in zip(sorted, sorted.dropFirst()) where element == next {
      throw ConversionError("two elements of a set are stored alike, as \(element.kind)")
    }
    return sorted
  }
}

extension Set: Defaults.Serializable where Element: Defaults.Serializable {
  /// Stores a sorted array.
  public static var bridge: Defaults.SetBridge<Element.Bridge> {
    Defaults.SetBridge(Element.bridge)
  }
}
