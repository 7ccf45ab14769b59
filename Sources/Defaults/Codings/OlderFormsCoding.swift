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

private struct OlderFormsBridge<Value: Defaults.Serializable>: ReadingBridge {
  private let own = Defaults.Coding(Value.bridge)

  var shape: Defaults.Shape { .either(own.shape, or: [.any]) }

  var canRemove: Bool { own.canRemove }

  func encode(_ value: Value) throws(ConversionError) -> PropertyListValue {
    let stored = try own.encode(value)
    try check(stored)
    return stored
  }

  func edit(for value: Value) throws(ConversionError) -> Edit {
    let edit = try own.edit(for: value)
    if let stored = edit.entry { try check(stored) }
    return edit
  }

  func value(
    of stored: PropertyListValue,
    by read: (Defaults.Coding<Value>) throws(ConversionError) -> Value
  ) throws(ConversionError) -> Value {
    try OlderForms.value(ofEntry: stored) { () throws(ConversionError) in try read(own) }
  }

  private func check(_ stored: PropertyListValue) throws(ConversionError) {
    guard OlderForms.takesOffQuotationMarks(of: stored, as: Value.self) else { return }
    throw ConversionError("reading the value as an older form would remove its quotation marks")
  }
}
