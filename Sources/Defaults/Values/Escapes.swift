/// Returns a text in which every character is visible: characters that control a terminal, break
/// the line or change the direction of writing are replaced with their number, like `\u{1B}`.
///
/// A backslash is escaped only if it looks like the start of such an escape. `unescaped` gives
/// exactly the original text back, and `C:\users` stays unchanged.
package func escaped(
  _ text: String, except exceptions: Set<Unicode.Scalar> = [], escapesBackslashes: Bool = true
) -> String {
  // Fast path: most texts are plain, and some are long.
  let isPlain = text.utf8.allSatisfy {
    0x20..<0x7f ~= $0 && !(escapesBackslashes && $0 == UInt8(ascii: "\\"))
  }
  if isPlain { return text }
  let scalars = text.unicodeScalars
  // `append`, because `+=` copies the whole view.
  var result = String.UnicodeScalarView()
  for index in scalars.indices {
    let scalar = scalars[index]
    let isUnseen = isUnseen(scalar) && !exceptions.contains(scalar)
    let isAmbiguous =
      escapesBackslashes && scalar == "\\"
      && scalars[index...].starts(with: "\\u{".unicodeScalars)
    if isUnseen || isAmbiguous {
      let number = String(scalar.value, radix: 16, uppercase: true)
      for part in "\\u{\(number)}".unicodeScalars { result.append(part) }
    } else {
      result.append(scalar)
    }
  }
  return String(result)
}

/// Returns a message on one line: invisible characters are escaped. Backslashes aren't, since a
/// part of the message may be escaped already.
package func escapedMessage(_ text: String) -> String { escaped(text, escapesBackslashes: false) }

private func isUnseen(_ scalar: Unicode.Scalar) -> Bool {
  switch scalar.properties.generalCategory {
  case .control, .lineSeparator, .paragraphSeparator: true
  default: scalar.properties.isBidiControl
  }
}
