/// Decodes a structure that ``StructureEncoder`` or another program wrote.
struct StructureDecoder: Decoder {
  let stored: PropertyListValue
  let codingPath: [any CodingKey]
  /// The number of values around this one.
  let depth: Int
  /// Whether the value is a dictionary: then an optional under a name is an element, not a field.
  var hasNamedElements = false
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  static func decode<T: Decodable>(_ type: T.Type, from stored: PropertyListValue) throws -> T {
    let decoder = Self(stored: stored, codingPath: [], depth: 0)
    return try decoder.cast(decoder.readField(type))
  }
}

// MARK: - Reading a value

extension StructureDecoder {
  func nested(_ part: PropertyListValue, at key: any CodingKey) -> Self {
    Self(stored: part, codingPath: codingPath + [key], depth: depth)
  }

  // Not generic: the containers ask for some 45 types, and the compiler would make a copy for each.

  /// Reads a value that exists, but could have been left out.
  func readField(_ type: any Decodable.Type) throws -> any Decodable {
    guard let optional = type as? any DecodableOptional.Type else { return try read(type) }
    return try optional.decodeField(by: self)
  }

  /// Reads a value that can't be left out.
  func readElement(_ type: any Decodable.Type) throws -> any Decodable {
    guard let optional = type as? any DecodableOptional.Type else { return try read(type) }
    return try optional.decodeElement(by: self)
  }

  /// Reads a value that exists.
  func read(_ type: any Decodable.Type) throws -> any Decodable {
    guard depth < PropertyListValue.maximumDepth else {
      throw corrupted(ConversionError.tooDeep().reason)
    }
    if type is any DecodableOptional.Type { return try readField(type) }
    if let scalar = type as? any StructureScalar.Type {
      do throws(ConversionError) {
        return try stored.decoded(as: scalar)
      } catch {
        throw mismatch(type, error.description)
      }
    }
    if type == PropertyListValue.self { return stored }
    let unordered = type as? any StructureUnordered.Type
    let value = try type.init(
      from: Self(
        stored: stored, codingPath: codingPath, depth: depth + 1,
        hasNamedElements: unordered?.isDictionary ?? false))
    if let unordered, let value = value as? any StructureUnordered {
      try checkCount(value.count, stride: unordered.isDictionary ? 2 : 1)
    }
    return value
  }

  /// Checks that no elements were equal, which a set or dictionary doesn't report.
  private func checkCount(_ count: Int, stride: Int) throws {
    let isComplete =
      switch stored {
      case .array(let elements): elements.count == count * stride
      case .dictionary(let elements): elements.count == count
      default: true
      }
    guard isComplete else { throw corrupted("two elements of the collection are equal") }
  }

  func cast<T>(_ value: any Decodable) throws -> T {
    guard let value = value as? T else { throw corrupted("the value isn't a \(T.self)") }
    return value
  }

  func mismatch(_ type: any Any.Type, _ reason: String) -> DecodingError {
    .typeMismatch(type, .init(codingPath: codingPath, debugDescription: reason))
  }

  func corrupted(_ reason: String) -> DecodingError {
    .dataCorrupted(.init(codingPath: codingPath, debugDescription: reason))
  }
}

/// An optional in the form that ``StructureEncoder`` writes.
private protocol DecodableOptional: Decodable {
  static func decodeElement(by decoder: StructureDecoder) throws -> Self
  static func decodeField(by decoder: StructureDecoder?) throws -> Self
}

extension Optional: DecodableOptional where Wrapped: Decodable {
  fileprivate static func decodeElement(by decoder: StructureDecoder) throws -> Self {
    var container = try decoder.unkeyedContainer()
    guard let count = container.count, count <= 1 else {
      throw decoder.mismatch(Self.self, "an optional has one element at most")
    }
    return count == 0 ? .none : .some(try container.decode(Wrapped.self))
  }

  fileprivate static func decodeField(by decoder: StructureDecoder?) throws -> Self {
    guard let decoder else { return .none }
    return .some(try decoder.cast(decoder.read(Wrapped.self)))
  }
}

// MARK: - Containers

extension StructureDecoder {
  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard case .dictionary(let fields) = stored else {
      throw mismatch(
        [String: PropertyListValue].self,
        ConversionError.mismatch(stored, expected: "a dictionary").reason)
    }
    return KeyedDecodingContainer(Keyed(fields: Fields(decoder: self, stored: fields)))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard case .array(let elements) = stored else {
      throw mismatch(
        [PropertyListValue].self,
        ConversionError.mismatch(stored, expected: "an array").reason)
    }
    return Unkeyed(decoder: self, elements: elements)
  }

  func singleValueContainer() -> any SingleValueDecodingContainer { Single(decoder: self) }
}

extension StructureDecoder {
  // One generic method implements the requirements of all types but the two with a default.

  private struct Keyed<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let fields: Fields
    var codingPath: [any CodingKey] { fields.decoder.codingPath }
    var allKeys: [Key] { fields.stored.keys.compactMap(Key.init(stringValue:)) }

