import Defaults
import Foundation

/// The variables of an environment as texts of settings.
struct EnvironmentSource: Defaults.LayerSource {
  let prefix: String
  let variables: [String: String]

  var label: String { "environment" }

  func load() -> Defaults.LayerContent {
    .texts { key in
      for name in key.allNames {
        guard let variable = Self.variable(of: name).map({ prefix + $0 }) else { continue }
        if let text = variables[variable] { return Defaults.LayerText(text, at: variable) }
      }
      return nil
    }
  }

  /// The name of a variable for that of a setting: `editor.tabWidth` is `EDITOR_TAB_WIDTH`, and
  /// `httpURLPath` is `HTTP_URL_PATH`. nil for a name without letters and digits of ASCII.
  static func variable(of name: String) -> String? {
    let letters = Array(name)
    var result = ""
    for (index, letter) in letters.enumerated() {
      guard letter.isASCII, letter.isLetter || letter.isNumber else {
        if result.last != "_" { result += "_" }
        continue
      }
      if letter.isUppercase, index > 0, result.last != "_" {
        let before = letters[index - 1]
        let isWordEnd = index + 1 < letters.count && letters[index + 1].isLowercase
        if before.isLowercase || before.isNumber || isWordEnd { result += "_" }
      }
      result += letter.uppercased()
    }
    return result.contains { $0 != "_" } ? result : nil
  }
}

/// What whoever started the process has given it; in a test that has asked for others, those.
package struct ProcessInput: Sendable {
  package let arguments: [String]
  package let environment: [String: String]

  package init(arguments: [String], environment: [String: String]) {
    self.arguments = arguments
    self.environment = environment
  }

  @TaskLocal package static var replacement: ProcessInput?

  package static var current: ProcessInput { replacement ?? ofProcess() }

  /// Nothing is believed where the process has rights that whoever started it hasn't.
  static func ofProcess(isForeign: Bool = FileLocation.isStartedByOthers) -> ProcessInput {
    if isForeign { return ProcessInput(arguments: [], environment: [:]) }
    return ProcessInput(
      arguments: Array(CommandLine.arguments.dropFirst()),
      environment: ProcessInfo.processInfo.environment)
  }
}
