import Testing

@testable import Defaults

@Suite("Exact text of reals")
struct ExactRealTests {
  @Test(
    "A real is read back from its text bit for bit",
    arguments: [
      (0, "0.0"), (-0.0, "-0.0"), (0.1, "0.1"), (1e300, "1e+300"), (.infinity, "inf"),
      (-.infinity, "-inf"), (.nan, "nan"),
      (Double(bitPattern: 0x7ff8_0000_0000_0001), "0x7ff8000000000001"),
      (Double(bitPattern: 0xfff0_0000_0000_0001), "0xfff0000000000001"),
    ])
  func roundTrip(real: Double, text: String) {
    #expect(Defaults.ExactText.text(of: real) == text)
    #expect(Defaults.ExactText.real(text)?.bitPattern == real.bitPattern)
  }

  @Test("Any decimal is read as a real", arguments: ["5", "+5", "-5.50", ".5", "1e3", "1E-5"])
  func decimals(text: String) { #expect(Defaults.ExactText.real(text) == Double(text)) }

  @Test(
    "Hexadecimal text is read as a real only if it is the text of a NaN",
    arguments: [
      "0x", "0x10", "0x+7ff8000000000001", "0x07ff8000000000001", "0x7FF8000000000001",
      "0X7ff8000000000001", "0x7ff8000000000000", "0x7ff0000000000000", "0x3ff0000000000000",
      "0x1p3", "0X1p3", "-0x1p3",
    ])
  func hexadecimal(text: String) { #expect(Defaults.ExactText.real(text) == nil) }

  @Test(
    "Other words, white space and decimals that are too large aren't read as reals",
    arguments: ["", " 1", "NaN", "nan(0x1)", "Inf", "infinity", "1e999", "1,5", "٣"])
  func others(text: String) { #expect(Defaults.ExactText.real(text) == nil) }
}
