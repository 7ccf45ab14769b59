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

/// The names that a typed name may mean, the likeliest first: the unescaped one, the typed one
/// itself, and the one that the library's messages show like it, also with `\n`, `\r`, `\t`, `\0`,
/// `\\` and `\"`.
package func names(typed text: String) -> [String] {
  guard text.utf8.contains(UInt8(ascii: "\\")) else { return [text] }
  let escape = /\\(?:u\{([0-9A-Fa-f]{1,8})\}|([nrt0\\"']))/.matchingSemantics(.unicodeScalar)
  let shown = text.replacing(escape) { match -> String in
    switch match.2 {
    case "n": "\n"
    case "r": "\r"
    case "t": "\t"
    case "0": "\0"
    case let sign?: String(sign)
    case nil: unescaped(String(match.0))
    }
  }
  return [unescaped(text), text, shown]
}
