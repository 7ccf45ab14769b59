import Defaults

extension Defaults {
  /// Returns a reference page of settings in Markdown: a section for each group of dotted names,
  /// with a table of names, accepted values, defaults and descriptions.
  ///
  /// - Parameters:
  ///   - keys: The settings, in the order of the page.
  ///   - title: The title of the page.
  ///   - variable: Returns the environment variable of a setting; nil for a page without variables.
  package static func markdownReference(
    of keys: [AnyKey], title: String, variable: ((String) -> String?)? = nil
  ) -> String {
    let settings = keys.map(SettingDescription.init)
    var lines = ["# \(markdown(title))"]
    for group in settings.groups {
      if !group.name.isEmpty { lines += ["", "## \(markdown(group.name))"] }
      let columns =
        ["Setting"] + (variable == nil ? [] : ["Variable"])
        + ["Values", "Default", "Description"]
      lines += ["", row(columns), row(columns.map { _ in "---" })]
      lines += group.settings.map { setting in
        let fallback =
          setting.isRequired
          ? "required"
          : setting.isSecret
            ? "secret"
            : setting.isGenerated
              ? "generated at first use" : setting.defaultText.map(code) ?? "not set"
        return row(
          [code(setting.name)] + (variable.map { [$0(setting.name).map(code) ?? ""] } ?? [])
            + [markdown(setting.acceptedValues), fallback, markdown(setting.about ?? "")])
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func row(_ cells: [String]) -> String {
    "| \(cells.joined(separator: " | ")) |"
  }

  /// Text without any mark of Markdown, on one line.
  private static func markdown(_ text: String) -> String {
    var result = ""
    for character in escapedMessage(text) {
      if "\\`*_{}[]<>#|~".contains(character) { result += "\\" }
      result.append(character)
    }
    return result
  }

  /// Text as code, in as many backticks as it needs.
  private static func code(_ text: String) -> String {
    guard !text.isEmpty else { return "empty" }
    let text = escapedMessage(text).replacing("|", with: "\\|")
    guard text.contains("`") else { return "`\(text)`" }
    var fence = "``"
    while text.contains(fence) { fence += "`" }
    return "\(fence) \(text) \(fence)"
  }
}

extension [Defaults.SettingDescription] {
  /// The settings by the part of their names before the last dot, in the order of their first ones.
  /// Settings without a dot come first.
  package var groups: [(name: String, settings: [Defaults.SettingDescription])] {
    var groups: [(name: String, settings: [Defaults.SettingDescription])] = []
    for setting in self {
      let parts = setting.name.split(separator: ".", omittingEmptySubsequences: false)
      let group = parts.dropLast().joined(separator: ".")
      if let index = groups.firstIndex(where: { $0.name == group }) {
        groups[index].settings.append(setting)
      } else {
        groups.append((group, [setting]))
      }
    }
    return groups.filter { $0.name.isEmpty } + groups.filter { !$0.name.isEmpty }
  }
}
