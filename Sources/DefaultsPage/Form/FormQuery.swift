import Defaults
import DefaultsText

/// The words and filters of a search.
struct FormQuery {
  private enum Filter {
    case changed, managed, invalid
    case layer(String)
  }

  private var words: [String] = []
  private var filters: [Filter] = []

  /// Parses a search. A word that begins with @ and isn't a filter is a word like any other.
  init(_ text: String) {
    let words = Set(text.lowercased().split(whereSeparator: \.isWhitespace).map(String.init))
    for word in words {
      switch word {
      case "@changed": filters.append(.changed)
      case "@managed": filters.append(.managed)
      case "@invalid": filters.append(.invalid)
      case _ where word.hasPrefix("@layer:"):
        filters.append(.layer(String(word.dropFirst("@layer:".count))))
      default: self.words.append(word)
      }
    }
  }

  func matches(_ row: Defaults.SettingsForm.Row, _ setting: Defaults.SettingsForm.Setting) -> Bool {
    let isIn = filters.allSatisfy { filter in
      switch filter {
      case .changed: row.isChanged
      case .managed: row.isManaged
      case .invalid: row.problem != nil
      case .layer(let name): row.layer.lowercased() == name
      }
    }
    guard isIn, !words.isEmpty else { return isIn }
    let values = [row.value, row.editedValue].compactMap { $0?.lowercased() }
    return words.allSatisfy { word in
      setting.searched.contains { $0.contains(word) } || values.contains { $0.contains(word) }
    }
  }
}
