import Foundation
import TestSupport
import Testing

/// The public API of each product, as a sorted list under `Tests/API`: a change of the API is a
/// deliberate change of that list.
///
/// `DEFAULTS_RECORD_API=1 swift test --filter PublicSymbolTests` writes the lists.
@Suite("Public symbols")
struct PublicSymbolTests {
  private static let folder = Article.package.appending(path: "Tests/API")
  private static let isRecording =
    ProcessInfo.processInfo.environment["DEFAULTS_RECORD_API"] == "1"

  @Test("The public API of each product equals the recorded one", arguments: SymbolTests.modules)
  func recorded(module: String) throws {
    let symbols = try Compiler.symbols(of: module).map(\.line).sorted()
    let url = Self.folder.appending(path: module + ".txt")
    if Self.isRecording {
      try Data((symbols.joined(separator: "\n") + "\n").utf8).write(to: url)
    }
    let recorded = try String(contentsOf: url, encoding: .utf8).split(separator: "\n")
    let (present, past) = (Set(symbols), Set(recorded.map(String.init)))
    #expect(
      present.subtracting(past).sorted() == [],
      "Public, and not in Tests/API/\(module).txt; record it if that is meant")
    #expect(
      past.subtracting(present).sorted() == [],
      "In Tests/API/\(module).txt, and not public; record it if that is meant")
  }

  @Test("The public API stays below its size limits")
  func count() throws {
    var (symbols, core) = (0, 0)
    var types: Set<String> = []
    for module in SymbolTests.modules {
      let found = try Compiler.symbols(of: module)
      symbols += found.count
      guard module == "Defaults" else { continue }
      core = found.count
      // The namespace isn't counted as a type.
      types = Set(found.filter { $0.isType && $0.components != ["Defaults"] }.map(\.line))
    }
    // 531, 55 and 696 before history, undo, required settings and files that people write; 746
    // before the sync, the page and the profiles.
    #expect(core <= 600)
    #expect(types.count <= 62)
    #expect(symbols <= 880)
  }
}

extension Compiler.Symbol {
  /// Whether the symbol is a type or a protocol.
  fileprivate var isType: Bool { ["struct", "class", "enum", "protocol"].contains(kind) }

  /// The symbol's path and declaration.
  fileprivate var line: String { components.joined(separator: ".") + "  " + declaration }
}
