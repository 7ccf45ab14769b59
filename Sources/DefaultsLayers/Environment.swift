import Defaults
import Foundation

/// The environment variables as texts of settings.
struct EnvironmentSource: Defaults.LayerSource {
  let prefix: String
  let variables: [String: String]

  var label: String { "environment" }

  func load() -> Defaults.LayerContent {
    var content = Defaults.LayerContent.texts { key in
      variable(of: key).flatMap { name in
        variables[name].map { Defaults.LayerText($0, at: name) }
      }
    }
    content.texts = writtenTexts
    return content
  }

  /// The variables with the prefix; nil if the prefix is empty.
  private var writtenTexts: WrittenTexts? {
    guard !prefix.isEmpty else { return nil }
    return WrittenTexts(
      all: variables.keys.filter { $0.hasPrefix(prefix) }.sorted().map {
        WrittenTexts.Name(name: $0, path: nil, place: label)
      },
      prefix: prefix, areVariables: true, spelling: variable(ofName:))
  }

  /// The name of the variable that gives a setting; nil if there is none.
  func variable(of key: Defaults.AnyKey) -> String? {
    key.allNames.lazy.compactMap(variable(ofName:)).first { variables[$0] != nil }
  }

  /// The name of the variable for a setting of this name.
  func variable(ofName name: String) -> String? { Self.variable(of: name).map { prefix + $0 } }

  /// The name of the variable for a setting: `EDITOR_TAB_WIDTH` for `editor.tabWidth`,
  /// `HTTP_URL_PATH` for `httpURLPath`. nil if the name has no ASCII letter or digit.
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

extension Defaults.Suite {
  /// The prefix of the environment variables of the suite's settings; nil without such a layer.
  package var environmentPrefix: String? {
    layers?.rule.levels.lazy.compactMap { level -> String? in
      guard case .source(let source) = level.part.content else { return nil }
      return (source as? EnvironmentSource)?.prefix
    }.first
  }
}

extension Defaults {
  /// Returns the environment variable of a setting; nil if its name has no ASCII letter or digit.
  package static func environmentVariable(of name: String, prefix: String) -> String? {
    EnvironmentSource.variable(of: name).map { prefix + $0 }
  }
}

/// The arguments and the environment of the process, or replacements for a test.
package struct ProcessInput: Sendable {
  package let arguments: [String]
  package let environment: [String: String]

  package init(arguments: [String], environment: [String: String]) {
    self.arguments = arguments
    self.environment = environment
  }

  @TaskLocal package static var replacement: ProcessInput?

  package static var current: ProcessInput { replacement ?? ofProcess() }

  /// Privileged (setuid) programs ignore arguments and environment variables.
  static func ofProcess(isForeign: Bool = FileLocation.isStartedByOthers) -> ProcessInput {
    if isForeign { return ProcessInput(arguments: [], environment: [:]) }
    return ProcessInput(
      arguments: Array(CommandLine.arguments.dropFirst()),
      environment: ProcessInfo.processInfo.environment)
  }
}
