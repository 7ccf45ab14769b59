import DefaultsText

/// The names that a typed name may mean, the likeliest first: the unescaped name, the name as
/// typed, and a name that the library's messages print like this, also with `\n`, `\r`, `\t`, `\0`,
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
