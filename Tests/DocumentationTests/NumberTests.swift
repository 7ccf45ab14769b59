import Harness
import TestSupport
import Testing

@Suite("Numbers in the documentation")
struct NumberTests {
  @Test("The documentation has the figures of the benchmarks and the stress test")
  func agreement() throws {
    let numbers = try Numbers(of: Article.package)
    for article in try Article.all() {
      #expect(numbers.mistakes(in: article.text) == [], "\(article.path)")
    }
  }

  @Test("The README and articles quote figures, so the search for them finds some")
  func presence() throws {
    let counts = try Article.all().map { (path: $0.path, count: Numbers.count(in: $0.text)) }
    #expect((counts.first { $0.path == "README.md" }?.count ?? 0) >= 12)
    #expect(counts.count { $0.count > 0 } >= 3)
  }

  @Test("A new figure replaces the old one in the file of figures and in the documentation")
  func recording() throws {
    let folder = try TemporaryFolder()
    try folder.makeFolder("Tests")
    try folder.makeFolder("Sources/A/A.docc")
    try folder.write(#"{"a": "1 ns", "b": "2"}"#, to: "Tests/numbers.json")
    try folder.write("It takes 1 ns<!-- =a -->, not 1 ns.", to: "README.md")
    try folder.write("| 2<!-- =b --> | 3<!-- =c --> |", to: "Sources/A/A.docc/A.md")
    var numbers = try Numbers(of: folder.url("."))
    try numbers.record(["a": "4 ns", "d": "5", "c": "3"])
    #expect(try folder.text(of: "README.md") == "It takes 4 ns<!-- =a -->, not 1 ns.")
    #expect(try Numbers(of: folder.url(".")).figures == ["a": "4 ns", "b": "2", "c": "3"])
    let page = try folder.text(of: "Sources/A/A.docc/A.md")
    #expect(numbers.mistakes(in: page) == [])
    #expect(numbers.mistakes(in: "5<!-- =d -->") == ["There is no figure of d"])
    #expect(numbers.mistakes(in: "3<!-- =b -->") == ["b is 2 in the file"])
  }
}
