import Defaults

/// A regular expression in words that all dialects have, and that mean the same in each.
struct PortablePattern {
  private(set) var text = ""

  /// What `.` doesn't match in Swift, which other dialects see otherwise.
  private static let anythingButLineBreaks = "[^\\n\\r\\u000b\\u000c\\u0085\\u2028\\u2029]"

  /// nil if a word of it means something else elsewhere, or isn't known here: classes such as `\d`,
  /// which are larger in Swift, groups with options, line breaks, and what is written in comments.
  init?(_ pattern: String) {
    // Of a character with several scalars each dialect repeats, or has in a set, something else.
    guard pattern.allSatisfy({ $0.unicodeScalars.count == 1 }) else { return nil }
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
        // Some dialects refuse a backslash before what has no other meaning.
        let hasMeaning = "^$\\.*+?()[]{}|/".unicodeScalars.contains(next)
        if hasMeaning || (isInSet && next == "-") { text += "\\" }
        text.unicodeScalars.append(next)
      case "[":
        // Sets in sets, and their operations, aren't in all dialects.
        if isInSet || rest.first == "]" || rest.starts(with: "^]".unicodeScalars) { return nil }
        isInSet = true
        text += "["
        if rest.first == "^" { text.unicodeScalars.append(rest.removeFirst()) }
      case "]" where !isInSet: text += "\\]"
      case "]":
        isInSet = false
        text += "]"
      case _ where isInSet && "&~-|".unicodeScalars.contains(scalar) && rest.first == scalar:
        return nil
      case ".": text += isInSet ? "." : Self.anythingButLineBreaks
      case "(" where !isInSet && rest.first == "?":
        guard rest.starts(with: "?:".unicodeScalars) else { return nil }
        text += "("
      case "{" where !isInSet:
        guard let counts = Self.counts(&rest), rest.first != "+" else { return nil }
        text += counts
      case "}" where !isInSet: text += "\\}"
      case "*" where !isInSet, "+" where !isInSet, "?" where !isInSet:
        text.unicodeScalars.append(scalar)
        // Possessive: gives nothing back.
        if rest.first == "+" { return nil }
      case "^" where !isInSet, "$" where !isInSet, "#", "\n", "\r": return nil
      default: text.unicodeScalars.append(scalar)
      }
    }
  }

  /// What stands after an opening brace, if it is how often something comes; both braces included.
  private static func counts(_ rest: inout ArraySlice<Unicode.Scalar>) -> String? {
    guard let end = rest.firstIndex(of: "}") else { return nil }
    let counts = rest[rest.startIndex..<end].split(
      separator: ",", maxSplits: 1, omittingEmptySubsequences: false)
    rest = rest[(end + 1)...]
    let digits = Set("0123456789".unicodeScalars)
    guard counts.allSatisfy({ $0.allSatisfy(digits.contains) }),
      counts.contains(where: { !$0.isEmpty })
    else { return nil }
    var texts = counts.map { String(String.UnicodeScalarView($0)) }
    // Not all dialects know `{,3}`.
    if texts[0].isEmpty { texts[0] = "0" }
    return "{\(texts.joined(separator: ","))}"
  }
}
