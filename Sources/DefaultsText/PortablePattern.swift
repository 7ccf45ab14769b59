/// A regular expression in words that all dialects have, and that mean the same in each.
struct PortablePattern {
  private(set) var text = ""

  /// What `.` doesn't match in Swift, which other dialects see otherwise.
  private static let anythingButLineBreaks = "[^\\n\\r\\u000b\\u000c\\u0085\\u2028\\u2029]"

  /// nil if a word of it means something else elsewhere, or isn't known here: classes such as `\d`,
  /// which are larger in Swift, groups with options, line breaks, and what is written in comments.
  init?(_ pattern: String) {
    var rest = Array(pattern.unicodeScalars)[...]
    // The whole text must match anyhow.
    if rest.first == "^" { rest.removeFirst() }
    if rest.last == "$", rest.dropLast().last != "\\" { rest.removeLast() }
    var isInSet = false
    while let scalar = rest.popFirst() {
      switch scalar {
      case "\\":
        guard let next = rest.popFirst(), next.isASCII, !next.properties.isAlphabetic,
          !("0"..."9").contains(next), next != "\n"
        else { return nil }
        text += "\\\(next)"
      case "[":
        // Sets in sets, and their operations, aren't in all dialects.
        if isInSet || rest.first == "]" { return nil }
        isInSet = true
        text += "["
        if rest.first == "^" { text.unicodeScalars.append(rest.removeFirst()) }
      case "]":
        isInSet = false
        text += "]"
      case "&", "~",
        "-" where isInSet && rest.first == scalar:
        return nil
      case ".": text += isInSet ? "." : Self.anythingButLineBreaks
      case "(" where !isInSet && rest.first == "?":
        guard rest.starts(with: "?:".unicodeScalars) else { return nil }
        text += "("
      case "*", "+", "?", "}":
        text.unicodeScalars.append(scalar)
        // Possessive: gives nothing back.
        if !isInSet, rest.first == "+" { return nil }
      case "^" where !isInSet, "$" where !isInSet, "#", "\n", "\r": return nil
      default: text.unicodeScalars.append(scalar)
      }
    }
  }
}
