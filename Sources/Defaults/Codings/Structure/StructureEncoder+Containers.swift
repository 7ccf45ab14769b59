extension StructureEncoder {
  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    switch slot.content {
    case .nothing: slot.content = .dictionary([:])
    case .dictionary: break
    default: failure.record(twoKinds)
    }
    return KeyedEncodingContainer(Keyed(encoder: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    switch slot.content {
    case .nothing: slot.content = .array([])
    case .array: break
    default: failure.record(twoKinds)
    }
    return Unkeyed(encoder: self)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { Single(encoder: self) }

  /// Returns the encoder of a new field or element. If that is a misuse, records it and returns
  /// nil.
  private func child(at key: any CodingKey, reusing: Bool = false) -> Self? {
    let child = Slot()
    switch slot.content {
    case .dictionary(var slots):
      if let present = slots[key.stringValue] {
        if reusing { return nested(present, at: key) }
        failure.record(nested(present, at: key).invalid("the value is encoded twice"))
        return nil
      }
      slot.content = .nothing  // So that the dictionary isn't copied.
      slots[key.stringValue] = child
      slot.content = .dictionary(slots)
    case .array(var slots):
      slot.content = .nothing
      slots.append(child)
      slot.content = .array(slots)
    default:
      return nil  // Another kind of container was asked for first, which is recorded.
    }
    return nested(child, at: key)
  }

  private func put(
    _ value: any Encodable, at key: any CodingKey, inArray isInArray: Bool = false
  ) throws {
    let part = nested(Slot(), at: key)
    if isInArray || hasNamedElements {
      try part.writeElement(value)
    } else {
      guard try part.writeField(value) else { return }
    }
    guard let child = child(at: key) else { throw failure.error ?? twoKinds }
    child.slot.content = part.slot.content
  }

  /// Returns an encoder for a container in this one. If there can't be one, the encoder discards
  /// what is written, and encoding fails at the end.
  private func container(at key: any CodingKey) -> Self {
    guard depth < PropertyListValue.maximumDepth else {
      failure.record(tooDeep)
      return Self(slot: Slot(), codingPath: codingPath, depth: depth, failure: failure)
    }
    return (child(at: key, reusing: true) ?? nested(Slot(), at: key)).deeper()
  }
}

extension StructureEncoder {
  // One generic method implements the requirements of all types but the two with a default.

  private struct Keyed<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: StructureEncoder
    var codingPath: [any CodingKey] { encoder.codingPath }

    /// A field that is nil is left out.
    func encodeNil(forKey key: Key) throws {
      guard !encoder.hasNamedElements else { throw encoder.invalid("a property list has no nil") }
    }

    func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
      try encoder.put(value, at: key)
    }

    func encode(_ value: Int128, forKey key: Key) throws { try encoder.put(value, at: key) }
    func encode(_ value: UInt128, forKey key: Key) throws { try encoder.put(value, at: key) }

    /// The default would unwrap the value, so that a nil inside it would be left out as well.
    func encodeIfPresent<T: Encodable>(_ value: T?, forKey key: Key) throws {
      if value != nil { try encoder.put(value, at: key) }
    }

    func nestedContainer<Nested: CodingKey>(
      keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
      encoder.container(at: key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
      encoder.container(at: key).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { encoder.container(at: StructureKey.parent) }
    func superEncoder(forKey key: Key) -> any Encoder { encoder.container(at: key) }
  }

  private struct Unkeyed: UnkeyedEncodingContainer {
    let encoder: StructureEncoder
    var codingPath: [any CodingKey] { encoder.codingPath }

    var count: Int {
      guard case .array(let slots) = encoder.slot.content else { return 0 }
      return slots.count
    }

    func encodeNil() throws {
      throw encoder.nested(Slot(), at: StructureKey(intValue: count))
        .invalid("a property list has no nil; encode an optional instead")
    }

    private func put(_ value: any Encodable) throws {
      try encoder.put(value, at: StructureKey(intValue: count), inArray: true)
    }

    func encode<T: Encodable>(_ value: T) throws { try put(value) }
    func encode(_ value: Int128) throws { try put(value) }
    func encode(_ value: UInt128) throws { try put(value) }

    func nestedContainer<Nested: CodingKey>(
      keyedBy type: Nested.Type
    ) -> KeyedEncodingContainer<Nested> {
      encoder.container(at: StructureKey(intValue: count)).container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
      encoder.container(at: StructureKey(intValue: count)).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { encoder.container(at: StructureKey(intValue: count)) }
  }

  private struct Single: SingleValueEncodingContainer {
    let encoder: StructureEncoder
    var codingPath: [any CodingKey] { encoder.codingPath }

    func encodeNil() throws { throw encoder.invalid("a property list has no nil") }

    private func put(_ value: any Encodable) throws {
      guard case .nothing = encoder.slot.content else {
        throw encoder.invalid("the value is encoded twice")
      }
      try encoder.write(value)
    }

    func encode<T: Encodable>(_ value: T) throws { try put(value) }
    func encode(_ value: Int128) throws { try put(value) }
    func encode(_ value: UInt128) throws { try put(value) }
  }
}
