import Defaults
import DefaultsLayers
import DefaultsText
import Foundation
import TestSupport
import Testing

@Suite("Decimal forms of floats")
struct DecimalFloatTests {
  private typealias Stored = Defaults.PropertyListValue

  private let folder: TemporaryFolder
  private let suite = Defaults.MemorySuite()
  private let key: Defaults.Key<Float>

  init() throws {
    folder = try TemporaryFolder()
    key = Defaults.Key("gain", default: 1, suite: suite)
  }

  @Test("A Float is stored, shown and exported with its decimal digits")
  func shown() throws {
    suite[key] = 0.1
    #expect(suite.entry(named: "gain") == 0.1)
    #expect(key.text == "0.1")
    #expect(try suite.exportString(as: .compactJSON) == #"{"gain":0.1}"#)
    suite.set(Float(12.34), forKey: "other")
    #expect(suite.string(forKey: "other") == "12.34")
    #expect(suite.float(forKey: "other") == 12.34)
    #expect(
      Defaults.jsonSchema(of: [Defaults.Key("g", default: Float(0.1), suite: suite)])
        .contains(#""default": 0.1"#))
  }

  @Test("Every Float is read back bit for bit from its decimal digits")
  func roundTrip() throws {
    var generator = SystemRandomNumberGenerator()
    var differences: [Float] = []
    for _ in 0..<50_000 {
      let value = Float(bitPattern: UInt32.random(in: 0 ... .max, using: &generator))
      let common = (value.isFinite ? value.remainder(dividingBy: 1_000) : 0) / 7
      for value in [value, common] {
        let copy = try Stored(encoding: value).decoded(as: Float.self)
        if copy.bitPattern != value.bitPattern { differences.append(value) }
      }
    }
    #expect(differences == [])
    for text in ["0.1", "0.3", "12.34", "1e-07", "1e-45", "0.12345678"] {
      let value = try #require(Float(text))
      let stored = Stored.real(try #require(Double(text)))
      #expect(try stored.decoded(as: Float.self) == value, "\(text)")
    }
  }

  @Test("A whole Float is stored exactly")
  func whole() throws {
    #expect(try Stored(encoding: Float(123_456_792)) == .real(123_456_792))
    #expect(try Stored(encoding: Float(16_777_216)) == .real(16_777_216))
    #expect(try Stored(encoding: Float(-0.0)) == -0.0)
  }

  @Test("A Float that an earlier version stored with all digits is read as the same value")
  func earlierVersion() throws {
    suite.set(Stored.real(Double(Float(0.1))), forKey: "gain")
    #expect(try suite.value(for: key) == 0.1)
  }

  @Test("A real in a property list that no Float represents is undecodable")
  func exactness() {
    for real in [0.123456789012, 16_777_217, 1e300, 1e-300] {
      suite.set(Stored.real(real), forKey: "gain")
      #expect(throws: Defaults.SuiteError.self) { try suite.value(for: key) }
    }
  }

  @Test(
    "A number in text is read as the nearest Float",
    arguments: ["0.1", "0.10000000000000001", "0.10000000149011612", " 1e-1 ", "0.1000000000001"])
  func text(_ text: String) throws {
    try key.set(text: text)
    #expect(suite[key] == 0.1)
    #expect(suite.entry(named: "gain") == 0.1)
    let list = Defaults.Key("list", default: [Float](), suite: suite)
    try list.set(text: "\(text),0.3,\(text)")
    #expect(suite[list] == [0.1, 0.3, 0.1])
    try list.set(text: "[\(text)]")
    #expect(suite[list] == [0.1])
  }

  @Test("Text that isn't a number in the range of Float is rejected")
  func refused() {
    for text in ["1e39", "much", "0,1", ""] {
      #expect(throws: Defaults.SuiteError.self) { try key.set(text: text) }
    }
    #expect(suite.entries.isEmpty)
  }

  @Test("Arguments, the environment and JSON files accept any number of digits")
  func layers() throws {
    let file = folder.url("settings.json")
    try Data(#"{"c": 0.1, "d": 0.30000000000000004, "e": [0.1, 0.123456789012]}"#.utf8)
      .write(to: file)
    let layered = try Defaults.LayeredSuite(
      .arguments(["--a", "0.1"]), .environment(prefix: "APP_", ["APP_B": "0.300000001"]),
      .writable(suite), .file(file))
    func value(_ name: String) throws -> Float {
      try layered.value(for: Defaults.Key(name, default: Float(0), suite: layered))
    }
    #expect(try value("a") == 0.1)
    #expect(try value("b") == 0.3)
    #expect(try value("c") == 0.1)
    #expect(try value("d") == 0.3)
    let list = Defaults.Key("e", default: [Float](), suite: layered)
    #expect(try layered.value(for: list) == [0.1, 0.12345679])
    #expect(list.text == "0.1,0.12345679")
  }

  @Test("A JSON import uses the nearest Float; a property list import rejects an inexact one")
  func transfer() throws {
    let map = Defaults.Key<[String: Float]?>("map", suite: suite)
    try suite.importEntries(
      .keys(key, map), from: #"{"gain": 0.30000000000000004, "map": {"a": 0.1, "b": 1.23456789}}"#,
      as: .json)
    #expect(suite[key] == 0.3)
    #expect(suite[map] == ["a": 0.1, "b": 1.2345679])
    #expect(suite.entry(named: "gain") == 0.3)
    // Without a key, the entry is imported unchanged and read with its own type.
    try suite.importEntries(from: #"{"later": 0.1}"#, as: .json)
    #expect(suite[Defaults.Key("later", default: Float(0), suite: suite)] == 0.1)
    let other = Defaults.MemorySuite(["gain": 0.30000000000000004])
    let data = try other.exportData(as: .plist(.binary))
    #expect(throws: Defaults.SuiteError.self) {
      try suite.importEntries(.keys(key), from: data, as: .plist(.binary))
    }
    #expect(suite[key] == 0.3)
  }
}
