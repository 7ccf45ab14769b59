/// A text in which everything can be seen: what would control a terminal, break the line or turn
/// the direction of writing is written as its number, like `\u{1B}`.
///
/// So is a backslash that would look like the beginning of such an escape, and no other one:
/// `unescaped` gives exactly the same text back, and `C:\users` stays as it is.
package func escaped(_ text: String, except exceptions: Set<Unicode.Scalar> = []) -> String {
  // Most texts are plain, and some are long.
  if text.utf8.allSatisfy({ 0x20..<0x7f ~= $0 && $0 != UInt8(ascii: "\\") }) { return text }
  let scalars = text.unicodeScalars
  // Not `+=`, which copies all that is there already.
  var result = String.UnicodeScalarView()
  for index in scalars.indices {
    let scalar = scalars[index]
    let isUnseen = isUnseen(scalar) && !exceptions.contains(scalar)
    let isAmbiguous = scalar == "\\" && scalars[index...].starts(with: "\\u{".unicodeScalars)
    if isUnseen || isAmbiguous {
      for part in escape(of: scalar).unicodeScalars { result.append(part) }
    } else {
      result.append(scalar)
    }
  }
  return String(result)
}

/// A message on one line: its unseen characters are escaped, and its backslashes stay.
///
/// A part of it may be escaped already, as the text of another error is, so that a message that is
/// escaped again stays the same.
package func escapedMessage(_ text: String, except exceptions: Set<Unicode.Scalar> = []) -> String {
  if text.utf8.allSatisfy({ 0x20..<0x7f ~= $0 }) { return text }
  var result = String.UnicodeScalarView()
  for scalar in text.unicodeScalars {
    if isUnseen(scalar), !exceptions.contains(scalar) {
      for part in escape(of: scalar).unicodeScalars { result.append(part) }
    } else {
      result.append(scalar)
    }
  }
  return String(result)
}

private func escape(of scalar: Unicode.Scalar) -> String {
  "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
}

private func isUnseen(_ scalar: Unicode.Scalar) -> Bool {
  switch scalar.properties.generalCategory {
  case .control, .lineSeparator, .paragraphSeparator: true
  default: scalar.properties.isBidiControl
  }
}
