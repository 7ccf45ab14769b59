import Defaults
import DefaultsSync
import Foundation
import Testing

@Suite("Device files")
struct DeviceFileTests {
  private static func sample() -> DeviceFile {
    var a = TestDevice("a")
    var b = TestDevice("b")
    a.set("theme", "dark")
    a.set("$odd \"name\"\n", ["$date": 1.5, "n": [true, 7]])
    a.set("gone", 1)
    a.set("gone", nil)
    b.set("theme", "light")
    b.time += 1_000
    b.set("later", 1)
    a.take(b.file)
    return a.file
  }

  @Test("A device file has one setting a line, sorted by name")
  func lines() throws {
    let text = String(decoding: Self.sample().data, as: UTF8.self)
    let names = text.split(separator: "\n").compactMap { line in
      line.hasPrefix("  ") && line.contains(": [") ? line.prefix { $0 != ":" } : nil
    }
    #expect(names == names.sorted() && names.count == 3)
    let line = text.split(separator: "\n").first { $0.contains("\"theme\"") }
    #expect(line?.contains("\"dark\"") == true && line?.contains("\"light\"") == true)
  }

  @Test("A device file is read back exactly")
  func roundTrip() throws {
    let file = Self.sample()
    #expect(file.state.held.count == 1 && file.state.conflict(of: "theme").count == 2)
    #expect(try DeviceFile(file.data) == file)
  }

  @Test("A device file is read back after a change of the only setting that was waiting")
  func changeWhileWaiting() throws {
    let device = TestDevice("a")
    let change = SyncChange(device: "b", number: 1)
    let ahead = SyncEntry(
      edit: .set("dark"), version: device.clock.now + 2 * SyncClock.tolerance, change: change,
      replaced: 0)
    let state = try #require(
      SyncState(
        entries: ["theme": [ahead]], context: SyncContext(["a": 6, "b": 1]),
        held: ["theme": SyncContext(["a": 5, "b": 1])],
        devices: [
          "a": SyncDevice(name: "a"), "c": SyncDevice(name: "c", files: 1, seen: device.clock.now),
        ]))
    var corrected = state
    #expect(corrected.correct(for: "a", device.clock) == ["theme"])
    var changed = state
    changed.change("theme", to: .set("light"), by: "a", at: device.clock.now, device.clock)
    for state in [corrected, changed] {
      let file = DeviceFile(device: "a", state: state)
      #expect(try DeviceFile(file.data) == file)
    }
  }

  @Test("A device file that is cut at any byte is rejected")
  func halves() {
    let data = Self.sample().data
    for count in 0..<data.count - 1 {
      #expect(throws: Defaults.ConversionError.self) { try DeviceFile(data.prefix(count)) }
    }
  }

  @Test("A device file with any changed byte is rejected")
  func damage() {
    let data = Self.sample().data
    for index in data.indices.dropLast() {
      var damaged = data
      damaged[index] ^= 1
      #expect(throws: Defaults.ConversionError.self, "byte \(index)") {
        _ = try DeviceFile(damaged)
      }
    }
  }

  @Test("The beginning of a new device file with the end of the old one is rejected")
  func mixture() throws {
    var device = TestDevice("a")
    for number in 0..<20 { device.set("setting\(number)", 1) }
    let old = device.file.data
    for number in 0..<20 { device.set("setting\(number)", 2) }
    let new = device.file.data
    for count in stride(from: 1, to: min(old.count, new.count), by: 7) {
      let mixed = new.prefix(count) + old.dropFirst(count)
      guard mixed != old, mixed != new else { continue }
      #expect(throws: Defaults.ConversionError.self) { try DeviceFile(mixed) }
    }
  }

  @Test(
    "A hostile device file is rejected",
    arguments: [
      ("\"change\":1,", "\"change\":0,"), ("\"change\":1,", "\"change\":99,"),
      ("\"change\":1,", "\"change\":-1,"), ("\"change\":1,", "\"change\":1.5,"),
      ("\"version\":6", "\"version\":9000000000"), ("\"device\": \"a\"", "\"device\": \"../x\""),
      ("\"device\": \"a\"", "\"device\": \"\""), ("\"theme\"", "\"Defaults.version\""),
      ("\"theme\"", "\"\""), ("\"value\":", "\"worth\":"), ("\"settings\"", "\"entries\""),
      ("defaults-sync-1", "defaults-sync-2"), ("\"held\": {", "\"held\": {\"x\": {\"a\": 77}"),
    ])
  func hostile(_ old: String, _ new: String) throws {
    var device = TestDevice("a")
    device.set("theme", "dark")
    let text = String(decoding: device.file.data, as: UTF8.self)
    #expect(throws: Never.self) { try DeviceFile(Self.signed(text)) }
    let hostile = text.replacingOccurrences(of: old, with: new)
    #expect(hostile != text)
    #expect(throws: Defaults.ConversionError.self) { try DeviceFile(Self.signed(hostile)) }
  }

  @Test("A device file of more than 1 MiB is rejected")
  func size() {
    var device = TestDevice("a")
    device.set("theme", .string(String(repeating: "x", count: 1 << 20)))
    #expect(throws: Defaults.ConversionError.self) { try DeviceFile(device.file.data) }
  }

  /// Returns a text with its right checksum.
  private static func signed(_ text: String) -> Data {
    let body = text.components(separatedBy: "\"checksum\"")[0]
    let number = Data(body.utf8).withUnsafeBytes { Defaults.Checksum.of($0) }
    let digits = String(number, radix: 16)
    let checksum = String(repeating: "0", count: 8 - digits.count) + digits
    return Data("\(body)\"checksum\": \"\(checksum)\"\n}\n".utf8)
  }
}
