import Defaults

extension Defaults {
  /// A name in a suite that no key declares.
  public struct UnknownName: Sendable, Hashable, CustomStringConvertible {
    /// The name.
    public let name: String
    /// The declared name that is most like it; nil if none is.
    public let nearest: String?
    package init(name: String, nearest: String?) {
      self.name = name
      self.nearest = nearest
    }

    /// The name, and what may have been meant.
    public var description: String { nearest.map { "\(name) (\($0)?)" } ?? name }
  }
}

extension Defaults.Suite {
  /// The names of entries that none of the keys declares, sorted, each with the declared name that
  /// may have been meant: what an editor misspelled, or an older version left behind.
  ///
  /// Previous names of keys count as declared, and so do the library's own entries.
  public func unknownNames(declaring keys: [Defaults.AnyKey]) -> [Defaults.UnknownName] {
    let declared = Set(keys.flatMap(\.allNames))
    return names.subtracting(declared).filter { !Defaults.isReserved($0) }.sorted().map {
      Defaults.UnknownName(name: $0, nearest: NearestName.of($0, in: keys.map(\.name)))
    }
  }
}

/// The name of a list that somebody who misspelled it may have meant.
package enum NearestName {
  /// Nobody misspells a longer name. A file may have any, and comparing those takes forever.
  private static let longest = 200

  /// The name with the fewest letters to change; nil if that is more than a third of them.
  package static func of(_ name: String, in names: some Sequence<String>) -> String? {
    guard name.utf8.count <= longest else { return nil }
    let found = Array(name.lowercased())
    let nearest = names.filter { $0.utf8.count <= longest }.map {
      ($0, distance(found, Array($0.lowercased())))
    }
    .min { ($0.1, $0.0) < ($1.1, $1.0) }
    guard let (nearest, distance) = nearest, distance <= max(1, found.count / 3) else { return nil }
    return nearest
  }

  /// How many letters must be put in, taken out or replaced (Levenshtein's distance).
  private static func distance(_ one: [Character], _ other: [Character]) -> Int {
    var row = Array(0...other.count)
    for (index, letter) in one.enumerated() {
      var diagonal = row[0]
      row[0] = index + 1
      for column in other.indices {
        let above = row[column + 1]
        row[column + 1] =
          letter == other[column] ? diagonal : min(diagonal, above, row[column]) + 1
        diagonal = above
      }
    }
    return row[other.count]
  }
}
