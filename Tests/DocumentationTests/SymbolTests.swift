import Foundation
import TestSupport
import Testing

@Suite("Symbols in the documentation")
struct SymbolTests {
  /// The products that have a catalog.
  static let modules: [String] = {
    let sources = Article.package.appending(path: "Sources").path
    return ((try? FileManager.default.subpathsOfDirectory(atPath: sources)) ?? [])
      .filter { $0.hasSuffix(".docc") }
      .map { URL(filePath: $0).deletingPathExtension().lastPathComponent }.sorted()
  }()

  @Test("Every library of the package has a catalog")
  func catalogs() throws {
    let manifest = try String(
      contentsOf: Article.package.appending(path: "Package.swift"), encoding: .utf8)
    let libraries = manifest.matches(of: /\.library\(name: "(\w+)"/).map { String($0.output.1) }
    #expect(Self.modules == libraries.sorted())
  }

  @Test("Every public symbol is documented", arguments: modules)
  func comments(module: String) throws {
    let bare = try Compiler.symbols(of: module).filter { !$0.isDocumented }
    #expect(bare.map { $0.components.joined(separator: ".") } == [])
  }

  /// The symbols in the topic groups of all articles.
  private static let listed = Result {
    let pages = try Article.all().filter { $0.path.hasPrefix("Sources/") }
    return Set(
      pages.flatMap(\.lines).filter { $0.hasPrefix("- ``") }.compactMap { line in
        // - ``Defaults/Defaults/Key``, - ``reset(_:)-(String...)``
        line.wholeMatch(of: /- ``(?:.*\/)?([^\/]+?)(?:-.*)?``/).map { String($0.output.1) }
      })
  }

  @Test("Every public type and function is in a topic group", arguments: modules)
  func groups(module: String) throws {
    let listed = try Self.listed.get()
    // Declarations of the module itself, and those in the enum.
    let names = try Compiler.symbols(of: module).map(\.components).compactMap { components in
      switch components.count {
      case 1: components[0]
      case 2 where components[0] == "Defaults": components[1]
      default: nil
      }
    }
    #expect(Set(names).subtracting(listed) == [])
  }
}
