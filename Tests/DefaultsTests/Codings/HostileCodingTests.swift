import Defaults
import DefaultsCompression
import Foundation
import Testing

@Suite("Codings of hostile entries")
struct HostileCodingTests {
  private struct Tree: Codable, Equatable {
    var name: String?
    var value = Int8(0)
    var date: Date?
    var numbers: [Int?] = []
    var trees: [String: Tree] = [:]
    var set: Set<UInt> = []
    var pairs: [Double: Float] = [:]
  }

  private enum Level: Int { case low, high }

  private struct Generator {
    var random = SystemRandomNumberGenerator()

    private static let names = [
      "name", "value", "date", "numbers", "trees", "set", "pairs", "", "super", "0", "e\u{301}",
    ]
    private static let texts = [
      "", "true", "-0", "1e999", "AQID", "{}", "[", "null", "2001-01-01T00:00:00Z",
      "9999-99-99T99:99:99Z", "\0", "https://", "🦄", "nan", "99999999999999999999999999999999999",
    ]
    private static let reals = [0, -0.0, 0.5, -1e300, .infinity, .nan, 5e18, 1.8e19, 128]

    mutating func value(depth: Int) -> Defaults.PropertyListValue {
      switch Int.random(in: 0..<(depth > 0 ? 12 : 8), using: &random) {
      case 0: .bool(.random(using: &random))
      case 1: .integer(Int64.random(in: -2...300, using: &random))
      case 2: .integer(.random(in: .min ... .max, using: &random))
      case 3: .unsignedInteger(.random(in: (1 << 63)...UInt64.max, using: &random))
      case 4: .real(Self.reals.randomElement(using: &random) ?? 0)
      case 5: .string(Self.texts.randomElement(using: &random) ?? "")
      case 6: .date(Date(timeIntervalSinceReferenceDate: .random(in: -1e12...1e12)))
      case 7: .data(Data((0..<Int.random(in: 0..<9)).map { _ in UInt8.random(in: 0...255) }))
      case 8, 9: .array((0..<Int.random(in: 0..<4)).map { _ in value(depth: depth - 1) })
      default: dictionary(depth: depth)
      }
    }

    mutating func dictionary(depth: Int) -> Defaults.PropertyListValue {
      var elements: [String: Defaults.PropertyListValue] = [:]
      for name in Self.names where Bool.random(using: &random) {
        elements[name] = value(depth: depth - 1)
      }
      return .dictionary(elements)
    }
  }

  /// Reads an entry; an accepted value must be read back after it is written.
  private func check<V: Equatable>(
    _ coding: Defaults.Coding<V>, _ entry: Defaults.PropertyListValue
  ) throws {
    guard let value = try? coding.value(ofEntry: entry) else { return }
    guard let written = try? coding.edit(for: value).entry else { return }
    let copy = try coding.value(ofEntry: written)
    let again = try coding.edit(for: copy).entry
    try #require(again == written, "\(entry)")
  }

  @Test("No entry makes a coding trap, and every accepted value is exact")
  func entries() throws {
    var generator = Generator()
    for _ in 0..<3_000 {
      let entry = generator.value(depth: 4)
      try check(Defaults.Coding<Tree>.propertyList, generator.dictionary(depth: 4))
      try check(Defaults.Coding<Tree>.propertyList, entry)
      try check(Defaults.Coding<[[Int8?]: [String?]]>.propertyList, entry)
      try check(Defaults.Coding<Tree>.json, entry)
      try check(Defaults.Coding<Date>.iso8601, entry)
      try check(Defaults.Coding<Date>.timeInterval, entry)
      try check(Defaults.Coding<Date>.secondsSince1970, entry)
      try check(Defaults.Coding<Bool>.text, entry)
      try check(Defaults.Coding<UInt8>.text, entry)
      try check(Defaults.Coding<Double>.text, entry)
      try check(Defaults.Coding<Level>.rawValue.reading(.rawValue.then(.text)), entry)
      try check(Defaults.Coding<URL>.text, entry)
      try check(Defaults.Coding<Data>.base64, entry)
      try check(Defaults.Coding<Data>.compressed, entry)
      try check(
        Defaults.Coding<[Int: [Date?]]>.dictionary(of: .array(of: .optional(.iso8601))), entry)
    }
  }
}
