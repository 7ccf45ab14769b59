import DefaultsText
import Testing

@Suite("The nearest name")
struct NearestNameTests {
  @Test(
    "One mistake in three letters is near, and letters that are exchanged are one mistake",
    arguments: [
      ("prot", "port"), ("volme", "volume"), ("volunme", "volume"), ("volune", "volume"),
      ("Theme", "theme"), ("oprt", "port"), ("ab", "ba"),
    ])
  func near(name: String, meant: String) {
    #expect(NearestName.of(name, in: ["something", meant, "else"]) == meant)
  }

  @Test("Two mistakes in five letters aren't near")
  func far() { #expect(NearestName.of("tehem", in: ["theme"]) == nil) }

  @Test("One letter is near to no other letter, nor to a name of two letters")
  func oneLetter() {
    #expect(NearestName.of("x", in: ["a", "b", "y", "xy"]) == nil)
    #expect(NearestName.of("-x", in: ["-h", "-v"]) == nil)
    #expect(NearestName.of("X", in: ["a", "x"]) == "x")
    #expect(NearestName.of("", in: ["a"]) == nil)
  }

  @Test("The dashes of an option are no letters")
  func dashes() {
    #expect(NearestName.of("-help", in: ["--help", "-h"]) == "--help")
    #expect(NearestName.of("--prot", in: ["--part", "--port"]) == "--port")
  }

  @Test("Of names with as few mistakes the first by name is the nearest")
  func equal() {
    #expect(NearestName.of("part", in: ["port", "pert"]) == "pert")
  }
}
