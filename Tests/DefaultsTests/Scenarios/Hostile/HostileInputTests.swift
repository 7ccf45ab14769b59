import Foundation
import FuzzInputs
import TestSupport
import Testing

@testable import Defaults

@Suite("Hostile input", .prompt, .tags(.slow))
struct HostileInputTests {
  @Test("Each hostile file is read or rejected as expected", arguments: HostileForm.files)
  func file(_ form: HostileForm) {
    let entries = try? Defaults.PropertyListFormat.decode(Data(form.bytes)).entries
    #expect((entries != nil) == form.isRead)
  }

  @Test("Each hostile journal is read or rejected as expected", arguments: HostileForm.journals)
  func journal(_ form: HostileForm) {
    #expect(HostileInput(.journal, form.bytes).read() == form.isRead)
  }

  @Test(
    "No hostile bytes trap or hang any decoder or bridge",
    .timeLimit(.aHang),
    arguments: HostileForm.files + HostileForm.journals + HostileForm.texts)
  func everything(_ form: HostileForm) {
    for kind in HostileInput.Kind.allCases { HostileInput(kind, form.bytes).read() }
    // Also after a valid beginning, and as a value.
    HostileInput(.binary, "bplist00".utf8 + form.bytes).read()
    HostileInput(.xml, "<plist><dict><key>".utf8 + form.bytes).read()
    var journal = JournalImage(id: 1)
    journal.append(value: form.bytes, named: "k")
    HostileInput(.journal, journal.bytes).read()
    BridgeReading.read(.data(Data(form.bytes)))
    BridgeReading.read(.string(String(decoding: form.bytes, as: UTF8.self)))
  }

  @Test("A file truncated at any length is rejected")
  func truncatedFiles() throws {
    let entries: [String: Defaults.PropertyListValue] = ["a": [1, "x"], "b": ["c": 0.5]]
    for format in [Defaults.PropertyListFormat.binary, .xml] {
      // The last byte of XML is a line feed, which isn't required.
      let data = try format.encode(entries)
      for count in 0..<data.count - 1 {
        #expect(throws: Defaults.ConversionError.self) {
          try Defaults.PropertyListFormat.decode(data.prefix(count))
        }
      }
    }
  }

  @Test("A journal truncated at any length is read up to its last complete record")
  func truncatedJournals() {
    var image = JournalImage(id: 3)
    var ends = [JournalImage.headerSize, image.bytes.count]
    for index in 0..<4 {
      image.append([.init("k", .integer(Int64(index))), .init("old", nil)])
      ends.append(image.bytes.count)
    }
    for count in JournalImage.headerSize...image.bytes.count {
      let log = LoadedLog(Array(image.bytes[..<count]), path: "journal")
      let complete = ends.filter { $0 <= count }
      #expect(log.recordCount == complete.count - 1)
      #expect(log.end == complete.last)
      #expect(log.hasTail == !ends.contains(count))
    }
  }

  @Test("Bytes that several collections claim are allocated once")
  func claims() async {
    // In a process of its own, where nothing else grows.
    await #expect(processExitsWith: .success) {
      guard let before = Self.peakReservation() else { return }
      var image = JournalImage(id: 1)
      image.append(value: HostileForm.claims, named: "k")
      HostileInput(.journal, image.bytes).read()
      let after = try #require(Self.peakReservation())
      #expect(after - before < 128 << 20)
    }
  }

  @Test(
    "The cost of a journal with many names and snapshots grows with their sum, not their product",
    .timeLimit(.minutes(5)))
  func namesAndSnapshots() {
    var image = JournalImage(id: 1)
    image.append((0..<30_000).map { .init("\($0)", nil) })
    for id in 0..<10_000 { image.appendExport(UInt64(id), kind: 2) }
    #expect(HostileInput(.journal, image.bytes).read())
  }

  /// The maximum memory that the process has reserved so far; nil if the system doesn't report it.
  private static func peakReservation() -> Int? {
    let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = status?.split(separator: "\n").first { $0.hasPrefix("VmPeak:") }
    return line?.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { $0 << 10 }
  }
}
