import Foundation

extension Defaults {
  /// Reads the forms in which the typed facades for `UserDefaults` stored a value.
  ///
  /// They stored what a property list has as it is, and most other values as JSON text, also as
  /// elements of arrays and dictionaries. Which of the two it was depended on the type around the
  /// value and on the version. The guide "Coming from other libraries" lists the forms.
  struct OlderForms {
    /// Whether a string was found in quotation marks, as JSON text, and read without them: reading
    /// it as it is would have succeeded, too, and given another string.
    private var hasUnquoted = false

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
      of stored: PropertyListValue, as type: Value.Type
    ) -> Value? {
      guard let type = type as? any Serializable.Type else { return nil }
      return try? opened(stored, as: type) as? Value
    }

    private mutating func opened<Value: Serializable>(
      _ stored: PropertyListValue, as type: Value.Type
    ) throws(ConversionError) -> Value {
      try value(of: stored, isQuoted: false)
    }

    /// The value of what is stored at one place; `isQuoted` says that strings are JSON text there.
    fileprivate mutating func value<Value: Serializable>(
      of stored: PropertyListValue, isQuoted: Bool
    ) throws(ConversionError) -> Value {
      if let type = Value.self as? any OlderFormContainer.Type {
        // The oldest versions stored whole collections as JSON text.
        if type.isCollection, case .string = stored {
          if let value: Value = json(stored) { return value }
          if let structure = structure(stored) { return try value(of: structure, isQuoted: false) }
        }
        if let value = try type.read(stored, isQuoted: isQuoted, by: &self) as? Value {
          return value
        }
      }
      if isQuoted, Value.self == String.self {
        guard let content: String = json(stored), let value = content as? Value else {
          throw ConversionError("it isn't a string in quotation marks")
        }
        hasUnquoted = true
        return value
      }
      do throws(ConversionError) {
        return try ownValue(of: stored)
      } catch {
        if let value: Value = rawValue(of: stored) { return value }
        // Bridges are stricter than what Foundation decodes, as with a URL.
        if let structure = structure(stored),
          let value: Value = try? self.value(of: structure, isQuoted: false)
        {
          return value
        }
        // The text of a date would be any number. Dates were stored as text within others only.
        if isQuoted || Value.self != Date.self, Value.self != URL.self,
          let value: Value = json(stored)
        {
          return value
        }
        throw error
      }
    }

    /// The value as its bridge reads it, where what lies below that may be in an older form.
    private mutating func ownValue<Value: Serializable>(
      of stored: PropertyListValue
    ) throws(ConversionError) -> Value {
      if let type = Value.self as? any CollectionSerializable.Type,
        let value = collection(stored, type) as? Value
      {
        return value
      }
      if let type = Value.self as? any SetAlgebraSerializable.Type,
        let value = set(stored, type) as? Value
      {
        return value
      }
      guard Value.Bridge.Serializable.self != PropertyListValue.self else {
        return try Value.bridge.decode(stored)
      }
      let object: Value.Bridge.Serializable = try value(of: stored, isQuoted: false)
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
      _ stored: PropertyListValue, _ type: Value.Type
    ) -> Value? {
      guard let elements = elements(stored, of: Value.Element.self) else { return nil }
      let value = Value(elements)
      return value.count == elements.count ? value : nil
    }

    private mutating func set<Value: SetAlgebraSerializable>(
      _ stored: PropertyListValue, _ type: Value.Type
    ) -> Value? {
      guard let elements = elements(stored, of: Value.Element.self) else { return nil }
      var value = Value()
      for element in elements where !value.insert(element).inserted { return nil }
      return value
    }

    /// The elements of an array; nil if there is one that can't be read.
    private mutating func elements<Element>(
      _ stored: PropertyListValue, of type: Element.Type
    ) -> [Element]? {
      guard case .array(let stored) = stored else { return nil }
      var elements: [Element] = []
      for element in stored {
        guard let element = anyValue(of: element, as: type) else { return nil }
        elements.append(element)
      }
      return elements
    }
  }
}

