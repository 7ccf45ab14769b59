/// The samples of an article as one source file, as a reader would combine them.
///
/// Types and extensions are at file scope, private to the file, so that all articles can be
/// compiled as one module. Statements are in functions, each block's function inside that of the
/// previous block: they may use or redeclare the names of earlier blocks. The compiler's messages
/// have the article and its line.
struct SampleSource {
  private var imports: [String] = []
  private var declarations: [String] = []
  private var statements: [String] = []
  private var depth = 0

  init(_ article: Article) {
    for block in article.blocks where !block.isLeftOut {
      add(block, of: article.path)
    }
  }

  var text: String {
    (imports + declarations + ["private func samples() throws {"] + statements
      + Array(repeating: "}", count: depth + 1) + [""]).joined(separator: "\n")
  }

  private mutating func add(_ block: Article.Block, of path: String) {
    let effects = block.lines.contains { $0.contains("await ") } ? "async throws" : "throws"
    statements.append("func block\(depth)() \(effects) {")
    depth += 1
    /// The number of open braces of a declaration, and the attributes before it.
    var open: Int?
    var attributes: [String] = []
    /// The line after the last statement: no directive may be inside a statement.
    var next = -1
    for (index, line) in block.lines.enumerated() {
      let place = "#sourceLocation(file: \"\(path)\", line: \(block.firstLine + index))"
      let balance = line.count(where: { $0 == "{" }) - line.count(where: { $0 == "}" })
      if let depth = open {
        declarations.append(line)
        open = depth + balance == 0 && line.hasPrefix("}") ? nil : depth + balance
      } else if line.hasPrefix("import ") {
        imports += [place, line]
      } else if line.firstMatch(of: /^@\w+(\(.*\))?$/) != nil {
        attributes += attributes.isEmpty ? [place, line] : [line]
      } else if let declaration = Self.declaration(line) {
        declarations += (attributes.isEmpty ? [place] : attributes) + [declaration]
        attributes = []
        open = balance == 0 && line.contains("}") ? nil : balance
      } else {
        let isNext = index == next || !attributes.isEmpty
        statements += attributes + (isNext ? [] : [place]) + [line]
        next = index + 1
        attributes = []
      }
    }
  }

  /// A line that begins a type, an extension or a function, made as private as possible; nil for
  /// others.
  private static func declaration(_ line: String) -> String? {
    let words = /(@\w+(\([^)]*\))? )*(nonisolated )?(final |indirect )?/
    let types = /(struct|class|enum|actor|protocol|func) .*/
    if let match = line.prefixMatch(of: words) {
      let rest = line[match.range.upperBound...]
      if rest.wholeMatch(of: types) != nil { return line[match.range] + "private " + rest }
    }
    guard line.hasPrefix("extension ") || line.hasPrefix("nonisolated extension ") else {
      return line.hasPrefix("public ") ? line : nil
    }
    // A conformance has no access modifier.
    let head = line.split(separator: " where ")[0].split(separator: "{")[0]
    return head.contains(":") ? line : "fileprivate " + line
  }
}
