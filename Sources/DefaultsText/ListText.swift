import Defaults

/// Lists of comma-separated texts. As in CSV (RFC 4180), a text is in quotation marks if it
/// contains a comma, a quotation mark or a line break, or begins or ends with a space. A quotation
/// mark inside is doubled.
enum ListText {
  /// The texts, joined by commas; nil if one is missing.
  static func text(of elements: [String?]) -> String? {
    var texts: [String] = []
    for element in elements {
      guard let element else { return nil }
      let mustBeQuoted =
        element.isEmpty || element.first == "[" || element.first?.isWhitespace == true
        || element.last?.isWhitespace == true
        || element.unicodeScalars.contains { ",\"\r\n".unicodeScalars.contains($0) }
      texts.append(
        mustBeQuoted ? "\"\(element.replacing("\"", with: "\"\""))\"" : element)
    }
    return texts.joined(separator: ",")
  }

  /// The elements of a text, each parsed separately.
  static func elements(
    of text: String, as shape: Defaults.Shape
  ) throws(Defaults.TextError) -> [Defaults.PropertyListValue] {
    var elements: [Defaults.PropertyListValue] = []
    // Compares scalars, since a comma with a combining accent is a different character.
    let scalars = Array(text.unicodeScalars)
    var position = 0
    func skipSpace() {
      while position < scalars.count, scalars[position].properties.isWhitespace { position += 1 }
    }
    skipSpace()
    guard position < scalars.count else { return [] }
    while true {
      skipSpace()
      let start = position
      var element = String.UnicodeScalarView()
      if position < scalars.count, scalars[position] == "\"" {
        repeat {
          position += 1
          while position < scalars.count, scalars[position] != "\"" {
            element.append(scalars[position])
            position += 1
          }
          guard position < scalars.count else {
            throw Defaults.TextError(
              found: String(element), position: start + 1, problem: "a quotation mark isn't closed")
          }
          position += 1
          if position < scalars.count, scalars[position] == "\"" { element.append("\"") }
        } while position < scalars.count && scalars[position] == "\""
        skipSpace()
        guard position == scalars.count || scalars[position] == "," else {
          throw Defaults.TextError(
            found: String(element), position: position + 1,
            problem: "a comma was expected after the quotation mark")
        }
      } else {
        while position < scalars.count, scalars[position] != "," {
          element.append(scalars[position])
          position += 1
        }
        while element.last?.properties.isWhitespace == true { element.removeLast() }
        guard !element.isEmpty else {
          throw Defaults.TextError(
            found: "", position: start + 1,
            problem: "an element is missing; write \"\" for an empty text")
        }
        guard !element.contains("\"") else {
          throw Defaults.TextError(
            found: String(element), position: start + 1,
            problem: "there is a quotation mark inside the element")
        }
      }
      do {
        elements.append(try Defaults.EntryText.scalar(String(element), as: shape))
      } catch {
        throw Defaults.TextError(
          found: error.found, position: start + 1, problem: error.problem)
      }
      guard position < scalars.count else { return elements }
      position += 1
    }
  }
}
