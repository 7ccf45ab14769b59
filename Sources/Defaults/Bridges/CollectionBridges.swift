struct ArrayBridge<Element: Defaults.Bridge>: Defaults.PropertyListBridge {
  let element: Element

  var shape: Defaults.Shape { .array(element.shape) }

  func encode(_ value: [Element.Value]) throws(ConversionError) -> PropertyListValue {
    .array(try encodeElements(of: value))
  }

  func decode(_ stored: PropertyListValue) throws(ConversionError) -> [Element.Value] {
    try decode(stored) { (stored) throws(ConversionError) in try element.decode(stored) }
  }

  /// Fills each element from all elements of the defaults, because none corresponds to it alone.
  func decode(
    _ stored: PropertyListValue, fillingFrom defaults: [[Element.Value]]
  ) throws(ConversionError) -> [Element.Value] {
    let defaults = Array(defaults.joined())
    return try decode(stored) { (stored) throws(ConversionError) in
      do throws(ConversionError) {
        return try element.decode(stored)
      } catch {
        // Filling encodes all defaults, so only elements that lack a field are filled.
        guard error.lacksField else { throw error }
        return try element.decode(stored, fillingFrom: defaults)
      }
    }
  }

  func decode(
    _ stored: PropertyListValue,
    by decode: (PropertyListValue) throws(ConversionError) -> Element.Value
  ) throws(ConversionError) -> [Element.Value] {
    guard case .array(let elements) = stored else { throw .mismatch(stored, expected: "an array") }
    return try elements.indices.map { (index) throws(ConversionError) in
      try ConversionError.locating("[\(index)]") { () throws(ConversionError) in
        try decode(elements[index])
      }
    }
  }

  /// Encodes the elements of any collection, in its order.
  func encodeElements(
    of value: some Collection<Element.Value>
  ) throws(ConversionError) -> [PropertyListValue] {
    try value.enumerated().map { (index, member) throws(ConversionError) in
      try ConversionError.locating("[\(index)]") { () throws(ConversionError) in
        try element.encode(member)
      }
    }
  }
}

extension Array: Defaults.Serializable where Element: Defaults.Serializable {
  /// Stores an array as an array, with each element in the form of its own bridge.
  ///
  /// If an element can't be converted, the conversion of the whole array fails, with the index in
  /// the path of the error. The result is never a shorter array.
  @_documentation(visibility: internal)
  public static var bridge: some Defaults.Bridge<Self> { ArrayBridge(element: Element.bridge) }
}

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
    /// Creates a collection of all these elements, in this order.
    init(_ elements: [Element])
  }

  /// The bridge of a ``CollectionSerializable``, which stores an array of its elements.
  ///
  /// Rejects the stored array if the initializer leaves elements out.
  struct CollectionBridge<Value: CollectionSerializable>: Bridge
  where Value.Element: Defaults.Serializable {
    var shape: Shape { [Value.Element].bridge.shape }

    func serialize(_ value: Value?) -> [Value.Element]? { value.map { Array($0) } }

    func deserialize(_ object: [Value.Element]?) -> Value? {
      guard let object else { return nil }
      let value = Value(object)
      return value.count == object.count ? value : nil
    }

    func decode(_ stored: PropertyListValue) throws(ConversionError) -> Value {
      let elements: [Value.Element] = try stored.decoded()
      guard let value = deserialize(elements) else {
        let count = Value(elements).count
        throw ConversionError(
          "\(Value.self) keeps only \(count) of the \(elements.count) stored elements")
      }
      return value
    }
  }
}

struct DictionaryBridge<
  Key: LosslessStringConvertible & Hashable & Sendable, Element: Defaults.Bridge
