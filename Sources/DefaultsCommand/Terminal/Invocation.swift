/// What a verb was told: its operands and options.
package struct Invocation: Sendable {
  /// What a verb can be told besides its operands.
  package struct Option: Sendable {
    package let name: String
    /// What stands behind it, for help; nil if it stands alone.
    package var value: String?
    package let summary: String

    package init(name: String, value: String? = nil, summary: String) {
      self.name = name
      self.value = value
      self.summary = summary
    }

    /// The option as it has to be given.
    package var synopsis: String { value.map { "\(name) \($0)" } ?? name }

    package static let json = Self(name: "--json", summary: "as JSON")
    package static let format = Self(
      name: "--as", value: "FORMAT", summary: "json, plist or binary; by default what the file says"
    )
    package static let dryRun = Self(
      name: "--dry-run", summary: "print what would change, and change nothing")
  }

  package var operands: [String] = []
  /// By name; of an option that stands alone the text is empty.
  private var options: [String: String] = [:]

  /// What words say. All that follows `--` is an operand, and with `takesRest` all that follows the
  /// first one; a dash alone always is, and a word that `isOperand` takes for one. Throws what
  /// `unknown` makes of a word that is none of the options, and `misuse` where a value is missing or
  /// too much.
  package init(
    _ words: some Sequence<String>, _ known: [Option], takesRest: Bool = false, misuse: UsageError,
    isOperand: (String) -> Bool = { _ in false }, unknown: (String) -> UsageError
  ) throws(UsageError) {
    var rest = Array(words)[...]
    while let word = rest.popFirst() {
      if word == "--" || takesRest && !operands.isEmpty {
        operands += (word == "--" ? [] : [word]) + rest
        break
      }
      guard word.hasPrefix("-"), word != "-", !isOperand(word) else {
        operands.append(word)
        continue
      }
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let option = known.first(where: { $0.name == parts[0] }) else { throw unknown(word) }
      var value = parts.count > 1 ? String(parts[1]) : nil
      if option.value != nil, value == nil { value = rest.popFirst() }
      guard (option.value == nil) == (value == nil) else { throw misuse }
      options[option.name] = value ?? ""
    }
  }

  package func has(_ option: Option) -> Bool { options[option.name] != nil }
  package subscript(option: Option) -> String? { options[option.name] }
}
