import Foundation
import TestSupport
import Testing

@Suite("Examples in doc comments")
struct ExampleTests {
  /// Examples are often parts of a program, so only their syntax is checked.
  @Test("Every Swift block of a doc comment has correct syntax")
  func syntax() throws {
    let sources = Article.package.appending(path: "Sources").path
    let files = try FileManager.default.subpathsOfDirectory(atPath: sources)
      .filter { $0.hasSuffix(".swift") && !$0.contains(".docc/") }
    var (lines, count) = ([String](), 0)
    for file in files.sorted() {
      let text = try String(contentsOfFile: "\(sources)/\(file)", encoding: .utf8)
      for block in Self.blocks(of: text) {
        count += 1
        lines.append("#sourceLocation(file: \"Sources/\(file)\", line: \(block.firstLine))")
        // A block may be only an attribute, which needs a declaration.
        lines += block.lines.map(Self.statement) + ["func end() {}"]
      }
    }
    #expect(count > 90)
    let folder = try TemporaryFolder()
    try folder.write(lines.joined(separator: "\n") + "\n", to: "main.swift")
    let errors = try Compiler.syntaxErrors(in: folder["main.swift"])
    #expect(errors.isEmpty, "\(errors.joined(separator: "\n"))")
  }

  /// The Swift blocks of the doc comments in a source file, without the comment marks.
  private static func blocks(of text: String) -> [(firstLine: Int, lines: [String])] {
    var blocks: [(firstLine: Int, lines: [String])] = []
    var isOpen = false
    for (index, line) in text.components(separatedBy: "\n").enumerated() {
      let comment = line.trimmingCharacters(in: .whitespaces)
      guard comment.hasPrefix("///") else {
        isOpen = false
        continue
      }
      let words = String(comment.dropFirst(comment.hasPrefix("/// ") ? 4 : 3))
      if words.hasPrefix("```") {
        isOpen = !isOpen && words == "```swift"
        if isOpen { blocks.append((index + 2, [])) }
      } else if isOpen {
        blocks[blocks.count - 1].lines.append(words)
      }
    }
    return blocks
  }

  /// Returns a statement for a line of an example. The line may be a member or an argument, and may
  /// have an ellipsis in place of code.
  private static func statement(_ line: String) -> String {
    line.replacing(#/^static /#, with: "").replacing(#/^coding: /#, with: "_ = ")
      .replacing("…", with: "omitted()")
  }
}
