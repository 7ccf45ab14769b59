import DefaultsText
import Testing

@Suite("Nearest names")
struct NearestNameTests {
  @Test(
    "A name with one mistake, such as two swapped letters, finds the nearest name",
    arguments: [
      ("prot", "port"), ("volme", "volume"), ("volunme", "volume"), ("volune", "volume"),
      ("Theme", "theme"), ("oprt", "port"), ("ab", "ba"),
    ])
  func near(name: String, meant: String) {
    #expect(NearestName.of(name, in: ["something", meant, "else"]) == meant)
  }

  @Test("A name of five letters with two mistakes finds no nearest name")
  func far() { #expect(NearestName.of("tehem", in: ["theme"]) == nil) }

  @Test("A name of one letter finds no nearest name of one or two letters")
  func oneLetter() {
    #expect(NearestName.of("x", in: ["a", "b", "y", "xy"]) == nil)
    #expect(NearestName.of("-x", in: ["-h", "-v"]) == nil)
    #expect(NearestName.of("X", in: ["a", "x"]) == "x")
    #expect(NearestName.of("", in: ["a"]) == nil)
  }

  @Test("The search for the nearest name ignores the dashes of an option")
  func dashes() {
    #expect(NearestName.of("-help", in: ["--help", "-h"]) == "--help")
    #expect(NearestName.of("--prot", in: ["--part", "--port"]) == "--port")
  }

  @Test("Of equally similar names, the alphabetically first one is the nearest")
  func equal() {
    #expect(NearestName.of("part", in: ["port", "pert"]) == "pert")
  }
}
