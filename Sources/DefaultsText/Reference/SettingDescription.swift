import Defaults

extension Defaults {
  /// The declaration of a setting, as sample files, reference pages and settings bundles show it.
  package struct SettingDescription: Sendable {
    package let name: String
    /// The one-line description; nil if the declaration has none.
    package let about: String?
    package let acceptedValues: String
    /// The text and the entry of the default; nil for nil, and for a setting that is required or
    /// generated once.
    package let defaultText: String?
    package let defaultEntry: PropertyListValue?
    package let isRequired: Bool
    /// Whether the program generates and stores the first value.
    package let isGenerated: Bool
    package let isSecret: Bool
    /// Whether the value can be set to nil. A key that stores nothing for nil reads its default.
    package var isOptional: Bool {
      form.isOptional && (form.storesNil || defaultEntry == nil && !isGenerated)
    }
    let form: KeyForm
    /// Returns whether an entry is an allowed value.
    let accepts: @Sendable (PropertyListValue) -> Bool

    package init(_ key: AnyKey) {
      name = key.name
      about = key.about
      acceptedValues = key.acceptedValues
      isRequired = key.isRequired
      isSecret = key.isSecret
      form = key.typed.form
      accepts = { key.problem(with: $0) == nil }
      isGenerated = key.hasGeneratedDefault
      // A secret's default isn't printed, nor one that differs each time.
      let hasDefault = !key.isSecret && !isGenerated
      defaultText = hasDefault ? key.defaultText : nil
      defaultEntry = hasDefault ? key.entryOfDefault : nil
    }

    /// The lines of a comment about the setting, with values as the user types them.
    package var comment: [String] { comment(values: acceptedValues, defaultText: defaultText) }

    /// The lines of a comment about the setting, with dates and data as they are written in JSON.
    var commentInJSON: [String] {
      var values = acceptedValues
      switch form.shape.stored {
      case .date, .array(.date), .set(.date):
        let example = "2026-11-21T13:00:00Z"
        values.replace(example, with: "{\"$date\":\"\(example)\"}")
      case .data: values.replace("base 64", with: #"base 64, such as {"$data":"AAEC"}"#)
      default: return comment
      }
      return comment(values: values, defaultText: defaultEntry.map(EntryText.json))
    }

    private func comment(values: String, defaultText: String?) -> [String] {
      let values = isSecret ? "secret; \(values)" : values
      let fallback =
        if isRequired {
          "required"
        } else if isGenerated {
          "generated at first use"
        } else {
          defaultText.map { "by default \($0.isEmpty ? "empty" : $0)" } ?? "not set by default"
        }
      return ([about].compactMap(\.self) + ["\(values.capitalizedStart); \(fallback)"])
        .flatMap { $0.split(whereSeparator: \.isNewline).map(String.init) }
        .map { escapedMessage($0) }
    }
  }
}
