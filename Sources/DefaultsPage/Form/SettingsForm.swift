import Defaults
import DefaultsLayers
import DefaultsText

extension Defaults {
  /// All settings of a program with what a user needs to see and change them: titles, descriptions,
  /// controls, values and their sources.
  ///
  /// ```swift
  /// let form = Defaults.SettingsForm(.standard, schema: Preferences.self)
  /// for section in form.sections(matching: "tab @changed") {
  ///   for row in section.rows { print(row.title, row.value ?? "") }
  /// }
  /// let problems = form.submit(["editor.tabWidth": "8"])
  /// ```
  ///
  /// The form itself prints nothing. ``html(title:matching:)`` and ``json(matching:)`` return its
  /// settings as text, and ``SettingsPage`` serves them to browsers. None of them contains the
  /// value of a secret.
  public struct SettingsForm: Sendable {
    let suite: any Suite
    let settings: [Setting]
    private let indices: [String: Int]

    /// A setting with the parts of its declaration.
    struct Setting: Sendable {
      let key: AnyKey
      let description: SettingDescription
      let title: String
      let control: SettingControl
      /// The name of the group, which is the name before the last dot.
      let group: String
      /// The parts of the declaration in which a search looks.
      let searched: [String]
    }

    /// Creates a form of keys.
    ///
    /// - Parameters:
    ///   - suite: The suite that the form reads and changes.
    ///   - keys: The settings, in the order of the form.
    public init(_ suite: some Suite, keys: [AnyKey]) {
      self.suite = suite
      for key in keys { key.introduce(to: suite) }
      let groups = keys.map(SettingDescription.init).groups
      var keysByName = [String: AnyKey](minimumCapacity: keys.count)
      for key in keys where keysByName[key.name] == nil { keysByName[key.name] = key }
      var settings: [Setting] = []
      var indices = [String: Int](minimumCapacity: keys.count)
      for group in groups {
        for description in group.settings where indices[description.name] == nil {
          guard let key = keysByName[description.name] else { continue }
          indices[description.name] = settings.count
          settings.append(Setting(key, description, group: group.name))
        }
      }
      self.settings = settings
      self.indices = indices
    }

    /// Creates a form of the settings of a schema.
    public init(_ suite: some Suite, schema: (some Schema).Type) {
      self.init(suite, keys: schema.init(suite: suite).keys)
    }

    func index(ofName name: String) -> Int? { indices[name] }

    func setting(named name: String) -> Setting? { indices[name].map { settings[$0] } }

    static func title(ofGroup name: String) -> String {
      name.isEmpty ? "General" : name.titledWords
    }
  }
}

extension Defaults.SettingsForm.Setting {
  fileprivate init(
    _ key: Defaults.AnyKey, _ description: Defaults.SettingDescription, group: String
  ) {
    self.key = key
    self.description = description
    self.group = group
    let ownName = group.isEmpty ? key.name : String(key.name.dropFirst(group.count + 1))
    title = ownName.titledWords
    control = description.control
    var searched = [key.name, title]
    if let about = key.about { searched.append(about) }
    if case .choice(let choices) = control {
      searched += choices.flatMap { $0.text == $0.label ? [$0.text] : [$0.text, $0.label] }
    }
    self.searched = searched.map { $0.lowercased() }
  }
}