>: Defaults.PropertyListBridge {
  let element: Element

  var shape: Defaults.Shape { .dictionary(element.shape) }

  func encode(_ value: [Key: Element.Value]) throws(ConversionError) -> PropertyListValue {
    var elements: [String: PropertyListValue] = [:]
    elements.reserveCapacity(value.count)
    for (key, member) in value {
      let name = key.description
      guard let copy = Key(anyText: name), copy.description == name else {
        throw ConversionError("the key \"\(name)\" can't be read back from its name")
      }
      let encoded = try ConversionError.locating(name) { () throws(ConversionError) in
        try element.encode(member)
      }
      guard elements.updateValue(encoded, forKey: name) == nil else {
        throw ConversionError("two keys of the dictionary have the name \"\(name)\"")
      }
    }
    return .dictionary(elements)
  }

  func decode(_ stored: PropertyListValue) throws(ConversionError) -> [Key: Element.Value] {
    try decode(stored) { (stored, _) throws(ConversionError) in try element.decode(stored) }
  }

  /// Fills each element from the default's element with the same key.
  func decode(
    _ stored: PropertyListValue, fillingFrom defaults: [[Key: Element.Value]]
  ) throws(ConversionError) -> [Key: Element.Value] {
    try decode(stored) { (stored, key) throws(ConversionError) in
      try element.decode(stored, fillingFrom: defaults.compactMap { $0[key] })
    }
  }

  func decode(
    _ stored: PropertyListValue,
    by decode: (PropertyListValue, Key) throws(ConversionError) -> Element.Value
  ) throws(ConversionError) -> [Key: Element.Value] {
    guard case .dictionary(let elements) = stored else {
      throw .mismatch(stored, expected: "a dictionary")
    }
    var value: [Key: Element.Value] = [:]
    value.reserveCapacity(elements.count)
    for (name, stored) in elements {
      guard let key = Key(anyText: name) else {
        throw ConversionError("\"\(name)\" isn't the name of a key of type \(Key.self)")
      }
      let decoded = try ConversionError.locating(name) { () throws(ConversionError) in
        try decode(stored, key)
      }
      guard value.updateValue(decoded, forKey: key) == nil else {
        throw ConversionError("\"\(name)\" and another name stand for the same key")
      }
    }
    return value
  }
}

extension LosslessStringConvertible {
  /// Creates a value from any text, also from text for which `Character` would trap.
  init?(anyText text: String) {
    if Self.self == Character.self, text.count != 1 { return nil }
    self.init(text)
  }
}

// The key must be `Serializable` only because that makes it `Sendable`, which a conditional
// conformance can't require directly. The key's bridge isn't used.
extension Dictionary: Defaults.Serializable
where Key: LosslessStringConvertible & Defaults.Serializable, Value: Defaults.Serializable {
  /// Stores a dictionary as a dictionary, with the descriptions of its keys as names.
  ///
  /// If an element can't be converted, the conversion of the whole dictionary fails, with the name
  /// in the path of the error. It also fails for two keys with one name, two names of one key, or
  /// a key that can't be created from its own description. The result is never a shorter
  /// dictionary.
  @_documentation(visibility: internal)
  public static var bridge: some Defaults.Bridge<Self> { DictionaryBridge(element: Value.bridge) }
}

struct RangeBridge<Value: BoundedRange, Bound: Defaults.Bridge>: Defaults.PropertyListBridge
where Bound.Value == Value.Bound {
  let bound: Bound

  /// Not simply an array: rules apply to the elements of the range, and not to its bounds.
  var shape: Defaults.Shape { .converted(.array(bound.shape)) }

  func encode(_ value: Value) throws(ConversionError) -> PropertyListValue {
    let bounds = [value.lowerBound, value.upperBound]
    try check(bounds)
    return try ArrayBridge(element: bound).encode(bounds)
  }

  func decode(_ stored: PropertyListValue) throws(ConversionError) -> Value {
    let bounds = try ArrayBridge(element: bound).decode(stored)
    guard bounds.count == 2 else {
      throw ConversionError("a range has two bounds, not \(bounds.count)")
    }
    try check(bounds)
    return Value(uncheckedBounds: (bounds[0], bounds[1]))
  }

  /// Throws if the bounds are out of order, as unchecked initializers allow: the range would trap.
  private func check(_ bounds: [Value.Bound]) throws(ConversionError) {
    guard bounds[0] <= bounds[1] else {
      throw ConversionError(
        "the bounds of a range are out of order: \(bounds[0]), then \(bounds[1])")
    }
  }
}

/// The properties that both kinds of range have in common.
protocol BoundedRange<Bound> {
  associatedtype Bound: Comparable
  var lowerBound: Bound { get }
  var upperBound: Bound { get }
  init(uncheckedBounds bounds: (lower: Bound, upper: Bound))
}

extension Range: BoundedRange {}
extension ClosedRange: BoundedRange {}

extension Range: Defaults.Serializable where Bound: Defaults.Serializable {
  /// Stores a `Range` as an array of its two bounds, the lower one first.
  ///
  /// Bounds that are out of order, or can't be compared, such as NaN, are rejected.
  @_documentation(visibility: internal)
  public static var bridge: some Defaults.Bridge<Self> { RangeBridge(bound: Bound.bridge) }
}

extension ClosedRange: Defaults.Serializable where Bound: Defaults.Serializable {
  /// Stores a `ClosedRange` as an array of its two bounds, the lower one first.
  ///
  /// Bounds that are out of order, or can't be compared, such as NaN, are rejected.
  @_documentation(visibility: internal)
  public static var bridge: some Defaults.Bridge<Self> { RangeBridge(bound: Bound.bridge) }
}
