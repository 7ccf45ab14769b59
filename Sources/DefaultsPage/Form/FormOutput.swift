import Defaults
import DefaultsText

extension Defaults.SettingsForm {
  /// Returns the settings as one HTML page that needs no other file, to read, attach or print. This
  /// page can't change settings; ``SettingsPage`` serves a page that can.
  ///
  /// The page needs no script. Where scripts run, it searches as the user types.
  ///
  /// - Parameters:
  ///   - title: The title of the page.
  ///   - query: A search whose result the page shows; see ``sections(matching:)``. The other
  ///     settings are in the page, too, but hidden.
  public func html(title: String = "Settings", matching query: String = "") -> String {
    PageMarkup(self, title: title, query: query).html
  }

  /// Returns the settings as JSON, for pages and programs of your own.
  ///
  /// ```json
  /// {"sections": [{"name": "editor", "title": "Editor", "rows": [
  ///   {"name": "editor.tabWidth", "title": "Tab Width", "about": "The number of spaces of a tab",
  ///    "accepts": "a whole number, 1 to 16",
  ///    "control": {"type": "number", "minimum": "1", "maximum": "16", "isWhole": true},
  ///    "value": "8", "editedValue": "8", "defaultValue": "4", "layer": "user",
  ///    "place": "/home/me/.config/app/Defaults.plist",
  ///    "isChanged": true, "isManaged": false, "isOverridden": false, "isSecret": false,
  ///    "isOptional": false, "isRequired": false}]}]}
  /// ```
  ///
  /// Values are texts as ``submit(_:resetting:)`` takes them. A row has a `problem` if there is
  /// one. Members whose value is nil are left out.
  ///
  /// - Parameter query: A search; see ``sections(matching:)``.
  public func json(matching query: String = "") -> String {
    let sections = sections(matching: query).map { section -> Defaults.PropertyListValue in
      [
        "name": .string(section.name), "title": .string(section.title),
        "rows": .array(section.rows.map(\.json)),
      ]
    }
    return Self.text(ofJSON: ["sections": .array(sections)])
  }

  static func text(ofJSON members: [String: Defaults.PropertyListValue]) -> String {
    var writer = Defaults.JSONWriter(hasLines: false, isOfEntries: false)
    writer.write(members)
    return String(decoding: writer.finish(), as: UTF8.self)
  }
}

extension Defaults.SettingsForm.Row {
  fileprivate var json: Defaults.PropertyListValue {
    var members: [String: Defaults.PropertyListValue] = [
      "name": .string(name), "title": .string(title), "accepts": .string(acceptedValues),
      "control": .dictionary(control.json), "layer": .string(layer),
      "isChanged": .bool(isChanged), "isManaged": .bool(isManaged),
      "isOverridden": .bool(isOverridden), "isSecret": .bool(isSecret),
      "isOptional": .bool(isOptional), "isRequired": .bool(isRequired),
    ]
    let texts = [
      "about": about, "value": value, "editedValue": editedValue, "defaultValue": defaultValue,
      "place": place, "problem": problem,
    ]
    for (name, text) in texts { members[name] = text.map { .string($0) } }
    return .dictionary(members)
  }
}

extension Defaults.SettingControl {
  fileprivate var json: [String: Defaults.PropertyListValue] {
    switch self {
    case .toggle: return ["type": "toggle"]
    case .number(let minimum, let maximum, let isWhole):
      var members: [String: Defaults.PropertyListValue] = [
        "type": "number", "isWhole": .bool(isWhole),
      ]
      members["minimum"] = minimum.map { .string($0) }
      members["maximum"] = maximum.map { .string($0) }
      return members
    case .choice(let choices):
      let all = choices.map { choice -> Defaults.PropertyListValue in
        ["text": .string(choice.text), "label": .string(choice.label)]
      }
      return ["type": "choice", "choices": .array(all)]
    case .text: return ["type": "text"]
    case .list: return ["type": "list"]
    case .dictionary: return ["type": "dictionary"]
    case .date: return ["type": "date"]
    case .duration: return ["type": "duration"]
    case .json: return ["type": "json"]
    }
  }
}