// MARK: - Collections

/// A type whose elements were stored one by one.
private protocol OlderFormContainer {
  /// Whether it is stored as something of its own, as an optional isn't.
  static var isCollection: Bool { get }
  static func read(
    _ stored: Defaults.PropertyListValue, isQuoted: Bool, by forms: inout Defaults.OlderForms
  ) throws(Defaults.ConversionError) -> Self
}

extension OlderFormContainer {
  static var isCollection: Bool { true }
}

extension Optional: OlderFormContainer where Wrapped: Defaults.Serializable {
  fileprivate static var isCollection: Bool { false }

  fileprivate static func read(
    _ stored: Defaults.PropertyListValue, isQuoted: Bool, by forms: inout Defaults.OlderForms
  ) throws(Defaults.ConversionError) -> Self {
    // A nil was never stored, nor was there a sign of it.
    do throws(Defaults.ConversionError) {
      return .some(try forms.value(of: stored, isQuoted: isQuoted))
    } catch {
      guard case .array(let elements) = stored, elements.count < 2 else { throw error }
      guard let element = elements.first else { return nil }
      return .some(try forms.value(of: element, isQuoted: isQuoted))
    }
  }
}

extension Array: OlderFormContainer where Element: Defaults.Serializable {
  fileprivate static func read(
    _ stored: Defaults.PropertyListValue, isQuoted: Bool, by forms: inout Defaults.OlderForms
  ) throws(Defaults.ConversionError) -> Self {
    guard case .array(let elements) = stored else { throw .mismatch(stored, expected: "an array") }
    var value: [Element] = []
    value.reserveCapacity(elements.count)
    for element in elements { value.append(try forms.value(of: element, isQuoted: isQuoted)) }
    return value
  }
}

extension Set: OlderFormContainer where Element: Defaults.Serializable {
  fileprivate static func read(
    _ stored: Defaults.PropertyListValue, isQuoted: Bool, by forms: inout Defaults.OlderForms
  ) throws(Defaults.ConversionError) -> Self {
    // A set of what a property list has was stored as it is, wherever it stood.
    let elements = try [Element].read(stored, isQuoted: false, by: &forms)
    let value = Set(elements)
    guard value.count == elements.count else {
      throw Defaults.ConversionError("two elements of the set are equal")
    }
    return value
  }
}

extension Dictionary: OlderFormContainer
where Key: LosslessStringConvertible & Defaults.Serializable, Value: Defaults.Serializable {
  fileprivate static func read(
    _ stored: Defaults.PropertyListValue, isQuoted: Bool, by forms: inout Defaults.OlderForms
  ) throws(Defaults.ConversionError) -> Self {
    guard case .dictionary(let elements) = stored else {
      throw .mismatch(stored, expected: "a dictionary")
    }
    guard Key.self != String.self else {
      return try read(elements, isQuoted: isQuoted, by: &forms)
    }
    // With keys that aren't strings, every value was converted, strings too; or it is of our own
    // form, and then a string that isn't in quotation marks tells.
    var attempt = forms
    if let value = try? read(elements, isQuoted: true, by: &attempt) {
      forms = attempt
      return value
    }
    return try read(elements, isQuoted: false, by: &forms)
  }

  private static func read(
    _ elements: [String: Defaults.PropertyListValue], isQuoted: Bool,
    by forms: inout Defaults.OlderForms
  ) throws(Defaults.ConversionError) -> Self {
    var value: Self = [:]
    for (name, element) in elements {
      guard let key = Key(name) else {
        throw Defaults.ConversionError("\"\(name)\" isn't the name of a key of type \(Key.self)")
      }
      let element: Value = try forms.value(of: element, isQuoted: isQuoted)
      guard value.updateValue(element, forKey: key) == nil else {
        throw Defaults.ConversionError("\"\(name)\" and another name stand for the same key")
      }
    }
    return value
  }
}
