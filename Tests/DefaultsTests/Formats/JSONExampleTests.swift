import Defaults
import Foundation
import Testing

@Suite("Examples of values in JSON")
struct JSONExampleTests {
  /// Checks the error for a wrong JSON value, and that the key reads the example in the error.
  private func check<Value>(
    _ key: Defaults.Key<Value>, _ suite: Defaults.MemorySuite, wrong: String, example: String
  ) throws {
    func entries(_ value: String) throws -> [String: Defaults.PropertyListValue] {
      try Defaults.JSONFormat().decode(Data("{\"\(key.name)\": \(value)}".utf8))
    }
    let error = #expect(throws: Defaults.SuiteError.self) {
      try suite.importEntries(.keys(key), from: entries(wrong))
    }
    #expect(error?.reason.contains("; in JSON, write \(example)") == true)
    try suite.importEntries(.keys(key), from: entries(example))
    #expect(suite.entries.keys.contains(key.name))
  }

  @Test("The error about a date, data or a decimal in a wrong form shows a form that JSON reads")
  func examples() throws {
    let suite = Defaults.MemorySuite()
    try check(
      Defaults.Key<Date?>("date", suite: suite), suite, wrong: "\"2026-01-01T00:00:00Z\"",
      example: #"{"$date": "2026-01-01T00:00:00Z"}"#)
    try check(
      Defaults.Key<Data?>("data", suite: suite), suite, wrong: "\"AAEC\"",
      example: #"{"$data": "AAEC"}"#)
    try check(
      Defaults.Key<Decimal?>("decimal", suite: suite), suite, wrong: "1.5", example: #""1.5""#)
    try check(
      Defaults.Key<Date?>("text", coding: .iso8601, suite: suite), suite, wrong: "1.5",
      example: #""2026-01-01T00:00:00Z""#)
  }
}
