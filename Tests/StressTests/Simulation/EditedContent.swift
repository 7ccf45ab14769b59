import Foundation

/// The content of a settings file that a text editor of a simulation has read.
enum EditedContent {
  case propertyList([String: Any])
  /// JSON with comments.
  case text(String)

  /// nil for a file that isn't complete.
  init?(_ data: Data, isText: Bool) {
    if isText {
      let text = String(decoding: data, as: UTF8.self)
      guard text.hasSuffix("}\n") || text.hasSuffix("}") else { return nil }
      self = .text(text)
    } else {
      guard
        let content = try? PropertyListSerialization.propertyList(from: data, format: nil)
          as? [String: Any]
      else { return nil }
      self = .propertyList(content)
    }
  }

  /// Returns the file with new values of some settings.
  func data(with values: [String: Int]) throws -> Data {
    switch self {
    case .propertyList(let content):
      return try PropertyListSerialization.data(
        fromPropertyList: content.merging(values) { $1 }, format: .binary, options: 0)
    case .text(let text):
      let values = values.sorted { $0.key < $1.key }
      // As a person would: old lines are removed, and new ones are at the top.
      let names = values.map { "\"\($0.key)\":" }
      let rest = text.drop { $0 != "{" }.dropFirst()
        .split(separator: "\n", omittingEmptySubsequences: false)
        .filter { line in !names.contains { line.contains($0) } }.joined(separator: "\n")
      let lines = values.map { "  // \($0.value)\n  \"\($0.key)\": \($0.value)," }
      return Data("{\n\(lines.joined(separator: "\n"))\n\(rest)".utf8)
    }
  }
}
