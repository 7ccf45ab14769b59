/// A container whose elements were stored one by one.
protocol OlderFormContainer {
  static func read(
    _ stored: PropertyListValue, as form: OlderForms.Form,
    by forms: inout OlderForms
  ) throws(ConversionError) -> Self
}

extension Optional: OlderFormContainer where Wrapped: Defaults.Serializable {
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
    try ArrayBridge(element: Element.bridge).decode(stored) { (stored) throws(ConversionError) in
      try forms.value(of: stored, as: form)
    }
  }
}

extension Set: OlderFormContainer where Element: Defaults.Serializable {
  static func read(
    _ stored: PropertyListValue, as form: OlderForms.Form,
    by forms: inout OlderForms
  ) throws(ConversionError) -> Self {
    // A set of property list values was stored as it is, in any place.
    try Defaults.makeSet(
      of: [Element].read(stored, as: form == .json ? form : .entry, by: &forms))
  }
}

extension Dictionary: OlderFormContainer
where Key: LosslessStringConvertible & Defaults.Serializable, Value: Defaults.Serializable {
  static func read(
    _ stored: PropertyListValue, as form: OlderForms.Form,
    by forms: inout OlderForms
  ) throws(ConversionError) -> Self {
    guard Key.self != String.self, form != .json else {
      return try readElements(stored, as: form, by: &forms)
    }
    // If the keys weren't strings, every value was converted, also a string. In our own form, a
    // string isn't in quotation marks, which tells the two forms apart.
    var attempt = forms
    if let value = try? readElements(stored, as: .quoted, by: &attempt) {
      forms = attempt
      return value
    }
    return try readElements(stored, as: .entry, by: &forms)
  }

  private static func readElements(
    _ stored: PropertyListValue, as form: OlderForms.Form,
    by forms: inout OlderForms
  ) throws(ConversionError) -> Self {
    try DictionaryBridge(element: Value.bridge).decode(stored) {
      (stored, _) throws(ConversionError) in try forms.value(of: stored, as: form)
    }
  }
}
