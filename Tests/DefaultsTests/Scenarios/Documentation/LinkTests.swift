import Foundation
import Testing

@Suite("Links in the documentation")
struct LinkTests {
  // Links between articles are checked by docc, in `.ci/documentation`.
  @Test("Every link of the README to a file has a destination")
  func files() throws {
    let readme = try Article(path: "README.md")
    let links = readme.text.matches(of: /\]\(([^)#]+)[^)]*\)/).map { String($0.output.1) }
      .filter { !$0.contains("://") }
    #expect(links.count > 20)
    for link in links {
      let path = Article.package.appending(path: link).path
      #expect(FileManager.default.fileExists(atPath: path), "\(link)")
    }
  }

  @Test("Every article is linked from the README or its product's landing page")
  func articles() throws {
    let all = try Article.all()
    let pages = all.filter { $0.text.contains("\n## Topics\n") || $0.path == "README.md" }
    for article in all where !pages.contains(where: { $0.path == article.path }) {
      let name = URL(filePath: article.path).deletingPathExtension().lastPathComponent
      #expect(
        pages.contains { $0.text.contains("<doc:\(name)>") || $0.text.contains("/\(name).md)") },
        "\(article.path)")
    }
  }
}
