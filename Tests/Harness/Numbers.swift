import Foundation

/// The figures quoted in the documentation: a file that the benchmarks and stress tests write, and
/// the places in the pages.
///
/// A place is a figure followed by a comment with its name: `1.6 ns<!-- =read an Int -->`.
package struct Numbers {
  /// The figures as the pages quote them, by name.
  package private(set) var figures: [String: String]
  private let package: URL

  /// Reads the figures of the package in a folder.
  package init(of package: URL) throws {
    self.package = package
    figures = try JSONDecoder().decode(
      [String: String].self, from: Data(contentsOf: Self.file(in: package)))
  }

  private static func file(in package: URL) -> URL {
    package.appending(path: "Tests/numbers.json")
  }

  /// Writes new figures into the file and the pages. Figures in neither of them are ignored.
  package mutating func record(_ new: [String: String]) throws {
    var quoted: Set<String> = []
    for path in try Self.texts(of: package) {
      let url = package.appending(path: path)
      let text = try String(contentsOf: url, encoding: .utf8)
      var changed = text
      for (what, figure) in new where text.contains(Self.mark(what)) {
        quoted.insert(what)
        guard let old = figures[what] else { continue }
        changed = changed.replacingOccurrences(
          of: old + Self.mark(what), with: figure + Self.mark(what))
      }
      if changed != text { try Data(changed.utf8).write(to: url, options: .atomic) }
    }
    let new = new.filter { quoted.contains($0.key) || figures[$0.key] != nil }
    figures.merge(new) { _, new in new }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    try (encoder.encode(figures) + Data("\n".utf8)).write(to: Self.file(in: package))
  }

  /// The places of a text that differ from the file, and the expected figures.
  package func mistakes(in text: String) -> [String] {
    text.matches(of: /<!-- =(.*?) -->/).compactMap { match in
      let what = String(match.output.1)
      guard let figure = figures[what] else { return "There is no figure of \(what)" }
      return text[..<match.range.lowerBound].hasSuffix(figure)
        ? nil : "\(what) is \(figure) in the file"
    }
  }

  /// The number of places in a text.
  package static func count(in text: String) -> Int { text.matches(of: /<!-- =.*? -->/).count }

  private static func mark(_ what: String) -> String { "<!-- =\(what) -->" }

  /// The paths of the README and of all DocC pages, sorted.
  package static func texts(of package: URL) throws -> [String] {
    let sources = package.appending(path: "Sources")
    let paths = try FileManager.default.subpathsOfDirectory(atPath: sources.path)
    let pages = paths.filter { $0.hasSuffix(".md") && $0.contains(".docc/") }
    return ["README.md"] + pages.sorted().map { "Sources/\($0)" }
  }

  /// The date, the machine and the system of a measurement.
  package static func occasion(_ note: String?) -> String {
    let system = ProcessInfo.processInfo
    let day = Date.now.formatted(.iso8601.year().month().day())
    return "\(day), \(system.activeProcessorCount) cores, \(system.operatingSystemVersionString)"
      + (note.map { "; \($0)" } ?? "")
  }
}
