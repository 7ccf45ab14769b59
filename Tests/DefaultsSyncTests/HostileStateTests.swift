import Defaults
import DefaultsSync
import Testing

@Suite("States of hostile devices")
struct HostileStateTests {
  private var a = TestDevice("a")
  private var b = TestDevice("b")

  @Test("Another device's file can't change this device's name or its number of written files")
  mutating func foreignCount() throws {
    b.state.devices["a"] = SyncDevice(name: "x", files: SyncClock.limit, seen: SyncClock.limit)
    a.take(b.file)
    #expect(a.state.devices["a"] == SyncDevice(name: "a"))
    b.state.devices["a"]?.isForgotten = true
    #expect(a.take(b.file).isForgotten)
  }

  @Test("A file that would give a setting more entries than a device reads is left out")
  mutating func crowdedSetting() throws {
    let entries = (1...1_000).map { number in
      SyncEntry(
        edit: .set(1), version: 1, change: SyncChange(device: "hostile", number: UInt64(number)),
        replaced: 0)
    }
    let state = SyncState(
      entries: ["theme": entries], context: SyncContext(["hostile": 1_000]), held: [:],
      devices: ["hostile": SyncDevice(name: "hostile")])
    let file = DeviceFile(device: "hostile", state: try #require(state))
    #expect(throws: Never.self) { try DeviceFile(file.data) }
    a.set("theme", "dark")
    #expect(a.take(file).tooLarge == ["hostile"] && a.value("theme") == "dark")
    #expect(try DeviceFile(a.file.data) == a.file)
  }

  @Test("Files that add more devices than fit into this device's file are left out")
  mutating func manyDevices() throws {
    for part in 0..<4 {
      var file = TestDevice("hostile\(part)").file
      for number in 0..<400 {
        file.state.devices["d\(part)x\(number)"] = SyncDevice(name: "x", files: 1)
      }
      a.take(file)
    }
    b.set("theme", "dark")
    #expect(a.take(b.file).tooLarge.isEmpty && a.value("theme") == "dark")
    #expect(try DeviceFile(a.file.data) == a.file)
  }

  @Test(
    "A file that would make this device's file too large to publish is left out",
    arguments: [("x", 495_000), ("\u{1}", 100_000)])
  mutating func largeFile(character: String, count: Int) {
    a.set("first", .string(String(repeating: "x", count: 500_000)))
    b.set("second", .string(String(repeating: character, count: count)))
    #expect(a.take(b.file).tooLarge == ["b"] && a.value("second") == nil)
    #expect(a.file.data.count <= DeviceFile.publishedSize)
  }

  @Test("After eight files that don't fit, a file with more new bytes isn't tried")
  mutating func manyLargeFiles() {
    func text(_ count: Int) -> PropertyListValue { .string(String(repeating: "x", count: count)) }
    a.set("own", text(600_000))
    var files: [DeviceFile] = []
    for number in 1...8 {
      var other = TestDevice("h\(number)")
      other.set("h\(number)", text(500_000))
      files.append(other.file)
    }
    var (small, large) = (TestDevice("small"), TestDevice("z"))
    small.set("theme", "dark")
    large.take(a.file)
    large.set("own", text(590_000))
    let all = Set(files.map(\.device))
    let arrival = a.state.take(files + [large.file, small.file], by: "a", a.clock)
    #expect(arrival.tooLarge == all.union(["z"]) && a.value("theme") == "dark")
    // It fits beside fewer of them.
    let next = a.state.take(files.dropLast() + [large.file], by: "a", a.clock)
    #expect(next.tooLarge == all.subtracting(["h8"]) && a.value("own") == text(590_000))
  }

  @Test("Invented devices that a file lists don't keep out other devices, and don't come back")
  mutating func inventedDevices() {
    var (c, file) = (TestDevice("c"), TestDevice("hostile").file)
    for number in 0..<873 { file.state.devices["d\(number)"] = SyncDevice(name: "x", files: 1) }
    a.take(file)
    c.take(file)
    b.set("theme", "dark")
    #expect(a.take(b.file, c.file).tooLarge.isEmpty && a.value("theme") == "dark")
    #expect(c.take(a.file, b.file).tooLarge.isEmpty && c.value("theme") == "dark")
    for _ in 0..<2 {
      a.take(b.file, c.file)
      b.take(a.file, c.file)
      c.take(a.file, b.file)
      for device in [a, b, c] { #expect(device.state.devices.keys.sorted() == ["a", "b", "c"]) }
    }
  }

  @Test("The name of a device is shortened to 100 bytes, whatever its characters are")
  func longName() {
    let name = "e" + String(repeating: "\u{301}", count: 10_000)
    #expect(SyncDevice(name: name).name.utf8.count <= 100)
    #expect(SyncDevice(name: "desk").name == "desk")
  }

  @Test("A file with more than 1,000 concurrent entries of a setting isn't read")
  mutating func manyEntries() throws {
    for number in 1...1_001 {
      b.state.change(
        "theme", to: .set(.integer(Int64(number))), by: "d\(number)", at: 1, b.clock,
        isConcurrent: true)
    }
    #expect(throws: ConversionError.self) { try DeviceFile(b.file.data) }
  }

  @Test("A file that would take much memory to merge is left out")
  mutating func manyParts() throws {
    let authors = Dictionary(uniqueKeysWithValues: (0..<800).map { ("d\($0)", UInt64(1)) })
    a.state = try #require(
      SyncState(
        entries: [:], context: SyncContext(authors), held: [:], devices: a.state.devices))
    let held = (0..<20_000).map { (String($0, radix: 36), SyncContext(["z": 1])) }
    b.state = try #require(
      SyncState(
        entries: [:], context: SyncContext(["z": 2]),
        held: Dictionary(uniqueKeysWithValues: held), devices: b.state.devices))
    #expect(a.take(b.file).tooLarge == ["b"] && a.state.held.isEmpty)
  }
}
