import Defaults

/// The operands and options of a verb.
package struct Invocation: Sendable {
  /// An option of a verb.
  package struct Option: Sendable {
    package let name: String
    /// The placeholder of its value in help texts; nil if it takes none.
    package var value: String?
    package let summary: String

    package init(name: String, value: String? = nil, summary: String) {
      self.name = name
      self.value = value
      self.summary = summary
    }

    /// The option and its placeholder, for help.
    package var synopsis: String { value.map { "\(name) \($0)" } ?? name }

    package static let json = Self(name: "--json", summary: "print JSON")
    package static let format = Self(
      name: "--as", value: "FORMAT",
      summary: "json, jsonc, plist or binary; detected from the file by default"
    )
    package static let dryRun = Self(
      name: "--dry-run", summary: "print the changes without making them")
  }

  package var operands: [String] = []
  /// The values by option name; empty for an option without a value.
  private var options: [String: String] = [:]

  /// Parses words. All words after `--` are operands and, with `takesRest`, all words after the
  /// first operand. A single dash is an operand, and so are words accepted by `isOperand`.
  ///
  /// - Throws: The error of `unknown` for an unknown option; `misuse` for a missing or unexpected
  ///   value; an error with `takesRest` if an option follows the first operand without `--`.
  package init(
    _ words: some Sequence<String>, _ known: [Option], takesRest: Bool = false, misuse: UsageError,
    isOperand: (String) -> Bool = { _ in false }, unknown: (String) -> UsageError
  ) throws(UsageError) {
    var rest = Array(words)[...]
    while let word = rest.popFirst() {
      if word == "--" || takesRest && !operands.isEmpty {
        let words = [word] + rest
        let end = words.firstIndex(of: "--") ?? words.endIndex
        try Self.requireNoOption(in: words[..<end], known, after: operands.first)
        operands += words[..<end] + words[end...].dropFirst()
        break
      }
      guard word.hasPrefix("-"), word != "-", !isOperand(word) else {
        operands.append(word)
        continue
      }
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let option = known.first(where: { $0.name == parts[0] }) else { throw unknown(word) }
      var value = parts.count > 1 ? String(parts[1]) : nil
      if option.value != nil, value == nil {
        value = rest.popFirst()
        // A forgotten value must not make a value of the next option.
        guard value != "--", let start = value?.prefix(while: { $0 != "=" }),
          !known.contains(where: { $0.name == start })
        else { throw misuse }
      }
      guard (option.value == nil) == (value == nil) else { throw misuse }
      options[option.name] = value ?? ""
    }
  }

  /// Throws if one of the words, which would be values, is an option or `--help`.
  private static func requireNoOption(
    in words: ArraySlice<String>, _ known: [Option], after operand: String?
  ) throws(UsageError) {
    let names = known.map(\.name) + ["--help"]
    guard let operand, let option = words.first(where: names.contains) else { return }
    throw UsageError(
      "\(option) is an option; write options before \"\(escaped(operand))\", or write -- before "
        + "the values if it is a value")
  }

  package func has(_ option: Option) -> Bool { options[option.name] != nil }
  package subscript(option: Option) -> String? { options[option.name] }
}