    func contains(_ key: Key) -> Bool { fields.contains(key) }

    /// A field that is nil was left out.
    func decodeNil(forKey key: Key) -> Bool { !contains(key) }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
      try fields.decoder.cast(fields.value(type, at: key))
    }

    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 {
      try fields.decoder.cast(fields.value(type, at: key))
    }

    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 {
      try fields.decoder.cast(fields.value(type, at: key))
    }

    func nestedContainer<Nested: CodingKey>(
      keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
      try fields[key].container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
      try fields[key].unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { try fields[StructureKey.parent] }
    func superDecoder(forKey key: Key) throws -> any Decoder { try fields[key] }
  }

  private struct Fields {
    let decoder: StructureDecoder
    let stored: [String: PropertyListValue]

    func contains(_ key: any CodingKey) -> Bool { stored[key.stringValue] != nil }

    /// Returns a decoder for the value of a field.
    subscript(key: any CodingKey) -> StructureDecoder {
      get throws {
        guard let field = stored[key.stringValue] else {
          throw DecodingError.keyNotFound(
            key,
            .init(
              codingPath: decoder.codingPath,
              debugDescription: "the field \"\(key.stringValue)\" is missing"))
        }
        return decoder.nested(field, at: key)
      }
    }

    func value(_ type: any Decodable.Type, at key: any CodingKey) throws -> any Decodable {
      if decoder.hasNamedElements { return try self[key].readElement(type) }
      if !contains(key), let optional = type as? any DecodableOptional.Type {
        return try optional.decodeField(by: nil)
      }
      return try self[key].readField(type)
    }
  }

  private struct Unkeyed: UnkeyedDecodingContainer {
    let decoder: StructureDecoder
    let elements: [PropertyListValue]
    var currentIndex = 0
    /// The content of the current element, if it was found to be an optional that isn't nil.
    var optional: PropertyListValue?

    var codingPath: [any CodingKey] { decoder.codingPath }
    var count: Int? { elements.count }
    var isAtEnd: Bool { currentIndex == elements.count }

    /// Returns whether the element is the nil of an optional. For any other optional, the next read
    /// decodes the wrapped value by its own type, as `decodeIfPresent` does.
    mutating func decodeNil() throws -> Bool {
      guard case .array(let content) = try element().stored, content.count <= 1 else {
        return false
      }
      if content.isEmpty { advance() } else { optional = content[0] }
      return content.isEmpty
    }

    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T { try decoder.cast(next(type)) }

    mutating func decode(_ type: Int128.Type) throws -> Int128 { try decoder.cast(next(type)) }
    mutating func decode(_ type: UInt128.Type) throws -> UInt128 { try decoder.cast(next(type)) }

    private mutating func next(_ type: any Decodable.Type) throws -> any Decodable {
      let value = try content().readElement(type)
      advance()
      return value
    }

    mutating func nestedContainer<Nested: CodingKey>(
      keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
      let container = try content().container(keyedBy: type)
      advance()
      return container
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
      let container = try element().unkeyedContainer()
      advance()
      return container
    }

    mutating func superDecoder() throws -> any Decoder {
      let element = try element()
      advance()
      return element
    }

    private mutating func advance() {
      optional = nil
      currentIndex += 1
    }

    /// Returns a decoder of the content of an optional if the current element was found to be one,
    /// and otherwise of the element.
    private func content() throws -> StructureDecoder {
      let element = try element()
      guard let optional else { return element }
      return decoder.nested(optional, at: StructureKey(intValue: currentIndex))
    }

    private func element() throws -> StructureDecoder {
      let key = StructureKey(intValue: currentIndex)
      guard !isAtEnd else {
        throw DecodingError.valueNotFound(
          Any.self,
          .init(codingPath: codingPath + [key], debugDescription: "the array has no more elements"))
      }
      return decoder.nested(elements[currentIndex], at: key)
    }
  }

  private struct Single: SingleValueDecodingContainer {
    let decoder: StructureDecoder
    var codingPath: [any CodingKey] { decoder.codingPath }

    func decodeNil() -> Bool { false }
    func decode<T: Decodable>(_ type: T.Type) throws -> T { try decoder.cast(value(type)) }
    func decode(_ type: Int128.Type) throws -> Int128 { try decoder.cast(value(type)) }
    func decode(_ type: UInt128.Type) throws -> UInt128 { try decoder.cast(value(type)) }

    /// Reads without the conversions of a field. An enum of mixed data finds its case by trying one
    /// type after another, and must not find the bool for a stored 1, or the integer for 1.0.
    private func value(_ type: any Decodable.Type) throws -> any Decodable {
      let isInteger = type is any FixedWidthInteger.Type
      switch decoder.stored {
      case .integer where type == Bool.self, .unsignedInteger where type == Bool.self,
        .real where type == Bool.self || isInteger:
        let expected = isInteger ? "an integer" : "a bool"
        throw decoder.mismatch(
          type, ConversionError.mismatch(decoder.stored, expected: expected).reason)
      default: return try decoder.read(type)
      }
    }
  }
}
