import Foundation

/// Reads the forms in which other libraries for typed access to `UserDefaults` stored a value.
///
/// The form depended on the type that contained the value, and on the version of the library. The
/// page "Coming from Defaults" lists the forms.
struct OlderForms {
  /// Whether a string in quotation marks was read as JSON text, without them. Reading it as it is
  /// would also have succeeded, with another result.
  private var hasUnquoted = false

  /// The form in which those libraries wrote the content of one place.
  enum Form {
    /// As an entry, or as an element of an entry.
    case entry
    /// As an element under a key that isn't a string: a string is JSON text.
    case quoted
    /// As a part of parsed JSON text: data is base 64, a date a number of seconds.
    case json
  }

  /// Returns the value of an entry as `own` reads it, or else as an older form. If the entry has
  /// none of these forms, throws the error of `own`.
  static func value<Value>(
    ofEntry entry: PropertyListValue, own: () throws(ConversionError) -> Value
  ) throws(ConversionError) -> Value {
    var forms = OlderForms()
    let older = forms.anyValue(of: entry, as: Value.self)
    do throws(ConversionError) {
      let value = try own()
      return forms.hasUnquoted ? older ?? value : value
    } catch {
      guard let older else { throw error }
      return older
    }
  }

  /// Returns whether reading an entry removes quotation marks that may belong to the text.
  static func takesOffQuotationMarks<Value>(
    of entry: PropertyListValue, as type: Value.Type
  ) -> Bool {
    var forms = OlderForms()
    return forms.anyValue(of: entry, as: type) != nil && forms.hasUnquoted
  }

  /// Returns the value of a type that is known to be `Serializable` only at run time.
  private mutating func anyValue<Value>(
    of stored: PropertyListValue, as type: Value.Type, _ form: Form = .entry
  ) -> Value? {
    func opened<Opened: Defaults.Serializable>(
      _ type: Opened.Type
    ) throws(ConversionError) -> Opened { try value(of: stored, as: form) }
    guard let type = type as? any Defaults.Serializable.Type else { return nil }
    return try? opened(type) as? Value
  }

  /// Returns the value that is stored in one place.
  mutating func value<Value: Defaults.Serializable>(
    of stored: PropertyListValue, as form: Form
  ) throws(ConversionError) -> Value {
    if form == .json, let value: Value = decoded(stored) { return value }
    if let type = Value.self as? any OlderFormContainer.Type {
      // The oldest versions stored whole collections as JSON text.
      if case .string = stored, !(type is any AnyOptional.Type) {
        if let value: Value = json(stored) { return value }
        if let structure = structure(stored) { return try value(of: structure, as: .json) }
      }
      if let value = try type.read(stored, as: form, by: &self) as? Value { return value }
    }
    if form == .quoted, Value.self == String.self {
      guard let content: String = json(stored), let value = content as? Value else {
        throw ConversionError("the entry isn't a string in quotation marks")
      }
      hasUnquoted = true
      return value
    }
    do throws(ConversionError) {
      return try ownValue(of: stored, as: form)
    } catch {
      if let value: Value = rawValue(of: stored) { return value }
      // As JSON text, any number would be a date, and any string a URL. Dates were stored as JSON
      // text only inside other values.
      let isJSON = (form == .quoted || Value.self != Date.self) && Value.self != URL.self
      // Bridges go first, because they are stricter than Foundation's decoding, as for a URL.
      if let structure = structure(stored),
        let value: Value = try? self.value(of: structure, as: isJSON ? .json : .entry)
      {
        return value
      }
      if isJSON, let value: Value = json(stored) { return value }
      throw error
    }
  }

  /// Returns the value as its bridge reads it; parts of it may be in an older form.
  private mutating func ownValue<Value: Defaults.Serializable>(
    of stored: PropertyListValue, as form: Form
  ) throws(ConversionError) -> Value {
    // Strings in a custom collection, or made by a custom bridge, were stored as they are.
    let form = form == .json ? form : .entry
    if let type = Value.self as? any Defaults.SetAlgebraSerializable.Type,
      let value = set(stored, type, as: form) as? Value
    {
      return value
    }
    guard Value.Bridge.Serializable.self != PropertyListValue.self else {
      return try Value.bridge.decode(stored)
    }
    let object: Value.Bridge.Serializable = try value(of: stored, as: form)
    guard let value = Value.bridge.deserialize(object) else {
      // `decode` throws the reason.
      return try Value.bridge.decode(stored)
    }
    return value
  }

  /// Returns the value of JSON text; nil if it isn't JSON, or the type can't be decoded.
  private func json<Value>(_ stored: PropertyListValue) -> Value? {
    guard case .string(let text) = stored, let type = Value.self as? any Decodable.Type else {
      return nil
    }
    return try? JSONDecoder().decode(type, from: Data(text.utf8)) as? Value
  }

  /// Returns the value of a part of JSON text for a `Codable` type; nil if the type can't decode
  /// it.
  private func decoded<Value>(_ part: PropertyListValue) -> Value? {
    guard let type = Value.self as? any Decodable.Type else { return nil }
    // `JSONDecoder` wrote data as base 64 and a date as a number of seconds, and so reads both.
    let object = FoundationPropertyList.object(of: part)
    guard JSONSerialization.isValidJSONObject([object]),
      let text = try? JSONSerialization.data(withJSONObject: object, options: .fragmentsAllowed)
    else { return nil }
    return try? JSONDecoder().decode(type, from: text) as? Value
  }

  /// Returns the content of JSON text, for a type that was `Codable` before; nil if it isn't JSON.
  private func structure(_ stored: PropertyListValue) -> PropertyListValue? {
    guard case .string(let text) = stored else { return nil }
    var reader = Defaults.JSONReader(Data(text.utf8))
    return try? reader.wholeValue()
  }

  /// Returns the value of a raw value, for a type that became `Codable` after it was stored.
  private mutating func rawValue<Value>(of stored: PropertyListValue) -> Value? {
    func represented<Opened: RawRepresentable>(_ type: Opened.Type) -> Opened? {
      anyValue(of: stored, as: Opened.RawValue.self).flatMap(Opened.init(rawValue:))
    }
    guard let type = Value.self as? any RawRepresentable.Type else { return nil }
    return represented(type) as? Value
  }

  private mutating func set<Value: Defaults.SetAlgebraSerializable>(
    _ stored: PropertyListValue, _ type: Value.Type, as form: Form
  ) -> Value? {
    anyValue(of: stored, as: [Value.Element].self, form).flatMap { try? Defaults.makeSet(of: $0) }
  }
}
