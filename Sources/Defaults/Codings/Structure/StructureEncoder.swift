/// Encodes values to property lists; see ``Coding/propertyList`` for the form.
struct StructureEncoder: Encoder {
  let slot: Slot
  let codingPath: [any CodingKey]
  /// The number of values around this one.
  let depth: Int
  /// The failure of calls that can't throw.
  let failure: Failure
  /// Whether the value is a dictionary: then an optional under a name is an element, not a field.
  var hasNamedElements = false
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  /// A place in the unfinished structure. A class, because a container is written after its return.
  final class Slot {
    var content = Content.nothing

    enum Content {
      case nothing
      case value(PropertyListValue)
      case array([Slot])
      case dictionary([String: Slot])
    }

    /// The finished structure. A value that encoded nothing is a structure without fields.
    var value: PropertyListValue {
      switch content {
      case .nothing: .dictionary([:])
      case .value(let value): value
      case .array(let slots): .array(slots.map(\.value))
      case .dictionary(let slots): .dictionary(slots.mapValues(\.value))
      }
    }
  }

  /// The first misuse.
  final class Failure {
    private(set) var error: EncodingError?

    func record(_ error: EncodingError) { if self.error == nil { self.error = error } }
  }

  static func encode(_ value: any Encodable) throws -> PropertyListValue {
    let encoder = Self(slot: Slot(), codingPath: [], depth: 0, failure: Failure())
    guard try encoder.writeField(value) else {
      throw encoder.invalid(
        "a property list has no nil; .optional(.propertyList) removes the entry instead")
    }
    if let error = encoder.failure.error { throw error }
    return encoder.slot.value
  }
}

// MARK: - Writing a value

extension StructureEncoder {
  func nested(_ slot: Slot, at key: any CodingKey) -> Self {
    Self(slot: slot, codingPath: codingPath + [key], depth: depth, failure: failure)
  }

  /// Returns an encoder for the fields or elements of this value.
  func deeper(hasNamedElements: Bool = false) -> Self {
    Self(
      slot: slot, codingPath: codingPath, depth: depth + 1, failure: failure,
      hasNamedElements: hasNamedElements)
  }

  // Not generic: the containers take some 45 types, and the compiler would make a copy for each.

  /// Writes a value that may be left out. Returns false for a nil.
  func writeField(_ value: any Encodable) throws -> Bool {
    guard let optional = Self.optional(value) else {
      try write(value)
      return true
    }
    guard let content = optional.encodable else { return false }
    try write(content)
    return true
  }

  /// Writes a value that can't be left out.
  func writeElement(_ value: any Encodable) throws {
    guard let optional = Self.optional(value) else { return try write(value) }
    var container = unkeyedContainer()
    if let content = optional.encodable { try container.encode(content) }
  }

  /// Checks the type first, because a cast of the value also unwraps optionals.
  private static func optional(_ value: any Encodable) -> (any EncodableOptional)? {
    type(of: value) is any EncodableOptional.Type ? value as? any EncodableOptional : nil
  }

  /// Writes a value that exists.
  func write(_ value: any Encodable) throws {
    guard depth < PropertyListValue.maximumDepth else { throw tooDeep }
    let type = type(of: value)
    if type is any EncodableOptional.Type {
      // An optional in an optional: the inner nil would look like the outer nil.
      guard try writeField(value) else {
        throw invalid("a nil inside an optional can't be distinguished from no value")
      }
    } else if let scalar = value as? any StructureScalar {
      do throws(ConversionError) {
        slot.content = .value(try PropertyListValue(encoding: scalar))
      } catch {
        throw invalid(error.description)
      }
    } else if let stored = value as? PropertyListValue {
      slot.content = .value(stored)
    } else if let unordered = type as? any StructureUnordered.Type {
      try value.encode(to: deeper(hasNamedElements: unordered.isDictionary))
      slot.sort(stride: unordered.isDictionary ? 2 : 1)
    } else {
      try value.encode(to: deeper())
    }
  }

  func invalid(_ reason: String) -> EncodingError {
    .invalidValue((), .init(codingPath: codingPath, debugDescription: reason))
  }

  var twoKinds: EncodingError { invalid("`encode(to:)` requests two kinds of container") }

  var tooDeep: EncodingError { invalid(ConversionError.tooDeep().reason) }
}

/// An optional: as a field, nil is left out; as an element, it is an array of at most one element.
private protocol EncodableOptional {
  /// The content, which may itself be an optional.
  var encodable: (any Encodable)? { get }
}

extension Optional: EncodableOptional where Wrapped: Encodable {
  fileprivate var encodable: (any Encodable)? { map { $0 as any Encodable } }
}

extension StructureEncoder.Slot {
  /// Sorts the elements of an array in canonical order, in groups of `stride` elements.
  fileprivate func sort(stride: Int) {
    guard case .array(let slots) = content, slots.count > stride,
      slots.count.isMultiple(of: stride)
    else { return }
    let elements = slots.map(\.value)
    let groups = Swift.stride(from: 0, to: elements.count, by: stride)
      .map { Array(elements[$0..<($0 + stride)]) }
      .sorted { PropertyListValue.array($0).compare(to: .array($1)) < 0 }
    content = .value(.array(groups.flatMap(\.self)))
  }
}
