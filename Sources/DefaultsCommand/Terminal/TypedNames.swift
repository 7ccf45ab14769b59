/// The text of which `escaped` made this one. What isn't an escape stays as it is.
package func unescaped(_ text: String) -> String {
  // To make the expression takes longer than the rest of a command.
  guard text.utf8.contains(UInt8(ascii: "\\")) else { return text }
  // As scalars, since a brace with an accent after it is another character than a brace.
  let escape = /\\u\{([0-9A-Fa-f]{1,8})\}/.matchingSemantics(.unicodeScalar)
  return text.replacing(escape) { match in
    UInt32(match.1, radix: 16).flatMap(Unicode.Scalar.init).map { String($0) } ?? String(match.0)
  }
}

/// The names that a typed one may stand for, the likeliest first: that which is printed like it, the
/// typed one itself, and that which messages of the library show like it, with `\n`, `\r`, `\t`,
/// `\0`, `\\` and `\"` as well.
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
