import TestSupport
import Testing

@Suite("Compiler messages for layers", .tags(.slow))
struct LayerMistakeTests {
  private static let mistakes = [
    (".environment", "give the prefix of the program's variables"),
    (".managed", "write `.managed()`"), (".site", "write `.site()`"),
    (".profile", "write `.profile()`"),
  ]

  private func messages(for layers: [String]) throws -> [[String]] {
    try Compiler.messages(
      forEach: layers.enumerated().map {
        "func use\($0)() throws { _ = try Defaults.LayeredSuite(\($1), .writable(.standard)) }"
      }, after: "import Defaults\nimport DefaultsLayers")
  }

  @Test("A layer without its arguments doesn't compile, and the error shows the correct call")
  func missingArguments() throws {
    for (mistake, texts) in zip(Self.mistakes, try messages(for: Self.mistakes.map(\.0))) {
      #expect(texts.contains { $0.contains(mistake.1) }, "\(mistake.0): \(texts)")
      #expect(!texts.contains { $0.contains("failed to produce diagnostic") })
    }
  }

  @Test("A layer with its arguments compiles")
  func correctCalls() throws {
    let layers = [
      ".environment(prefix: \"\")", ".environment(prefix: \"A_\", [:]).allowingUnknown",
      ".managed()", ".managed(\"app\")", ".site()", ".profile(), .site()", ".profile(\"work\")",
    ]
    #expect(try messages(for: layers) == layers.map { _ in [] })
  }
}
