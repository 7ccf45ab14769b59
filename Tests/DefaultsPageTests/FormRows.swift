import Defaults
import DefaultsPage

extension Defaults.SettingsForm {
  /// The row of a setting.
  func row(_ name: String) -> Row? {
    sections().lazy.flatMap(\.rows).first { $0.name == name }
  }

  /// The names of the rows that match a search.
  func names(matching query: String = "") -> [String] {
    sections(matching: query).flatMap(\.rows).map(\.name)
  }
}
