import Foundation
import Harness

/// A text of the documentation: the README, or a page of a catalog.
struct Article {
  /// Its path in the package.
  let path: String
  let lines: [String]

  /// The folder of the package.
  static let package = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../..").standardizedFileURL

  var text: String { lines.joined(separator: "\n") }

  init(path: String) throws {
    self.path = path
    let url = Self.package.appending(path: path)
    lines = try String(contentsOf: url, encoding: .utf8)
      .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  /// The README and the pages of all catalogs, in the order of their paths.
  static func all() throws -> [Article] {
    try Numbers.texts(of: package).map(Article.init)
  }

  /// The marks before a Swift block that isn't compiled here: of another library, for Apple's
  /// frameworks, or part of a package's manifest.
  static let leftOut = [
    "<!-- another library -->", "<!-- Apple platforms -->", "<!-- manifest -->",
  ]

  /// The Swift blocks and the hidden lines that they need, in order. Hidden lines are between `<!--
  /// setup` and `-->`.
  var blocks: [Block] {
    var blocks: [Block] = []
    var isOther = false
    var block: Block?
    for (index, line) in lines.enumerated() {
      if var open = block {
        if line == (open.isHidden ? "-->" : "```") {
          blocks.append(open)
          block = nil
          isOther = false
        } else {
          open.lines.append(line)
          block = open
        }
      } else if line == "```swift" || line == "<!-- setup" {
        block = Block(firstLine: index + 2, isHidden: line != "```swift", isLeftOut: isOther)
      } else if !line.isEmpty {
        isOther = Self.leftOut.contains(line)
      }
    }
    return blocks
  }

  struct Block {
    let firstLine: Int
    let isHidden: Bool
    let isLeftOut: Bool
    var lines: [String] = []
  }
}
