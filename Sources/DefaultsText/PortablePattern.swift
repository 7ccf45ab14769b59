import Defaults

/// A regular expression that has the same meaning in all dialects.
struct PortablePattern {
  private(set) var text = ""

  /// The complement of the characters that `.` doesn't match in Swift. It differs between dialects.
  private static let anythingButLineBreaks = "[^\\n\\r\\u000b\\u000c\\u0085\\u2028\\u2029]"

  /// nil if the pattern has an element that is unknown or has a different meaning in other
  /// dialects: classes such as `\d`, which are larger in Swift, groups with options, line breaks,
  /// and comments.
  init?(_ pattern: String) {
    // Dialects differ in how they treat a character of several scalars in a repetition or a set.
    guard pattern.allSatisfy({ $0.unicodeScalars.count == 1 }) else { return nil }
    var rest = Array(pattern.unicodeScalars)[...]
    // The whole text must match anyway.
    if rest.first == "^" { rest.removeFirst() }
    if rest.last == "$", rest.dropLast().last != "\\" { rest.removeLast() }
    var isInSet = false
    while let scalar = rest.popFirst() {
      switch scalar {
      case "\\":
        guard let next = rest.popFirst(), next.isASCII, !next.properties.isAlphabetic,
          !("0"..."9").contains(next), next != "\n"
        else { return nil }
        // Some dialects reject a backslash before a character without a special meaning.
        let hasMeaning = "^$\\.*+?()[]{}|/".unicodeScalars.contains(next)
        if hasMeaning || (isInSet && next == "-") { text += "\\" }
        text.unicodeScalars.append(next)
      case "[":
        // Some dialects don't support nested sets and set operations.
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
        // A possessive quantifier, which some dialects don't support.
        if rest.first == "+" { return nil }
      case "^" where !isInSet, "$" where !isInSet, "#", "\n", "\r": return nil
      default: text.unicodeScalars.append(scalar)
      }
    }
  }

  /// The repetition counts after an opening brace, with both braces; nil if there are none.
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
    // Some dialects don't support `{,3}`.
    if texts[0].isEmpty { texts[0] = "0" }
    return "{\(texts.joined(separator: ","))}"
  }
}
