import Foundation
import TestSupport
import Testing

@Suite("Samples in the documentation", .tags(.slow))
struct SampleTests {
  @Test("Every Swift block of the README and of each article compiles")
  func compile() throws {
    let folder = try TemporaryFolder()
    var files: [String] = []
    for (index, article) in try Article.all().enumerated() {
      let source = SampleSource(article).text
      try folder.write(source, to: "Article\(index).swift")
      files.append(folder["Article\(index).swift"])
    }
    let errors = try Compiler.errors(in: files)
    #expect(errors.isEmpty, "\(errors.joined(separator: "\n"))")
  }

  @Test("Every code file of a tutorial compiles")
  func tutorials() throws {
    let sources = Article.package.appending(path: "Sources").path
    let files = try FileManager.default.subpathsOfDirectory(atPath: sources)
      .filter { $0.contains(".docc/") && $0.hasSuffix(".swift") }
    #expect(files.count >= 5)
    for file in files {
      // Each is the whole `main.swift` of a program.
      let errors = try Compiler.errors(in: ["\(sources)/\(file)"])
      #expect(errors.isEmpty, "\(file): \(errors.joined(separator: "\n"))")
    }
  }

  @Test("Each Swift block of an article is checked, and the article has only known HTML comments")
  func marks() throws {
    for article in try Article.all() {
      let comments = article.lines.filter { $0.hasPrefix("<!--") }
      let unknown = comments.filter { !Article.leftOut.contains($0) && $0 != "<!-- setup" }
      #expect(unknown == [], "\(article.path)")
      // An unclosed block would hide the following ones.
      let blocks = article.blocks
      #expect(
        blocks.count { !$0.isHidden } == article.lines.count { $0.contains("```swift") },
        "\(article.path)")
      #expect(
        blocks.count { $0.isHidden } == article.lines.count { $0.contains("<!-- setup") },
        "\(article.path)")
    }
  }
}
