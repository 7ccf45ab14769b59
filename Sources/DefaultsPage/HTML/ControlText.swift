import Defaults
import DefaultsText

/// The text of a value in an HTML control, and the value of a text that a browser submits.
///
/// Characters that a control drops or replaces are escaped as in the settings command: `\u{D}`.
/// Line breaks are unchanged, since a value with line breaks has a text area.
enum ControlText {
  /// The name of a control. The first byte separates settings from the page's own fields.
  static func field(_ name: String) -> String { ":" + escaped(name) }

  /// The name of the setting of a field; nil for a field of the page.
  static func name(ofField field: String) -> String? {
    guard field.utf8.first == UInt8(ascii: ":") else { return nil }
    return unescaped(String(decoding: field.utf8.dropFirst(), as: UTF8.self))
  }

  /// The text of a value in a control.
  static func text(of value: String) -> String { escaped(value, except: ["\n"]) }

  /// The text of an empty choice: an escape without a number. No text is the text of nil.
  static let emptyChoice = #"\u{}"#

  /// The text of a choice in a control.
  static func text(ofChoice value: String) -> String {
    value.isEmpty ? emptyChoice : text(of: value)
  }

  /// The value that a row's control shows, before its characters are escaped.
  static func value(of row: Defaults.SettingsForm.Row) -> String {
    if case .choice = row.control, row.editedValue == "" { return emptyChoice }
    return row.editedValue ?? ""
  }

  /// The value of a submitted text.
  static func value(of text: String, as control: Defaults.SettingControl) -> String {
    // A browser submits each line break of a text area as two characters.
    let lines = text.replacing("\r\n", with: "\n")
    if case .date = control, let date = date(ofLocal: lines) { return date }
    return unescaped(lines)
  }

  // MARK: - Numbers and dates

  /// Whether a number field keeps a text: digits, a fraction and an exponent, but no infinity.
  static func isNumber(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { "0123456789-.e".unicodeScalars.contains($0) }
  }

  /// The text of a date in a field for a date and a time, in UTC: `2026-11-21T13:00`; nil if the
  /// field can't hold the date exactly.
  static func local(ofDate text: String) -> String? {
    guard text.wholeMatch(of: /[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z/) != nil,
      !text.hasPrefix("0000")
    else { return nil }
    return String(text.dropLast(text.hasSuffix(":00Z") ? 4 : 1))
  }

  private static func date(ofLocal text: String) -> String? {
    let form = /[0-9]{4,}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]+)?)?/
    guard let match = text.wholeMatch(of: form) else { return nil }
    return text + (match.1 == nil ? ":00Z" : "Z")
  }
}
