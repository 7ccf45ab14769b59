/// The text before `escaped`. Other text is unchanged.
package func unescaped(_ text: String) -> String {
  // Creating the regular expression takes longer than the rest of a command.
  guard text.utf8.contains(UInt8(ascii: "\\")) else { return text }
  // Matches scalars, since a brace with a combining accent is a different character.
  let escape = /\\u\{([0-9A-Fa-f]{1,8})\}/.matchingSemantics(.unicodeScalar)
  return text.replacing(escape) { match in
    UInt32(match.1, radix: 16).flatMap(Unicode.Scalar.init).map { String($0) } ?? String(match.0)
  }
}
