import Foundation
import Harness
import Synchronization
import Testing

/// The compiler of this machine, run on a file that imports the library.
package enum Compiler {
  /// The errors and warnings about the source in line order: line number and message.
  package static func messages(
    for source: String, languageMode: Int = 6
  ) throws -> [(line: Int, text: String)] {
    let folder = try TemporaryFolder()
    try folder.write(source, to: "user.swift")
    let text = try output(
      of: ["-swift-version", "\(languageMode)", folder["user.swift"]])
    var messages: [(line: Int, text: String)] = []
    for line in text.split(separator: "\n") {
      // user.swift:8:3: error: the message
      guard let start = line.range(of: folder["user.swift"] + ":") else {
        // No file, module or compiler was found.
        if line.contains("error:") { messages.append((0, String(line))) }
        continue
      }
      let parts = line[start.upperBound...].split(separator: ":", maxSplits: 3)
      guard parts.count == 4, let number = Int(parts[0]),
        ["error", "warning"].contains(parts[2].trimmingCharacters(in: .whitespaces))
      else { continue }
      messages.append((number, parts[3].trimmingCharacters(in: .whitespaces)))
    }
    return messages.sorted { $0.line < $1.line }
  }

  /// The errors and warnings about each of some sources, which are compiled together, since a start
  /// of the compiler takes longer than a source. A message about the declarations before them is a
  /// message about each source.
  package static func messages(
    forEach sources: [String], after declarations: String
  ) throws -> [[String]] {
    let found = try messages(for: declarations + "\n" + sources.joined(separator: "\n"))
    var end = declarations.count { $0 == "\n" } + 1
    let common = found.filter { $0.line <= end }.map(\.text)
    return sources.map { source in
      let start = end
      end += source.count { $0 == "\n" } + 1
      return common + found.filter { $0.line > start && $0.line <= end }.map(\.text)
    }
  }

  /// The errors about files of one module, with the places that their lines name.
  package static func errors(in files: [String]) throws -> [String] {
    try output(of: ["-swift-version", "6", "-wmo", "-module-name", "Samples"] + files)
      .split(separator: "\n").map(String.init).filter { $0.contains("error: ") }
  }

  /// The errors about the syntax of a file, with the places that its lines name.
  package static func syntaxErrors(in file: String) throws -> [String] {
    try run(["swiftc", "-frontend", "-parse", "-diagnostic-style", "llvm", file])
      .split(separator: "\n").map(String.init).filter { $0.contains("error: ") }
  }

  /// A public symbol of a module.
  package struct Symbol: Sendable {
    /// The path of names: Defaults, Key, `reset()`.
    package let components: [String]
    package let isDocumented: Bool
    /// Swift's name for the kind of declaration: `struct`, `class`, `method`.
    package let kind: String
    /// The declaration on one line.
    package let declaration: String
  }

  private static let knownSymbols = Mutex<[String: [Symbol]]>([:])

  /// The public symbols of a module, including those that it adds to another one, without those
  /// that the compiler synthesizes. They are extracted once per run.
  package static func symbols(of module: String) throws -> [Symbol] {
    try knownSymbols.withLock { known in
      if let symbols = known[module] { return symbols }
      let symbols = try extractedSymbols(of: module)
      known[module] = symbols
      return symbols
    }
  }

  private static let triple = Result {
    struct Information: Decodable {
      struct Target: Decodable { let unversionedTriple: String }
      let target: Target
    }
    return try JSONDecoder().decode(
      Information.self, from: Data(run(["swiftc", "-print-target-info"]).utf8)
    ).target.unversionedTriple
  }

  private static func extractedSymbols(of module: String) throws -> [Symbol] {
    struct Graph: Decodable {
      struct Symbol: Decodable {
        struct Comment: Decodable {}
        struct Kind: Decodable { let identifier: String }
        struct Fragment: Decodable { let spelling: String }
        let pathComponents: [String]
        let docComment: Comment?
        let kind: Kind
        let declarationFragments: [Fragment]
      }
      let symbols: [Symbol]
    }
    let folder = try TemporaryFolder()
    _ = try run([
      "swift", "symbolgraph-extract", "-module-name", module, "-I", try modules(),
      "-target", try triple.get(), "-output-dir", folder.path,
      "-minimum-access-level", "public", "-skip-synthesized-members",
    ])
    let graphs = try folder.names().map { name in
      try JSONDecoder().decode(Graph.self, from: Data(contentsOf: folder.url(name)))
    }
    return graphs.flatMap(\.symbols).map { symbol in
      Symbol(
        components: symbol.pathComponents, isDocumented: symbol.docComment != nil,
        kind: symbol.kind.identifier.split(separator: ".").last.map(String.init) ?? "",
        declaration: symbol.declarationFragments.map(\.spelling).joined()
          .split(whereSeparator: \.isWhitespace).joined(separator: " "))
    }
  }

  /// The compiler's output for files that are only type-checked.
  private static func output(of arguments: [String]) throws -> String {
    try run(
      ["swiftc", "-typecheck", "-diagnostic-style", "llvm", "-I", try modules()] + arguments)
  }

  /// The output of a tool of the toolchain.
  private static func run(_ arguments: [String]) throws -> String {
    let (id, output) = try start(arguments)
    var bytes: [UInt8] = []
    while case let more = output.read(), !more.isEmpty { bytes += more }
    _ = Child.ending(of: id)
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func start(_ arguments: [String]) throws -> (pid_t, output: Descriptor) {
    let pipe = try Descriptor.pipe()
    let id = try Child.spawn(
      "/usr/bin/env", arguments, ProcessInfo.processInfo.environment,
      output: pipe.writing, error: pipe.writing)
    return (id, pipe.reading)
  }

  /// The folder of the package's modules: next to the running tests.
  private static func modules() throws -> String {
    let products = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
    for folder in [products, products.deletingLastPathComponent()] {
      let modules = folder.appending(path: "Modules").path
      if FileManager.default.fileExists(atPath: modules + "/Defaults.swiftmodule") {
        return modules
      }
    }
    throw CocoaError(.fileNoSuchFile, userInfo: [NSFilePathErrorKey: products.path])
  }
}
