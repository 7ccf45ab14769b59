import Defaults
import DefaultsLayers
import DefaultsText

extension Defaults.SettingsForm {
  /// The settings of one group of names.
  public struct Section: Sendable {
    /// The name of the group: `editor` for `editor.tabWidth`; empty for names without a dot.
    public let name: String
    /// The title, made of the name.
    public let title: String
    /// The settings of the group.
    public let rows: [Row]
  }

  /// A setting at one instant.
  public struct Row: Sendable, Identifiable {
    /// The name of the setting.
    public let name: String
    /// The title, made of the name: `editor.tabWidth` gives "Tab Width".
    public let title: String
    /// The one-line description; nil if the declaration has none.
    public let about: String?
    /// A description of the texts that ``submit(_:resetting:)`` accepts.
    public let acceptedValues: String
    /// The kind of control for the value.
    public let control: Defaults.SettingControl
    /// Whether the value can be set to nil.
    public let isOptional: Bool
    /// Whether the setting must be set, because it has no default.
    public let isRequired: Bool
    /// Whether the value is secret. The form doesn't show it, but can replace or remove it.
    public let isSecret: Bool
    /// The value in effect as the user would type it; nil if the value is nil, and for a secret.
    public let value: String?
    /// The value that the user edits, which layers above may override; nil if the value is nil, and
    /// for a secret.
    public let editedValue: String?
    /// The default as the user would type it; nil if the default is nil, if there is no default,
    /// and for a secret.
    public let defaultValue: String?
    /// The name of the layer whose value is in effect; see ``LayerEntry/layer``.
    public let layer: String
    /// The exact place of the value: a file, a variable, an argument; nil for a default.
    public let place: String?
    /// Whether the writable layer has an entry, even if it equals the default.
    public let isChanged: Bool
    /// Whether the setting is managed by an administrator and can't be changed.
    public let isManaged: Bool
    /// Whether a layer above the writable one overrides the setting, so that changes have no
    /// effect.
    public let isOverridden: Bool
    /// The reason why an entry is invalid or a required value is missing; nil if all is well.
    public let problem: String?

    /// The name.
    public var id: String { name }
  }

  /// Returns the settings at this instant by group. The settings without a group come first.
  ///
  /// - Parameter query: Words that a setting must contain in its name, title, description, choices
  ///   or value, in any letter case; and filters: `@changed`, `@managed`, `@invalid`,
  ///   `@layer:NAME`. All settings match an empty text.
  /// - Returns: The sections that have matching settings.
  /// - Complexity: Several microseconds for each setting. Reads only memory.
  public func sections(matching query: String = "") -> [Section] {
    let query = FormQuery(query)
    var sections: [Section] = []
    var rows: [Row] = []
    var group = ""
    func end() {
      guard !rows.isEmpty else { return }
      sections.append(
        Section(name: group, title: Self.title(ofGroup: group), rows: rows))
      rows = []
    }
    for setting in settings {
      if setting.group != group { end() }
      group = setting.group
      let row = row(of: setting)
      if query.matches(row, setting) { rows.append(row) }
    }
    end()
    return sections
  }

  /// Returns the current state of a setting.
  func row(of setting: Setting) -> Row {
    let (key, description) = (setting.key, setting.description)
    let entries = suite.inspect(key)
    let counting = entries.first(where: \.counts)
    let isSecret = suite.isSecret(key)
    func text(_ entry: Defaults.LayerEntry?) -> String? {
      guard !isSecret, let entry, let value = entry.entry else { return nil }
      // Only a layer of texts may have another spelling of the value.
      if entry.isWritable || entry.layer == "default" { return entry.text }
      return key.text(showing: value)
    }
    let value = text(counting)
    let isOverridden = suite.isShadowed(key)
    let stored = entries.first(where: \.isWritable)
    var edited = value
    if isOverridden {
      let rest = entries.drop { !$0.isWritable }
      edited = text(rest.first { $0.error == nil && $0.entry != nil })
    }
    return Row(
      name: key.name, title: setting.title, about: description.about,
      acceptedValues: description.acceptedValues, control: setting.control,
      isOptional: description.isOptional, isRequired: description.isRequired, isSecret: isSecret,
      value: value, editedValue: edited,
      defaultValue: isSecret ? nil : description.defaultText,
      layer: counting?.layer ?? "default", place: counting?.place,
      isChanged: stored.map { $0.entry != nil || $0.error != nil } ?? false,
      isManaged: suite.isManaged(key), isOverridden: isOverridden,
      problem: problem(of: setting, entries, isSecret: isSecret))
  }

  private func problem(
    of setting: Setting, _ entries: [Defaults.LayerEntry], isSecret: Bool
  ) -> String? {
    if let invalid = entries.first(where: { $0.error != nil }), let error = invalid.error {
      // The reason may quote the value.
      let reason = isSecret ? "It must be \(setting.description.acceptedValues)" : error.reason
      return [invalid.place, reason].compactMap(\.self).joined(separator: ": ")
    }
    guard setting.description.isRequired, !entries.contains(where: \.counts) else { return nil }
    return "The setting is required and has no value"
  }
}
