extension Defaults {
  /// Stores a dictionary as a dictionary whose names are the descriptions of its keys.
  ///
  /// An element that can't be converted is an error for the whole dictionary, with the name in its
  /// path, and so are two keys of one name or two names of one key: never a shorter dictionary.
  public struct DictionaryBridge<
    Key: LosslessStringConvertible & Hashable & Sendable, Element: Bridge
  >: PropertyListBridge {
    /// Converts the values.
    public let element: Element

    /// A bridge for dictionaries of what `element` converts.
    public init(_ element: Element) { self.element = element }

    /// A dictionary of the encoded values, by the descriptions of their keys.
    public func encode(
      _ value: [Key: Element.Value]
    ) throws(ConversionError) -> PropertyListValue {
      var elements: [String: PropertyListValue] = [:]
      elements.reserveCapacity(value.count)
      for (key, member) in value {
        let name = key.description
        let encoded = try ConversionError.locating(name) { () throws(ConversionError) in
          try element.encode(member)
        }
        guard elements.updateValue(encoded, forKey: name) == nil else {
          throw ConversionError("two keys are called \"\(name)\"")
        }
      }
      return .dictionary(elements)
    }

    /// The decoded values, by the keys that the names describe.
    public func decode(
      _ stored: PropertyListValue
    ) throws(ConversionError) -> [Key: Element.Value] {
      guard case .dictionary(let elements) = stored else {
        throw .mismatch(stored, expected: "a dictionary")
      }
      var value: [Key: Element.Value] = [:]
      value.reserveCapacity(elements.count)
      for (name, stored) in elements {
        guard let key = Key(name) else {
          throw ConversionError("\"\(name)\" isn't the name of a key of type \(Key.self)")
        }
        let decoded = try ConversionError.locating(name) { () throws(ConversionError) in
          try element.decode(stored)
        }
        guard value.updateValue(decoded, forKey: key) == nil else {
          throw ConversionError("\"\(name)\" and another name stand for the same key")
        }
      }
      return value
    }
  }
}

// The key's conformance is what says that it is `Sendable`: a conditional conformance can't ask for
// that directly. The key's bridge isn't used.
extension Dictionary: Defaults.Serializable
where Key: LosslessStringConvertible & Defaults.Serializable, Value: Defaults.Serializable {
  /// Stores a dictionary.
  public static var bridge: Defaults.DictionaryBridge<Key, Value.Bridge> {
    Defaults.DictionaryBridge(Value.bridge)
  }
}
