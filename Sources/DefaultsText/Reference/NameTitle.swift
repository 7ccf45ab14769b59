// Titles made of names, for people who don't know the names.

extension String {
  /// A title made of a name, in sentence case: `tabWidth` gives "Tab width".
  package var titled: String {
    let words = wordsOfName.enumerated().map { index, word in
      index == 0 ? word.capitalizedStart : word.isAcronym ? word : word.lowercased()
    }
    return words.joined(separator: " ")
  }

  /// A title made of a name, in title case: `tabWidth` gives "Tab Width".
  package var titledWords: String {
    wordsOfName.map(\.capitalizedStart).joined(separator: " ")
  }

  /// The words of a name: `serverURL.max-size` gives "server", "URL", "max" and "size".
  private var wordsOfName: [String] {
    var words: [String] = []
    var word = ""
    func end() {
      if !word.isEmpty { words.append(word) }
      word = ""
    }
    for character in self {
      if character == "." || character == "-" || character == "_" || character.isWhitespace {
        end()
      } else {
        if character.isUppercase, word.last?.isLowercase == true { end() }
        word.append(character)
      }
    }
    end()
    return words.isEmpty ? [self] : words
  }

  /// Whether the word has at least two letters, all of them in upper case.
  private var isAcronym: Bool { count > 1 && !contains(where: \.isLowercase) }

  /// The text with its first letter in upper case.
  package var capitalizedStart: String { prefix(1).uppercased() + dropFirst() }
}
