import Defaults
import Foundation
import TestSupport
import Testing

@Suite("Codings of dates")
struct DateCodingTests {
  private let iso8601 = Defaults.Coding<Date>.iso8601

  private func date(_ interval: Double) -> Date { Date(timeIntervalSinceReferenceDate: interval) }

  @Test(
    "An ISO 8601 date is written with exactly as many digits of the second as it needs",
    arguments: [
      (0, "2001-01-01T00:00:00Z"),
      (0.5, "2001-01-01T00:00:00.5Z"),
      (-0.25, "2000-12-31T23:59:59.75Z"),
      (-1, "2000-12-31T23:59:59Z"),
      (-2.75, "2000-12-31T23:59:57.25Z"),
      (1e-10, "2001-01-01T00:00:00.0000000001Z"),
      (817_488_000.123_456, "2026-11-27T16:00:00.123456Z"),
      (-978_307_200, "1970-01-01T00:00:00Z"),
      (-63_113_904_000, "0001-01-01T00:00:00Z"),
      (-63_145_526_400, "0000-01-01T00:00:00Z"),
      (252_423_993_599, "9999-12-31T23:59:59Z"),
      (-26_524_800, "2000-02-29T00:00:00Z"),
      (5_097_600, "2001-03-01T00:00:00Z"),
      (-26_438_400, "2000-03-01T00:00:00Z"),
    ] as [(Double, String)])
  func forms(interval: Double, text: String) {
    expect(iso8601, date(interval), isStoredAs: .string(text))
  }

  @Test("Ten thousand random ISO 8601 dates are read back bit for bit, also by Foundation")
  func random() throws {
    let strategy = Date.ISO8601FormatStyle()
    for index in 0..<10_000 {
      let interval =
        switch index % 4 {
        case 0: Double.random(in: -63_145_526_400..<252_423_993_600)
        case 1: Double.random(in: 700_000_000..<900_000_000)
        case 2: Double.random(in: -1..<1)
        default: Double.random(in: -60_000_000_000..<250_000_000_000).rounded()
        }
      let stored = try #require(try iso8601.edit(for: date(interval)).entry)
      let copy = try iso8601.value(ofEntry: stored)
      try #require(copy.timeIntervalSinceReferenceDate.bitPattern == interval.bitPattern)
      guard index % 4 == 3, case .string(let text) = stored, interval > -10_000_000_000 else {
        continue
      }
      try #require(try strategy.parse(text) == date(interval))
    }
  }

  @Test(
    "A date without an ISO 8601 text is rejected",
    arguments: [252_423_993_600, -63_145_526_400.001, 1e300, .infinity, -.infinity, .nan, -0.0])
  func refusedDates(interval: Double) {
    expect(
      iso8601, refusesToWrite: date(interval),
      "the date \(interval) seconds after 2001 has no text in ISO 8601, "
        + "which has no years after 9999"
    )
  }

  @Test(
    "ISO 8601 text is read with any offset and any number of digits",
    arguments: [
      ("2001-01-01T02:00:00+02:00", 0), ("2000-12-31T19:00:00-0500", 0),
      ("2001-01-01T02:00:00+02", 0), ("2001-01-01 00:00:00z", 0), ("2001-01-01t00:00:01,500Z", 1.5),
      ("2001-01-01T00:00:00.10000000000000000000000000000000000000000000000000Z", 0.1),
      ("2000-12-31T23:59:59-00:00", -1),
    ] as [(Defaults.PropertyListValue, Double)])
  func tolerance(stored: Defaults.PropertyListValue, interval: Double) {
    expect(iso8601, reads: stored, as: date(interval))
  }

  @Test("The ISO 8601 coding reads a stored date unchanged")
  func native() {
    expect(iso8601, reads: .date(date(0.1)), as: date(0.1))
  }

  @Test(
    "Text that isn't a complete ISO 8601 date is rejected",
    arguments: [
      "", "2001", "2001-01-01", "2001-01-01T00:00:00", "2001-01-01T00:00Z",
      "2001-13-01T00:00:00Z", "2001-02-29T00:00:00Z", "1900-02-29T00:00:00Z",
      "2001-04-31T00:00:00Z", "2001-01-00T00:00:00Z", "2001-01-01T24:00:00Z",
      "2001-01-01T00:60:00Z", "2001-01-01T00:00:60Z", "2001-01-01T00:00:00.Z",
      "2001-01-01T00:00:00Z ", " 2001-01-01T00:00:00Z", "2001-01-01T00:00:00+2:00",
      "2001-01-01T00:00:00+24:00", "2001-01-01T00:00:00+", "2001-01-01T00:00:00+02:",
      "２001-01-01T00:00:00Z", "-001-01-01T00:00:00Z", "2001-01-01T00:00:00\0Z",
    ])
  func refusedText(text: String) {
    expect(
      iso8601, refuses: .string(text),
      "\"\(escaped(text))\" isn't a date, time and offset such as \"2026-11-21T08:30:00Z\"")
  }

  @Test("A date can be stored as exact seconds since 2001")
  func timeInterval() {
    expect(.timeInterval, date(817_488_000.1), isStoredAs: 817_488_000.1)
    expect(.timeInterval, date(-0.5), isStoredAs: -0.5)
    expect(Defaults.Coding<Date>.timeInterval, reads: 5, as: date(5))
    expect(Defaults.Coding<Date>.timeInterval, reads: .date(date(5)), as: date(5))
    expect(
      Defaults.Coding<Date>.timeInterval, refuses: "5",
      "it is a string, and a number was expected")
    expect(.timeInterval.then(.text), date(0.1), isStoredAs: "0.1")
  }

  @Test("A date is stored as seconds since 1970 if they are exact, and otherwise rejected")
  func unixTime() {
    let coding = Defaults.Coding<Date>.secondsSince1970
    expect(coding, Date(timeIntervalSince1970: 1_800_000_000), isStoredAs: 1_800_000_000.0)
    expect(
      coding, Date(timeIntervalSince1970: 0.1),
      isStoredAs: .real(Date(timeIntervalSince1970: 0.1).timeIntervalSince1970))
    let fine = date((817_488_000.0).nextUp)
    expect(
      coding, refusesToWrite: fine,
      "the date is too precise for seconds since 1970; round it with "
        + "Date(timeIntervalSince1970: date.timeIntervalSince1970)")
    let rounded = Date(timeIntervalSince1970: fine.timeIntervalSince1970)
    expect(coding, rounded, isStoredAs: .real(rounded.timeIntervalSince1970))
  }

  @Test("No coding reads or writes the seconds of a NaN date")
  func notANumber() {
    let reason = "the date is NaN, which isn't an instant"
    let codings: [Defaults.Coding<Date>] = [.timeInterval, .secondsSince1970, .propertyList]
    for coding in codings {
      expect(coding, refusesToWrite: date(.nan), reason)
      expect(coding, refuses: .date(date(.nan)), reason)
    }
    for coding in codings.prefix(2) { expect(coding, refuses: .real(.nan), reason) }
    expect(iso8601, refuses: .date(date(.nan)), reason)
  }

  @Test("A coding chain can continue after ISO 8601 text")
  func chains() {
    expect(.iso8601.utf8.base64, date(0), isStoredAs: "MjAwMS0wMS0wMVQwMDowMDowMFo=")
  }
}
