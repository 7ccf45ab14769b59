extension Defaults {
  /// Decodes what ``StructureEncoder`` made, or another program wrote.
  struct StructureDecoder: Decoder {
    let stored: PropertyListValue
    let codingPath: [any CodingKey]
    /// How many values this one is in.
    let depth: Int
    /// Whether the value is a dictionary, so that an optional beside a name is an element.
    let hasNamedElements: Bool
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    static func decode<T: Decodable>(
      _ type: T.Type, from stored: PropertyListValue
    ) throws -> T {
      try Self(stored: stored, codingPath: [], depth: 0, hasNamedElements: false).readField(type)
    }
  }
}

// MARK: - Reading a value

extension Defaults.StructureDecoder {
  /// A decoder for a part of this value.
  func nested(_ part: Defaults.PropertyListValue, at key: some CodingKey) -> Self {
    Self(stored: part, codingPath: codingPath + [key], depth: depth, hasNamedElements: false)
  }

  /// Reads a value that isn't left out, and could have been.
  func readField<T: Decodable>(_ type: T.Type) throws -> T {
    guard let optional = type as? any StructureOptional.Type else { return try read(type) }
    return try cast(optional.decodeField(by: self))
  }

  /// Reads a value that can't be left out.
  func readElement<T: Decodable>(_ type: T.Type) throws -> T {
    guard let optional = type as? any StructureOptional.Type else { return try read(type) }
    return try cast(optional.decodeElement(by: self))
  }

  /// Reads a value that is there.
  func read<T: Decodable>(_ type: T.Type) throws -> T {
    guard depth < Defaults.PropertyListValue.maximumDepth else {
      throw corrupted("it has more than \(Defaults.PropertyListValue.maximumDepth) levels")
    }
    if type is any StructureOptional.Type { return try readField(type) }
    if let scalar = type as? any StructureScalar.Type {
      do {
        return try cast(scalar.value(of: stored))
      } catch let error as Defaults.ConversionError {
        throw mismatch(type, error.description)
      }
    }
    if type == Defaults.PropertyListValue.self { return try cast(stored) }
    let unordered = type as? any StructureUnordered.Type
    let value = try T(
      from: Self(
        stored: stored, codingPath: codingPath, depth: depth + 1,
        hasNamedElements: unordered?.hasNamedElements ?? false))
    if let unordered, let value = value as? any StructureUnordered {
      try checkCount(value.count, stride: unordered.stride)
    }
    return value
  }

  /// A set or dictionary doesn't tell that two of its elements were one.
  private func checkCount(_ count: Int, stride: Int) throws {
    let isComplete =
      switch stored {
      case .array(let elements): elements.count == count * stride
      case .dictionary(let elements): elements.count == count
      default: true
      }
    guard isComplete else { throw corrupted("two of its elements are equal") }
  }

  /// What was made by way of the type is of the type.
  private func cast<T>(_ value: Any) throws -> T {
    guard let value = value as? T else { throw corrupted("it isn't a \(T.self)") }
    return value
  }

  func mismatch(_ type: any Any.Type, _ reason: String) -> DecodingError {
    .typeMismatch(type, .init(codingPath: codingPath, debugDescription: reason))
  }

  func corrupted(_ reason: String) -> DecodingError {
    .dataCorrupted(.init(codingPath: codingPath, debugDescription: reason))
  }
}
