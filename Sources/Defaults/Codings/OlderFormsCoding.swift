extension Defaults.Coding where Value: Defaults.Serializable {
  /// Reads every form in which other libraries for typed access to `UserDefaults` stored a value;
  /// writes the form of the type's own bridge.
  ///
  /// Use it for settings that remain where those libraries stored them. `importUserDefaults` with
  /// keys reads the same forms without this coding.
  ///
  /// ```swift
  /// let old = Defaults.UserDefaultsSuite(.standard)
  /// let home = Defaults.Key("home", default: page, coding: .readingOlderForms, suite: old)
  /// ```
  ///
  /// If the keys of a dictionary aren't strings, and all its values that are strings are in
  /// quotation marks, the values are read without the marks. Storing such a dictionary is rejected,
  /// because its values would be read back without the marks.
  public static var readingOlderForms: Self { Self(OlderFormsBridge()) }
}

private struct OlderFormsBridge<Value: Defaults.Serializable>: Defaults.PropertyListBridge {
  var shape: Defaults.Shape { .either(Value.bridge.shape, or: [.any]) }

  var canRemove: Bool { Value.bridge.canRemove }

  func encode(_ value: Value) throws(Defaults.ConversionError) -> Defaults.PropertyListValue {
    let stored = try Value.bridge.encode(value)
    try check(stored)
    return stored
  }

  func decode(_ stored: Defaults.PropertyListValue) throws(Defaults.ConversionError) -> Value {
    try Defaults.OlderForms.value(ofEntry: stored) { () throws(Defaults.ConversionError) in
      try Value.bridge.decode(stored)
    }
  }

  func decode(
    _ stored: Defaults.PropertyListValue, fillingFrom defaults: [Value]
  ) throws(Defaults.ConversionError) -> Value {
    try Defaults.OlderForms.value(ofEntry: stored) { () throws(Defaults.ConversionError) in
      try Value.bridge.decode(stored, fillingFrom: defaults)
    }
  }

  func value(
    ofEntry entry: Defaults.PropertyListValue, fillingFrom defaults: [Value]
  ) throws(Defaults.ConversionError) -> Value {
    try Defaults.OlderForms.value(ofEntry: entry) { () throws(Defaults.ConversionError) in
      try Value.bridge.value(ofEntry: entry, fillingFrom: defaults)
    }
  }

  func edit(for value: Value) throws(Defaults.ConversionError) -> Defaults.Edit {
    let edit = try Value.bridge.edit(for: value)
    if let stored = edit.entry { try check(stored) }
    return edit
  }

  func value(
    ofEntry entry: Defaults.PropertyListValue
  ) throws(Defaults.ConversionError) -> Value {
    try Defaults.OlderForms.value(ofEntry: entry) { () throws(Defaults.ConversionError) in
      try Value.bridge.value(ofEntry: entry)
    }
  }

  private func check(_ stored: Defaults.PropertyListValue) throws(Defaults.ConversionError) {
    guard Defaults.OlderForms.takesOffQuotationMarks(of: stored, as: Value.self) else { return }
    throw Defaults.ConversionError(
      "reading the value as an older form would remove its quotation marks")
  }
}
