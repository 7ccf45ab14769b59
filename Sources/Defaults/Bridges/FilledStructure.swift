/// A stored structure whose missing fields are filled from default values, one after the other as
/// a decoder asks for them.
///
/// A decoder reports a missing field only if the field must exist. So a field that is absent
/// because it was nil stays absent, unless another element of the same array has the same fields
/// and its decoding reports the field. A field that has a wrong value is never replaced.
struct FilledStructure {
  private var stored: PropertyListValue
  private let defaults: [PropertyListValue]

  /// Creates a structure to fill from default structures, any of which may correspond to it.
  init(_ stored: PropertyListValue, from defaults: [PropertyListValue]) {
    self.stored = stored
    self.defaults = defaults
  }

  /// Decodes the structure, again after each missing field that could be filled.
  mutating func decode<Value>(_ decode: (PropertyListValue) throws -> Value) throws -> Value {
    // Otherwise, the time would be quadratic for a long array whose elements all have different
    // fields.
    let mostFills = max(256, (1 << 26) / max(1, stored.encodedSize))
    for _ in 0..<mostFills {
      do {
        return try decode(stored)
      } catch DecodingError.keyNotFound(let key, let context) {
        guard fill(key.stringValue, at: context.codingPath[...]) else {
          throw DecodingError.keyNotFound(key, context)
        }
      }
    }
    return try decode(stored)
  }

  /// Adds a missing field. Returns false if the field isn't missing, or the defaults don't
  /// determine it.
  private mutating func fill(_ name: String, at path: ArraySlice<any CodingKey>) -> Bool {
    guard let value = defaultValue(of: name, at: path),
      case .dictionary(let fields)? = Self.parts(of: [stored], at: path, areDefaults: false)?.first,
      fields[name] == nil
    else { return false }
    stored = Self.adding(name, value, to: stored, at: path, beside: fields.keys)
    return true
  }

  /// Returns the value that all defaults have for a field; nil if a default lacks it, or two
  /// differ.
  private func defaultValue(
    of name: String, at path: ArraySlice<any CodingKey>
  ) -> PropertyListValue? {
    var value: PropertyListValue?
    for part in Self.parts(of: defaults, at: path, areDefaults: true) ?? [] {
      guard case .dictionary(let fields) = part, let field = fields[name],
        value == nil || value == field
      else { return nil }
      value = field
    }
    return value
  }

  /// Returns the parts of structures at a path; nil if a structure has no such part.
  ///
  /// An element of an array corresponds to all elements of the default's array.
  private static func parts(
    of structures: [PropertyListValue], at path: ArraySlice<any CodingKey>, areDefaults: Bool
  ) -> [PropertyListValue]? {
    var parts = structures
    for key in path {
      var next: [PropertyListValue] = []
      for part in parts {
        switch part {
        case .array(let elements) where areDefaults: next += elements
        case .array(let elements):
          guard let index = key.intValue, elements.indices.contains(index) else { return nil }
          next.append(elements[index])
        case .dictionary(let fields):
          guard let field = fields[key.stringValue] else { return nil }
          next.append(field)
        default: return nil
        }
      }
      parts = next
    }
    return parts
  }

  /// Returns the structure with one more field in a part of it. Elements of the same array with the
  /// same fields get it, too. Otherwise, the structure would be decoded again for each of them.
  private static func adding(
    _ name: String, _ value: PropertyListValue, to part: PropertyListValue,
    at path: ArraySlice<any CodingKey>, beside names: [String: PropertyListValue].Keys
  ) -> PropertyListValue {
    switch part {
    case .array(let elements) where !path.isEmpty:
      return .array(
        elements.map { adding(name, value, to: $0, at: path.dropFirst(), beside: names) })
    case .dictionary(var fields):
      guard let key = path.first else {
        guard fields.keys == names else { return part }
        fields[name] = value
        return .dictionary(fields)
      }
      guard let field = fields[key.stringValue] else { return part }
      fields[key.stringValue] = adding(name, value, to: field, at: path.dropFirst(), beside: names)
      return .dictionary(fields)
    default: return part
    }
  }
}
