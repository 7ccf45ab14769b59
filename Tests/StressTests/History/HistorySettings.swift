import Defaults

/// The settings of the history campaign, by number.
enum HistorySettings {
  /// Only changed by swaps, so that their values form a chain.
  static let chains = 0..<2
  /// Changed by swaps, blind sets and removals.
  static let mixed = 2..<4
  /// Two entries that are always written together.
  static let pair = 4
  static let all = 0..<5

  /// Only changed by the text editor.
  static let theme = "theme"

  /// The names of a setting's entries.
  static func names(of number: Int) -> [String] {
    number == pair ? ["pair.x", "pair.y"] : ["setting\(number)"]
  }

  /// The value of a setting and that of its second entry; 0 without an entry, and -1 for a value
  /// that isn't the campaign's.
  static func values(
    of number: Int, _ entry: (String) -> Defaults.PropertyListValue?
  ) -> (value: Int, second: Int) {
    let values = names(of: number).map { name in
      switch entry(name) {
      case nil: 0
      case .integer(let value): Int(value)
      default: -1
      }
    }
    return (values[0], values[values.count - 1])
  }
}
