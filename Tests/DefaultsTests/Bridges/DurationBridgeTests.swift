import Defaults
import DefaultsLayers
import DefaultsText
import Foundation
import TestSupport
import Testing

@Suite("The bridge of durations")
struct DurationBridgeTests {
  typealias Stored = Defaults.PropertyListValue

  @Test(
    "A duration is stored as the shortest number of seconds",
    arguments: [
      (Duration.zero, 0.0), (.seconds(5), 5.0), (.milliseconds(300), 0.3),
      (.milliseconds(-1500), -1.5), (.nanoseconds(1), 1e-09), (.microseconds(10), 1e-05),
      (.seconds(86_400 * 365), 31_536_000.0), (.seconds(10_000_000_000_000_000), 1e16),
      (Duration(secondsComponent: 0, attosecondsComponent: 1), 1e-18),
    ])
  func seconds(value: Duration, number: Double) throws {
    #expect(try Stored(encoding: value) == .real(number))
    #expect(try Stored.real(number).decoded() == value)
  }

  @Test(
    "A duration that no Double represents is stored as text with all digits",
    arguments: [
      (Duration.seconds(1) / 3, "0.333333333333333333"),
      (.seconds(-2) / 3, "-0.666666666666666666"),
      (.seconds(1 << 60) + .nanoseconds(1), "1152921504606846976.000000001"),
      (.seconds(Int64.max), "9223372036854775807"),
      (.seconds(Int64.min), "-9223372036854775808"),
      (Duration(secondsComponent: .max, attosecondsComponent: 1), nil),
    ])
  func text(value: Duration, text: String?) throws {
    guard let text else {
      #expect(throws: Defaults.ConversionError.self) { try Stored(encoding: value) }
      return
    }
    #expect(try Stored(encoding: value) == .string(text))
    #expect(try roundTrip(value) == value)
  }

  @Test("A duration is read from numbers of any kind and from text")
  func otherNumbers() throws {
    #expect(try Stored.integer(-5).decoded() == Duration.seconds(-5))
    #expect(try Stored.unsignedInteger(5).decoded() == Duration.seconds(5))
    #expect(try Stored.string("0.30").decoded() == Duration.milliseconds(300))
    #expect(try Stored.string("12e3").decoded() == Duration.seconds(12_000))
    #expect(try Stored.real(-0.0).decoded() == Duration.zero)
  }

  @Test(
    "A duration in text with units is read exactly",
    arguments: [
      ("1m", .seconds(60)), ("1h30m", .seconds(5_400)), ("1h 30m", .seconds(5_400)),
      ("500ms", .milliseconds(500)), ("-2.5s", .milliseconds(-2_500)), ("90 s", .seconds(90)),
      ("1d", .seconds(86_400)), ("2min", .seconds(120)), ("3us 4ns", .nanoseconds(3_004)),
      ("1µs", .microseconds(1)),
      ("0.000000001ns", Duration(secondsComponent: 0, attosecondsComponent: 1)),
    ] as [(String, Duration)])
  func units(text: String, value: Duration) throws {
    #expect(try Stored.string(text).decoded() == value)
  }

  @Test("A duration with units is imported and read from JSON, and exported unchanged")
  func unitsInJSON() throws {
    let folder = try TemporaryFolder()
    let file = folder.url("settings.json")
    try Data(#"{"b": "1h30m", "list": ["1m", 0.5, "250ms"]}"#.utf8).write(to: file)
    let suite = Defaults.MemorySuite()
    let layered = try Defaults.LayeredSuite(.writable(suite), .file(file))
    let key = Defaults.Key("a", default: Duration.zero, suite: layered, .in(.zero ... .seconds(60)))
    let other = Defaults.Key("b", default: Duration.zero, suite: layered)
    let list = Defaults.Key("list", default: [Duration](), suite: layered)
    try suite.importEntries(.keys(key), from: #"{"a": "1m"}"#, as: .json)
    #expect(layered[key] == .seconds(60))
    #expect(key.text == "1m")
    #expect(layered[other] == .seconds(5_400))
    #expect(layered[list] == [.seconds(60), .milliseconds(500), .milliseconds(250)])
    let text = try suite.exportString(as: .compactJSON)
    #expect(text == #"{"a":"1m"}"#)
    let copy = Defaults.MemorySuite()
    try copy.importEntries(from: text, as: .json)
    #expect(try copy.value(for: key) == .seconds(60))
    #expect(throws: Defaults.SuiteError.self) {
      try suite.importEntries(.keys(key), from: #"{"a": "2m"}"#, as: .json)
    }
  }

  @Test(
    "Text that isn't a valid duration is rejected",
    arguments: [
      "", "-", ".5", "5.", "1 x", "h", "1h 2", "1m1", " 1m", "1.s", "+5", "--5", "1e", "1e-19",
      "0x1", "1e20", "1e999999999999999999",
      "1e-9223372036854775808", "99999999999999999999", "٣",
    ])
  func refused(text: String) {
    expectRefusal(
      Duration.self, .string(text),
      "\(Stored.string(text)) isn't a number of seconds in the range of Duration, "
        + "nor a text such as 1h 30m"
    )
  }

  @Test("A number that isn't an exact duration, infinity, and values of other types are rejected")
  func refusedNumbers() {
    for number in [.leastNonzeroMagnitude, .infinity, .nan, 1e300, 9.3e18] {
      #expect(throws: Defaults.ConversionError.self) {
        try Stored.real(number).decoded(as: Duration.self)
      }
    }
    expectRefusal(Duration.self, true, "it is a bool, and a number of seconds was expected")
  }

  @Test("A duration key works without a coding and can read an older JSON form")
  func key() {
    let suite = Defaults.MemorySuite()
    let key = Defaults.Key("timeout", default: Duration.seconds(30), suite: suite)
    suite[key] += .milliseconds(300)
    #expect(suite.entry(named: "timeout") == 30.3)
    #expect(suite[key] == .milliseconds(30_300))
    suite.set(#"[0,300000000000000000]"#, forKey: "old")
    let old = Defaults.Key(
      "old", default: Duration.zero, coding: .standard.reading(.json), suite: suite)
    #expect(suite[old] == .milliseconds(300))
  }
}
