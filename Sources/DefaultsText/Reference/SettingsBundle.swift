import Defaults
import Foundation

extension Defaults {
  /// Returns the content of `Root.plist` in a settings bundle, from which the Settings app of iOS
  /// shows settings, and the names of the settings that the app can't show.
  ///
  /// The elements are those of Apple's Settings Application Schema Reference: a switch for a bool,
  /// a list of choices, a slider for a real with two limits, and a text field for other numbers and
  /// texts. Arrays, dictionaries, dates and data have no element. A slider or a field doesn't check
  /// the limits of a setting: an invalid value reads as the default.
  package static func settingsBundle(of keys: [AnyKey]) -> (
    root: PropertyListValue, omitted: [String]
  ) {
    var specifiers: [PropertyListValue] = []
    var omitted: [String] = []
    for group in keys.map(SettingDescription.init).groups {
      let elements = group.settings.compactMap { setting -> PropertyListValue? in
        guard let element = setting.specifier else {
          omitted.append(setting.name)
          return nil
        }
        return .dictionary(element)
      }
      guard !elements.isEmpty else { continue }
      if !group.name.isEmpty {
        specifiers.append(["Type": "PSGroupSpecifier", "Title": .string(group.name.titled)])
      }
      specifiers += elements
    }
    return (["StringsTable": "Root", "PreferenceSpecifiers": .array(specifiers)], omitted)
  }
}

extension Defaults.SettingDescription {
  /// The element of the setting; nil if there is none for its values.
  fileprivate var specifier: [String: PropertyListValue]? {
    var element: [String: PropertyListValue] = [
      "Key": .string(name),
      "Title": .string(about ?? (name.split(separator: ".").last.map(String.init) ?? name).titled),
    ]
    element["DefaultValue"] = defaultEntry
    if let choices = choiceEntries {
      // Without a default value the element isn't shown.
      guard defaultEntry != nil else { return nil }
      element["Type"] = "PSMultiValueSpecifier"
      element["Titles"] = .array(choices.map { .string($0.label) })
      element["Values"] = .array(choices.map(\.entry))
      return element
    }
    switch form.shape.stored {
    case .bool, .bit:
      element["Type"] = "PSToggleSwitchSpecifier"
      element["DefaultValue"] = defaultEntry ?? false
    case .real, .float:
      if let range = form.range, let low = range.lowerBound, let high = range.upperBound,
        range.includesUpperBound, let value = defaultEntry
      {
        return [
          "Type": "PSSliderSpecifier", "Key": .string(name), "DefaultValue": value,
          "MinimumValue": low, "MaximumValue": high,
        ]
      }
      element["Type"] = "PSTextFieldSpecifier"
      element["KeyboardType"] = "NumbersAndPunctuation"
    case .integer:
      element["Type"] = "PSTextFieldSpecifier"
      element["KeyboardType"] = "NumbersAndPunctuation"
    case .string(let content):
      element["Type"] = "PSTextFieldSpecifier"
      element["AutocapitalizationType"] = "None"
      element["AutocorrectionType"] = "No"
      if case .url = content { element["KeyboardType"] = "URL" }
      if isSecret { element["IsSecure"] = true }
    default:
      return nil
    }
    return element
  }
}
