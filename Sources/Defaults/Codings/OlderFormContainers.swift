/// A container whose elements were stored one by one.
protocol OlderFormContainer {
  /// Whether the type is stored as a collection; false for an optional.
  static var isCollection: Bool { get }
  static func read(
    _ stored: PropertyListValue, as form: OlderForms.Form,
    by forms: inout OlderForms
  ) throws(ConversionError) -> Self
}

extension OlderFormContainer {
  static var isCollection: Bool { true }
}

extension Optional: OlderFormContainer where Wrapped: Defaults.Serializable {
  static var isCollection: Bool { false }

  static func read(
    _ stored: PropertyListValue, as form: OlderForms.Form,
    by forms: inout OlderForms
  ) throws(ConversionError) -> Self {
    // The older forms have no nil, and no mark of an optional.
    do throws(ConversionError) {
      return .some(try forms.value(of: stored, as: form))
    } catch {
      guard case .array(let elements) = stored, elements.count < 2 else { throw error }
      guard let element = elements.first else { return nil }
      return .some(try forms.value(of: element, as: form))
    }
  }
}

extension Array: OlderFormContainer where Element: Defaults.Serializable {
  static func read(
    _ stored: PropertyListValue, as form: OlderForms.Form,
    by forms: inout OlderForms
  ) throws(ConversionError) -> Self {
    guard case .array(let elements) = stored else { throw .mismatch(stored, expected: "an array") }
    var value: [Element] = []
    value.reserveCapacity(elements.count)
    for element in elements { value.append(try forms.value(of: element, as: form)) }
    return value
  }
}

extension Set: OlderFormContainer where Element: Defaults.Serializable {
  static func read(
    _ stored: PropertyListValue, as form: OlderForms.Form,
    by forms: inout OlderForms
  ) throws(ConversionError) -> Self {
    // A set of property list values was stored as it is, in any place.
    let elements = try [Element].read(stored, as: form == .json ? form : .entry, by: &forms)
    let value = Set(elements)
    guard value.count == elements.count else {
      throw ConversionError("two elements of the set are equal")
    }
    return value
  }
}

extension Dictionary: OlderFormContainer
where Key: LosslessStringConvertible & Defaults.Serializable, Value: Defaults.Serializable {
  static func read(
    _ stored: PropertyListValue, as form: OlderForms.Form,
    by forms: inout OlderForms
  ) throws(ConversionError) -> Self {
    guard case .dictionary(let elements) = stored else {
      throw .mismatch(stored, expected: "a dictionary")
    }
    guard Key.self != String.self, form != .json else {
      return try read(elements, as: form, by: &forms)
    }
    // If the keys weren't strings, every value was converted, also a string. In our own form, a
    // string isn't in quotation marks, which tells the two forms apart.
    var attempt = forms
    if let value = try? read(elements, as: .quoted, by: &attempt) {
      forms = attempt
      return value
    }
    return try read(elements, as: .entry, by: &forms)
  }

  private static func read(
    _ elements: [String: PropertyListValue], as form: OlderForms.Form,
    by forms: inout OlderForms
  ) throws(ConversionError) -> Self {
    var value: Self = [:]
    for (name, element) in elements {
      guard let key = Key(name) else {
        throw ConversionError("\"\(name)\" isn't the name of a key of type \(Key.self)")
      }
      let element: Value = try forms.value(of: element, as: form)
      guard value.updateValue(element, forKey: key) == nil else {
        throw ConversionError("\"\(name)\" and another name stand for the same key")
      }
    }
    return value
  }
}
