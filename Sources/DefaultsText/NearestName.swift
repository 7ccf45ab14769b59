/// The name of a list that a misspelled one was probably meant to be.
package enum NearestName {
  /// No misspelled name is longer. A file may have any, and comparing those takes forever.
  private static let longest = 200

  /// The name with the fewest mistakes, in any case of the letters and with or without the dashes of
  /// an option before it; nil if those are more than a third of the letters, or all of them.
  package static func of(_ name: String, in names: some Sequence<String>) -> String? {
    guard name.utf8.count <= longest else { return nil }
    let found = letters(of: name)
    var nearest: (name: String, mistakes: Int)?
    for name in names where name.utf8.count <= longest {
      let letters = letters(of: name)
      let mistakes = mistakes(from: found, to: letters)
      guard mistakes <= max(1, found.count / 3), mistakes < min(found.count, letters.count) else {
        continue
      }
      if let nearest, (nearest.mistakes, nearest.name) <= (mistakes, name) { continue }
      nearest = (name, mistakes)
    }
    return nearest?.name
  }

  private static func letters(of name: String) -> [Character] {
    Array(name.lowercased().drop { $0 == "-" })
  }

  /// The number of letters that were added, left out, replaced, or exchanged with the next one: the
  /// distance of Damerau and Levenshtein, in which no letter is changed twice.
  private static func mistakes(from one: [Character], to other: [Character]) -> Int {
    // Rows of the table of distances: for one letter less, for two letters less, and the current one.
    var previous = Array(0...other.count)
    var beforePrevious = previous
    var row = previous
    for index in one.indices {
      row[0] = index + 1
      for column in other.indices {
        let replaced = previous[column] + (one[index] == other[column] ? 0 : 1)
        row[column + 1] = min(replaced, previous[column + 1] + 1, row[column] + 1)
        if index > 0, column > 0, one[index] == other[column - 1],
          one[index - 1] == other[column]
        {
          row[column + 1] = min(row[column + 1], beforePrevious[column - 1] + 1)
        }
      }
      (beforePrevious, previous, row) = (previous, row, beforePrevious)
    }
    return previous[other.count]
  }
}
