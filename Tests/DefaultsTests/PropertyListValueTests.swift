import Defaults
import Testing

@Suite("Property list values")
struct PropertyListValueTests {
  @Test("An integer is the same number in either case")
  func integersCompareByNumber() {
    #expect(Defaults.PropertyListValue.integer(5) == .unsignedInteger(5))
    #expect(Defaults.PropertyListValue.integer(-1) != .unsignedInteger(.max))
  }
}
