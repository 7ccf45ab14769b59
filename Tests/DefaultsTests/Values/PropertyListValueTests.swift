import Defaults
import Foundation
import Testing

@Suite("Property list values")
struct PropertyListValueTests {
  @Test("An integer is the same number in either case")
  func integersCompareByNumber() {
    #expect(Defaults.PropertyListValue.integer(5) == .unsignedInteger(5))
    #expect(Defaults.PropertyListValue.integer(-1) != .unsignedInteger(.max))
  }

  @Test("Every date has a description, also one that is no time")
  func dates() {
    let none = Defaults.PropertyListValue.date(Date(timeIntervalSinceReferenceDate: .nan))
    #expect(none.description == "nan")
    #expect(
      Defaults.PropertyListValue.date(Date(timeIntervalSinceReferenceDate: 0.5)).description
        == "2001-01-01T00:00:00.5Z")
  }
}
