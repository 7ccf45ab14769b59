import Foundation
import Testing

@Suite("Links in the documentation")
struct LinkTests {
  // Links by `doc:` are checked by docc, in `.ci/documentation`.
  @Test("Every link of the README to a file has a destination")
  func files() throws {
    let links = try Article(path: "README.md").fileLinks
    #expect(links.count > 20)
    for link in links {
      #expect(FileManager.default.fileExists(atPath: link.target.path), "\(link.text)")
    }
  }

  @Test("Every link of an article to a page or an image has a destination")
  func pages() throws {
    let endings = [".md", ".svg", ".png"]
    for article in try Article.all() {
      for link in article.fileLinks where endings.contains(where: link.text.hasSuffix) {
        #expect(
          FileManager.default.fileExists(atPath: link.target.path),
          "\(article.path): \(link.text)")
      }
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

extension Article {
  /// The links to files, relative to the folder of the article.
  fileprivate var fileLinks: [(text: String, target: URL)] {
    let folder = Self.package.appending(path: path).deletingLastPathComponent()
    return text.matches(of: /\]\(([^)#]+)[^)]*\)/).map { String($0.output.1) }
      .filter { !$0.contains(":") }
      .map { (text: $0, target: folder.appending(path: $0).standardizedFileURL) }
  }
}
