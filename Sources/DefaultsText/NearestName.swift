/// The search for the name that a misspelled one was probably meant to be.
package enum NearestName {
  /// The limit for names that are compared. A file may contain longer names, which take too long to
  /// compare.
  private static let longest = 200

  /// The name with the fewest mistakes, regardless of letter case and of the dashes of an option;
  /// nil if more than a third of the letters are wrong, or all of them.
  package static func of(_ name: String, in names: some Sequence<String>) -> String? {
    guard name.utf8.count <= longest else { return nil }
    let found = letters(of: name)
    let most = max(1, found.count / 3)
    var nearest: (name: String, mistakes: Int)?
    for name in names where name.utf8.count <= longest {
      let letters = letters(of: name)
      // Each letter too many or too few is a mistake.
      guard abs(letters.count - found.count) <= most else { continue }
      let mistakes = mistakes(from: found, to: letters)
      guard mistakes <= most, mistakes < min(found.count, letters.count) else { continue }
      if let nearest, (nearest.mistakes, nearest.name) <= (mistakes, name) { continue }
      nearest = (name, mistakes)
    }
    return nearest?.name
  }

  private static func letters(of name: String) -> [Character] {
    Array(name.lowercased().drop { $0 == "-" })
  }

  /// The number of letters that were inserted, left out, replaced, or swapped with the next one:
  /// the Damerau–Levenshtein distance in which no letter is changed twice.
  private static func mistakes(from one: [Character], to other: [Character]) -> Int {
    // Rows of the distance table: for one letter less, for two letters less, and the current one.
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
