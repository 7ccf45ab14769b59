import Foundation
import FuzzInputs
import Testing

@testable import Defaults

@Suite("Exact text of dates")
struct ExactDateTests {
  static let known: [(Double, String)] = [
    (0, "2001-01-01T00:00:00Z"),
    (-1, "2000-12-31T23:59:59Z"),
    (-0.5, "2000-12-31T23:59:59.5Z"),
    (0.1, "2001-01-01T00:00:00.1Z"),
    (-978_307_200, "1970-01-01T00:00:00Z"),
    (-63_145_526_400, "0000-01-01T00:00:00Z"),
    (-63_114_076_800, "0000-12-30T00:00:00Z"),
    (252_423_993_599, "9999-12-31T23:59:59Z"),
    (252_423_993_600, "252423993600.0"),
    (-63_145_526_401, "-63145526401.0"),
    (5_097_599, "2001-02-28T23:59:59Z"),
    (99_792_000, "2004-03-01T00:00:00Z"),
    (-26_524_800, "2000-02-29T00:00:00Z"),
    (1e-20, "1e-20"),
    (-0.0, "-0.0"),
    (.nan, "nan"),
  ]

  @Test("Known dates have the expected text", arguments: known)
  func text(seconds: Double, text: String) throws {
    let date = Date(timeIntervalSinceReferenceDate: seconds)
    #expect(Defaults.ExactText.text(of: date) == text)
    let read = try #require(Defaults.ExactText.date(text))
    #expect(Defaults.PropertyListValue.date(read) == .date(date))
  }

  @Test(
    "Whole numbers aren't read as dates", arguments: ["2026", "20261121", "+5", "-5", "0", "", "-"])
  func wholeNumbers(text: String) {
    #expect(Defaults.ExactText.date(text) == nil)
  }

  @Test("The text of dates uses the same calendar as Foundation")
  func calendar() {
    var style = Date.ISO8601FormatStyle()
    style.timeZone = .gmt
    for day in stride(from: -100_000.0, through: 200_000, by: 137) {
      let date = Date(timeIntervalSinceReferenceDate: day * 86_400 + 12_345)
      #expect(Defaults.ExactText.text(of: date) == style.format(date))
    }
  }

  @Test("Any date is read back from its text bit for bit")
  func random() {
    var generator = SplitMix64(state: 7)
    for round in 0..<5_000 {
      let seconds =
        switch round % 3 {
        case 0: Double.random(in: -1e9...1e9, using: &generator)
        case 1: Double.random(in: -6e10...2e11, using: &generator)
        default: Double(bitPattern: UInt64.random(in: 0 ... .max, using: &generator))
        }
      let date = Date(timeIntervalSinceReferenceDate: seconds)
      let read = Defaults.ExactText.date(Defaults.ExactText.text(of: date))
      #expect(read.map(Defaults.PropertyListValue.date) == .date(date))
    }
  }
}
