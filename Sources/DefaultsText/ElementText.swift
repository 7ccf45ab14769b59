import Defaults

extension Defaults {
  /// A change of the elements of a collection.
  package enum ElementChange: Sendable { case replacing, adding, removing }

  /// An entry as one line of JSON.
  package static func jsonText(of entry: PropertyListValue) -> String { EntryText.json(entry) }
}

extension Defaults.KeyBase {
  /// The stored form of the current value in a suite, whether it is stored or not; nil for nil.
  package func entryOfValue(in suite: any Defaults.Suite) -> Defaults.PropertyListValue? {
    typed.valueEntry(in: suite)
  }

  /// Whether the value in a suite is the default.
  package func isDefaultValue(in suite: any Defaults.Suite) -> Bool {
    typed.valueEntry(in: suite) == typed.defaultEntry
  }

  /// The edit that stores an entry. Throws `invalid` if the entry isn't a valid value of the key.
  package func edit(
    ofEntry entry: Defaults.PropertyListValue, in suite: any Defaults.Suite
  ) throws(Defaults.SuiteError) -> Defaults.Edit {
    try typed.edit(forStored: entry, in: suite, mayLackFields: true)
  }

  /// The edit that stores texts as the whole value. Several texts are elements. One text is the
  /// value, as in ``set(text:)``, or the only element if the value must be JSON and the text isn't
  /// JSON.
  package func edit(
    ofTexts texts: [String], in suite: any Defaults.Suite
  ) throws(Defaults.SuiteError) -> Defaults.Edit {
    guard texts.count == 1, let text = texts.first, !isElement(text) else {
      return try edit(ofElements: texts, .replacing, in: suite)
    }
    return try edit(ofText: text, in: suite)
  }

  /// Whether a text doesn't look like JSON, in a collection that is written as JSON.
  private func isElement(_ text: String) -> Bool {
    let first = text.first { !$0.isWhitespace }
    return switch typed.form.shape.stored {
    case .dictionary: first != "{"
    case .array(let element), .set(let element): !element.isScalar && first != "["
    default: false
    }
  }

  /// The edit that changes elements of a collection, starting from the default if there is no
  /// entry. Elements of a dictionary are `KEY=VALUE`, and their keys when they are removed.
  package func edit(
    ofElements texts: [String], _ deed: Defaults.ElementChange,
    of entry: Defaults.PropertyListValue? = nil, in suite: any Defaults.Suite
  ) throws(Defaults.SuiteError) -> Defaults.Edit {
    let present = deed == .replacing ? nil : typed.entry(forReadingOf: entry, in: suite)
    switch typed.form.shape.stored {
    case .array(let shape), .set(let shape):
      var elements: [Defaults.PropertyListValue] = []
      if case .array(let present) = present { elements = present }
      let isSet = if case .set = typed.form.shape.stored { true } else { false }
      for text in texts {
        let element = ownForm(ofElement: try element(of: text, as: shape, in: suite), in: suite)
        if deed == .removing {
          guard elements.contains(element) else { throw missing(text, in: suite) }
          elements.removeAll { $0 == element }
        } else if !isSet || !elements.contains(element) {
          elements.append(element)
        }
      }
      return try typed.edit(forStored: .array(elements), in: suite, mayLackFields: true)
    case .dictionary(let shape):
      var elements: [String: Defaults.PropertyListValue] = [:]
      if case .dictionary(let present) = present { elements = present }
      for text in texts {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts[0])
        if deed == .removing {
          guard elements.removeValue(forKey: text) != nil else { throw missing(text, in: suite) }
        } else if parts.count == 2 {
          elements[name] = try element(of: String(parts[1]), as: shape, in: suite)
        } else {
          throw Defaults.SuiteError(
            .invalid,
            "The elements must be written as KEY=VALUE"
              + (suite.isSecret(self) ? "" : ", not \"\(text)\""),
            suite: suite.label, key: self.name)
        }
      }
      return try typed.edit(
        forStored: .dictionary(elements), in: suite, mayLackFields: true)
    default:
      throw Defaults.SuiteError(
        .invalid, "It must be one value: \(acceptedValues)", suite: suite.label, key: name)
    }
  }

  /// An element of an array or set in the form in which the key writes it, so that elements with
  /// different spellings can be compared. An invalid element is unchanged.
  func ownForm(
    ofElement element: Defaults.PropertyListValue, in suite: any Defaults.Suite
  ) -> Defaults.PropertyListValue {
    // An array that is stored beside nil isn't an entry as it is.
    guard !typed.form.storesNil,
      case .array(let elements)? = typed.ownForm(of: .array([element]), in: suite),
      elements.count == 1
    else { return element }
    return elements[0]
  }

  private func element(
    of text: String, as shape: Defaults.Shape, in suite: any Defaults.Suite
  ) throws(Defaults.SuiteError) -> Defaults.PropertyListValue {
    do throws(Defaults.TextError) {
      if shape.isScalar { return try Defaults.EntryText.scalar(text, as: shape.stored) }
      let entries = try Defaults.EntryText.entries(of: text, as: shape)
      if let first = entries.first { return first }
      throw Defaults.TextError(found: text)
    } catch {
      throw refusal(of: error, in: suite)
    }
  }

  private func missing(_ text: String, in suite: any Defaults.Suite) -> Defaults.SuiteError {
    Defaults.SuiteError(
      .invalid,
      suite.isSecret(self)
        ? "The setting has no such element" : "The setting has no element \"\(text)\"",
      suite: suite.label, key: name)
  }
}
