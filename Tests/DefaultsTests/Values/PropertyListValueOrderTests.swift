import Foundation
import Testing

@testable import Defaults

@Suite("Canonical order of property list values")
struct PropertyListValueOrderTests {
  typealias Value = Defaults.PropertyListValue

  /// In ascending order.
  static let ascending: [Value] = [
    false, true, .integer(.min), -1, 0, 1, .integer(.max), .unsignedInteger(1 << 63),
    .unsignedInteger(.max), .real(-.nan), .real(-.infinity), -1.5, .real(-0.0), 0.0,
    .real(.leastNonzeroMagnitude), 1.0, .real(.infinity), .real(.nan),
    .date(Date(timeIntervalSinceReferenceDate: -1)), .date(Date(timeIntervalSinceReferenceDate: 1)),
    "", "a", "a\0", "b", "e\u{301}", "\u{E9}", "🦄", .data(Data()), .data(Data([0])),
    .data(Data([0, 1])), .data(Data([1])), [], [1], [1, 1], [2], [[]], [:], ["a": 1],
    ["a": 1, "b": 1], ["a": 2], ["b": 0],
  ]

  @Test("The order of values is total, antisymmetric and consistent with equality")
  func order() {
    for (index, value) in Self.ascending.enumerated() {
      for (otherIndex, other) in Self.ascending.enumerated() {
        let expected = (index > otherIndex ? 1 : 0) - (index < otherIndex ? 1 : 0)
        #expect(value.compare(to: other).signum() == expected, "\(value) and \(other)")
        #expect((value == other) == (index == otherIndex))
      }
    }
    #expect(Value.integer(5).compare(to: .unsignedInteger(5)) == 0)
    #expect(Value.unsignedInteger(5).compare(to: .integer(5)) == 0)
  }
}
