import Foundation
import Testing

/// The compiler of this machine, asked what it says of a file that imports the library.
enum Compiler {
  /// The errors and warnings about the source, in the order of its lines: the number of the line,
  /// and the sentence.
  static func messages(
    for source: String, languageMode: Int = 6
  ) throws -> [(line: Int, text: String)] {
    let folder = try TemporaryFolder()
    try folder.write(source, to: "user.swift")
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments =
      [
        "swiftc", "-typecheck", "-swift-version", "\(languageMode)", "-diagnostic-style", "llvm",
        "-I", try modules(), folder["user.swift"],
      ]
    let output = Pipe()
    process.standardError = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    var messages: [(line: Int, text: String)] = []
    for line in text.split(separator: "\n") {
      // user.swift:8:3: error: the sentence
      guard let start = line.range(of: folder["user.swift"] + ":") else {
        // No file, no module, no compiler: nothing is known.
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

  /// Where the modules of the package lie: beside the tests that are running.
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
