import Foundation

extension Defaults {
  /// Reads the forms in which the typed facades for `UserDefaults` stored a value.
  ///
  /// They stored what a property list has as it is, and most other values as JSON text, also as
  /// elements of arrays and dictionaries. Which of the two it was depended on the type around the
  /// value and on the version. The article "Coming from Defaults" lists the forms.
  struct OlderForms {
    /// Whether a string was found in quotation marks, as JSON text, and read without them: reading
    /// it as it is would have succeeded, too, and given another string.
    private var hasUnquoted = false

    /// How the facades wrote what is in one place.
    enum Form {
      /// As an entry, or an element of one.
      case entry
      /// As an element under a key that isn't a string: a string is JSON text.
      case quoted
      /// As a part of JSON text, which was parsed: data is base 64, a date a number of seconds.
      case json
    }

    /// The value of an entry: as `own` reads it, or else in one of the older forms.
    ///
    /// Throws what `own` throws if the entry has none of the forms either.
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

    /// Whether reading an entry takes off quotation marks that may be meant.
    static func takesOffQuotationMarks<Value>(
      of entry: PropertyListValue, as type: Value.Type
    ) -> Bool {
      var forms = OlderForms()
      return forms.anyValue(of: entry, as: type) != nil && forms.hasUnquoted
    }

    /// The value of a type that may be `Serializable`, which only the running program knows.
    private mutating func anyValue<Value>(
      of stored: PropertyListValue, as type: Value.Type, _ form: Form = .entry
    ) -> Value? {
      guard let type = type as? any Serializable.Type else { return nil }
      return try? opened(stored, as: type, form) as? Value
    }

    private mutating func opened<Value: Serializable>(
      _ stored: PropertyListValue, as type: Value.Type, _ form: Form
    ) throws(ConversionError) -> Value {
      try value(of: stored, as: form)
    }

    /// The value of what is stored at one place.
    mutating func value<Value: Serializable>(
      of stored: PropertyListValue, as form: Form
    ) throws(ConversionError) -> Value {
      if form == .json, let value: Value = decoded(stored) { return value }
      if let type = Value.self as? any OlderFormContainer.Type {
        // The oldest versions stored whole collections as JSON text.
        if type.isCollection, case .string = stored {
          if let value: Value = json(stored) { return value }
          if let structure = structure(stored) { return try value(of: structure, as: .json) }
        }
        if let value = try type.read(stored, as: form, by: &self) as? Value {
          return value
        }
      }
      if form == .quoted, Value.self == String.self {
        guard let content: String = json(stored), let value = content as? Value else {
          throw ConversionError("it isn't a string in quotation marks")
        }
        hasUnquoted = true
        return value
      }
      do throws(ConversionError) {
        return try ownValue(of: stored, as: form)
      } catch {
        if let value: Value = rawValue(of: stored) { return value }
        // The text of a date would be any number, and that of a URL any string. Dates were stored as
        // text within others only.
        let isJSON = (form == .quoted || Value.self != Date.self) && Value.self != URL.self
        // Bridges are stricter than what Foundation decodes, as with a URL.
        if let structure = structure(stored),
          let value: Value = try? self.value(of: structure, as: isJSON ? .json : .entry)
        {
          return value
        }
        if isJSON, let value: Value = json(stored) { return value }
        throw error
      }
    }

    /// The value as its bridge reads it, where what lies below that may be in an older form.
    private mutating func ownValue<Value: Serializable>(
      of stored: PropertyListValue, as form: Form
    ) throws(ConversionError) -> Value {
      // Strings of these collections were stored as they are, wherever they were.
      let form = form == .json ? form : .entry
      if let type = Value.self as? any CollectionSerializable.Type,
        let value = collection(stored, type, as: form) as? Value
      {
        return value
      }
      if let type = Value.self as? any SetAlgebraSerializable.Type,
        let value = set(stored, type, as: form) as? Value
      {
        return value
      }
      guard Value.Bridge.Serializable.self != PropertyListValue.self else {
        return try Value.bridge.decode(stored)
      }
      let object: Value.Bridge.Serializable = try value(of: stored, as: form)
      guard let value = Value.bridge.deserialize(object) else {
        // It says why.
        return try Value.bridge.decode(stored)
      }
      return value
    }

    /// The value of JSON text; nil if it is none, or the type can't be decoded.
    private func json<Value>(_ stored: PropertyListValue) -> Value? {
      guard case .string(let text) = stored, let type = Value.self as? any Decodable.Type else {
        return nil
      }
      return try? JSONDecoder().decode(type, from: Data(text.utf8)) as? Value
    }

    /// The value of a part of JSON text, for a type that `Codable` read there; nil if it isn't one.
    private func decoded<Value>(_ part: PropertyListValue) -> Value? {
      guard let type = Value.self as? any Decodable.Type else { return nil }
      // `JSONDecoder` says what it meant: that data is base 64, and a date a number of seconds.
      let object = [FoundationPropertyList.object(of: part)]
      guard JSONSerialization.isValidJSONObject(object),
        let text = try? JSONSerialization.data(withJSONObject: object)
      else { return nil }
      func element<Element: Decodable>(_ type: Element.Type) -> Element? {
        (try? JSONDecoder().decode([Element].self, from: text))?.first
      }
      return element(type) as? Value
    }

    /// What JSON text has in it, for a type that was `Codable` when it was stored; nil if it isn't
    /// JSON.
    private func structure(_ stored: PropertyListValue) -> PropertyListValue? {
      guard case .string(let text) = stored,
        let entries = try? JSONFormat().decode(Data(#"{"":[\#(text)]}"#.utf8)),
        // Or else it was text to end the array with.
        entries.count == 1, case .array(let values) = entries[""], values.count == 1
      else { return nil }
      return values[0]
    }

    /// The value of a raw value, for a type that was stored by it before it became `Codable`.
    private mutating func rawValue<Value>(of stored: PropertyListValue) -> Value? {
      guard let type = Value.self as? any RawRepresentable.Type else { return nil }
      return represented(stored, type) as? Value
    }

    private mutating func represented<Value: RawRepresentable>(
      _ stored: PropertyListValue, _ type: Value.Type
    ) -> Value? {
      anyValue(of: stored, as: Value.RawValue.self).flatMap(Value.init(rawValue:))
    }

    private mutating func collection<Value: CollectionSerializable>(
      _ stored: PropertyListValue, _ type: Value.Type, as form: Form
    ) -> Value? {
      guard let elements = elements(stored, of: Value.Element.self, as: form) else { return nil }
      let value = Value(elements)
      return value.count == elements.count ? value : nil
    }

    private mutating func set<Value: SetAlgebraSerializable>(
      _ stored: PropertyListValue, _ type: Value.Type, as form: Form
    ) -> Value? {
      guard let elements = elements(stored, of: Value.Element.self, as: form) else { return nil }
      var value = Value()
      for element in elements where !value.insert(element).inserted { return nil }
      return value
    }

    /// The elements of an array; nil if there is one that can't be read.
    private mutating func elements<Element>(
      _ stored: PropertyListValue, of type: Element.Type, as form: Form
    ) -> [Element]? {
      guard case .array(let stored) = stored else { return nil }
      var elements: [Element] = []
      for element in stored {
        guard let element = anyValue(of: element, as: type, form) else { return nil }
        elements.append(element)
      }
      return elements
    }
  }
}
