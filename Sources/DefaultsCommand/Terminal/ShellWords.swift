/// The words of a command line up to the cursor, split and unquoted as in `bash`, without
/// expansion.
package struct ShellWords {
  /// The words before the cursor's word, unquoted.
  package private(set) var before: [String] = []
  /// The part of the cursor's word up to the cursor, unquoted.
  package private(set) var current = ""
  /// The open quotation mark at the cursor.
  private var quote: Unicode.Scalar?

  package init(_ line: String) {
    var word: String.UnicodeScalarView?
    var rest = line.unicodeScalars[...]
    while let scalar = rest.popFirst() {
      switch (scalar, quote) {
      case ("'", nil), ("\"", nil):
        quote = scalar
        word = word ?? .init()
      case (_, scalar): quote = nil
      case ("\\", nil):
        if let next = rest.popFirst(), next != "\n" { word = (word ?? .init()) + [next] }
      case ("\\", "\"") where rest.first.map("$`\"\\\n".unicodeScalars.contains) == true:
        if let next = rest.popFirst(), next != "\n" { word?.append(next) }
      case (" ", nil), ("\t", nil):
        if let word { before.append(String(word)) }
        word = nil
      default: word = (word ?? .init()) + [scalar]
      }
    }
    current = String(word ?? .init())
  }

  /// The rest of a text that begins with the cursor's word, quoted for that place; nil if the text
  /// doesn't begin with it.
  package func rest(of text: String) -> String? {
    guard text.utf8.starts(with: current.utf8) else { return nil }
    let rest = String(decoding: text.utf8.dropFirst(current.utf8.count), as: UTF8.self)
    var result = String.UnicodeScalarView()
    for scalar in rest.unicodeScalars {
      switch (scalar, quote) {
      case ("'", "'"): result += #"'\''"#.unicodeScalars
      case (_, "'"): result.append(scalar)
      // Inside double quotes, `bash` would keep a backslash before it.
      case ("!", "\""): result += #""'!'""#.unicodeScalars
      case (_, "\""):
        if "$`\"\\".unicodeScalars.contains(scalar) { result.append("\\") }
        result.append(scalar)
      default:
        let isPlain =
          scalar.properties.isAlphabetic || scalar.properties.numericType != nil
          || "-_./+@%,:=^".unicodeScalars.contains(scalar)
          || scalar.value >= 0x80 && !scalar.properties.isWhitespace
        if !isPlain { result.append("\\") }
        result.append(scalar)
      }
    }
    return String(result)
  }

  /// A word, quoted so that a shell reads it as one word, unchanged.
  package static func quoted(_ word: String) -> String {
    let isPlain = word.utf8.allSatisfy { byte in
      UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte
        || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte || "-_./+@".utf8.contains(byte)
    }
    return isPlain && !word.isEmpty ? word : "'\(word.replacing("'", with: #"'\''"#))'"
  }
}
