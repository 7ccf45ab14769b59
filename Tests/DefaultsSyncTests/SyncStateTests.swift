import Defaults
import DefaultsSync
import Testing

/// A device of a test, which only has a state and a clock.
struct TestDevice {
  let id: String
  var state = SyncState()
  /// In minutes.
  var time: UInt64
  var clock: SyncClock { SyncClock(now: time * 60_000_000) }

  init(_ id: String, time: UInt64 = 1_000_000) {
    (self.id, self.time) = (id, time)
    state.devices[id] = SyncDevice(name: id)
  }

  var file: DeviceFile {
    var state = state
    state.devices[id] = SyncDevice(name: id, files: state.context[id], seen: clock.now)
    return DeviceFile(device: id, state: state)
  }

  mutating func set(_ name: String, _ value: PropertyListValue?) {
    state.change(name, to: Edit(entry: value), by: id, at: clock.now, clock)
  }

  @discardableResult
  mutating func take(_ files: DeviceFile...) -> SyncArrival { state.take(files, by: id, clock) }

  mutating func collect(with files: DeviceFile...) {
    state.collect(Set(state.removedNames), with: files, by: id, clock)
  }

  func value(_ name: String, _ resolution: SyncResolution = .latest) -> PropertyListValue? {
    state.value(of: name, resolution).entry
  }
}

@Suite("Sync states")
struct SyncStateTests {
  var a = TestDevice("a")
  var b = TestDevice("b")
  var c = TestDevice("c")

  @Test("A change replaces every entry that its device has seen, even an entry with a later time")
  mutating func replacing() {
    a.set("theme", "dark")
    b.take(a.file)
    b.time -= 5
    b.set("theme", "light")
    a.take(b.file)
    #expect(a.value("theme") == "light" && a.state.entries["theme"]?.count == 1)
  }

  @Test("Of two concurrent changes, the later one wins on all devices")
  mutating func newest() {
    a.set("theme", "dark")
    b.time += 1
    b.set("theme", "light")
    let (first, second) = (a.file, b.file)
    a.take(second)
    b.take(first)
    #expect(a.value("theme") == "light" && b.value("theme") == "light")
  }

  @Test("A removal wins over an older concurrent set, in whichever order they arrive")
  mutating func removal() {
    a.set("theme", "dark")
    b.take(a.file)
    c.take(a.file)
    c.set("theme", "blue")
    b.time += 1
    b.set("theme", nil)
    a.take(b.file)
    a.take(c.file)
    c.take(b.file)
    #expect(a.value("theme") == nil && c.value("theme") == nil)
  }

  @Test("A union has the elements of both concurrent values, except removed elements")
  mutating func union() {
    a.set("tags", ["x", "y"])
    b.take(a.file)
    a.set("tags", ["y", "z"])
    b.set("tags", ["x", "y", "w"])
    b.take(a.file)
    #expect(b.value("tags", .union) == ["w", "x", "y", "z"])
    b.set("tags", ["w"])
    a.take(b.file)
    #expect(a.value("tags", .union) == ["w"])
  }

  @Test("The merge rule `max` chooses the greatest of concurrent numbers, not the newest")
  mutating func greatest() {
    a.set("score", 9)
    b.time += 1
    b.set("score", 5)
    b.take(a.file)
    #expect(b.value("score", .max) == 9 && b.value("score") == 5)
  }

  @Test("Concurrent changes to different values are a conflict until one device decides")
  mutating func conflict() {
    a.set("theme", "dark")
    b.set("theme", "light")
    a.take(b.file)
    #expect(Set(a.state.conflict(of: "theme").map(\.edit)) == [.set("dark"), .set("light")])
    a.set("theme", "dark")
    b.take(a.file)
    #expect(b.state.conflict(of: "theme").isEmpty && b.value("theme") == "dark")
    b.set("theme", "blue")
    a.take(b.file)
    #expect(a.state.conflict(of: "theme").isEmpty)
  }

  // MARK: - Tombstones

  @Test("A tombstone is collected once all devices know it, and old files don't restore the entry")
  mutating func collection() {
    a.set("theme", "dark")
    b.take(a.file)
    let old = b.file
    a.take(old)
    a.set("theme", nil)
    a.collect(with: old)
    #expect(a.state.entries["theme"]?.count == 1)
    b.take(a.file)
    a.collect(with: b.file)
    #expect(a.state.entries["theme"] == nil)
    a.take(old, b.file)
    #expect(a.state.entries["theme"] == nil)
    b.take(a.file)
    #expect(b.state.entries["theme"] == nil)
  }

  @Test("A tombstone stays while a device has no file, unless the device is forgotten")
  mutating func missingDevice() {
    a.set("theme", "dark")
    a.take(b.file, c.file)
    b.take(a.file)
    a.set("theme", nil)
    b.take(a.file)
    a.collect(with: b.file)
    #expect(a.state.entries["theme"] != nil)
    a.state.devices["c"]?.isForgotten = true
    a.collect(with: b.file)
    #expect(a.state.entries["theme"] == nil)
  }

  @Test("On a forgotten device, the other devices' values win, and its own changes are offered")
  mutating func forgotten() {
    a.set("theme", "dark")
    c.take(a.file)
    c.set("theme", "blue")
    c.set("font", "serif")
    a.take(c.file)
    c.set("theme", "green")
    c.set("font", nil)
    a.state.devices["c"]?.isForgotten = true
    let arrival = c.take(a.file)
    #expect(arrival.isForgotten)
    let offered = c.state.giveWay(to: a.state, as: "d")
    #expect(offered.mapValues(\.edit) == ["theme": .set("green"), "font": .remove])
    #expect(c.value("theme") == "blue" && c.value("font") == "serif")
    a.take(DeviceFile(device: "d", state: c.state))
    #expect(a.value("theme") == "blue" && a.value("font") == "serif")
  }

  @Test(
    "A device that took changes of a forgotten device also returns to the other devices' values")
  mutating func forgottenElsewhere() {
    a.set("theme", "dark")
    c.take(a.file)
    c.set("theme", "green")
    c.set("font", "serif")
    b.take(c.file)
    a.state.devices["c"] = SyncDevice(name: "c", isForgotten: true)
    c.take(a.file)
    _ = c.state.giveWay(to: a.state, as: "d")
    b.take(DeviceFile(device: "d", state: c.state))
    #expect(b.value("theme") == "dark" && b.value("font") == nil)
  }

  @Test("A forgotten device keeps its value while the other devices' entry is in the future")
  mutating func forgottenWithSlowClock() {
    a.set("theme", "dark")
    c.take(a.file)
    c.set("theme", "green")
    var others = SyncState()
    c.time -= 1_000
    _ = others.take([a.file], by: "", c.clock)
    _ = c.state.giveWay(to: others, as: "d")
    #expect(c.value("theme") == "green")
  }

  // MARK: - Clocks

  @Test("A device whose clock is corrected publishes its entries again, and they apply everywhere")
  mutating func correction() {
    let year: UInt64 = 525_600
    b.set("font", "serif")
    a.take(b.file)
    a.time += year
    c.time += year
    a.set("theme", "dark")
    c.take(a.file)
    a.time -= year
    c.time -= year
    a.take(b.file, c.file)
    #expect(a.state.correct(for: "a", a.clock) == ["theme"])
    b.take(a.file)
    #expect(b.value("theme") == "dark")
    b.time += 1
    b.set("theme", "light")
    c.take(b.file, a.file)
    #expect(c.value("theme") == "light")
    #expect(c.state.correct(for: "c", c.clock).isEmpty)
  }

  @Test("After a device corrects its clock, its new value wins over copies of its future entry")
  mutating func foreignCorrection() {
    a.time += 100
    c.time += 100
    a.set("theme", "dark")
    c.take(a.file, b.file)
    a.time -= 100
    c.time -= 100
    a.take(b.file)
    #expect(a.state.correct(for: "a", a.clock) == ["theme"])
    a.set("theme", "light")
    c.time += 5
    #expect(c.state.correct(for: "c", c.clock) == ["theme"])
    c.take(a.file)
    #expect(c.value("theme") == "light")
  }

  @Test("Ids that a device had while its clock was ahead don't keep it from correcting its entries")
  mutating func formerIDs() {
    for device in [\Self.a, \.b, \.c] { self[keyPath: device].time += 20_000 }
    a.set("theme", "dark")
    a.take(b.file, c.file)
    a.time -= 20_000
    #expect(a.state.correct(for: "a", a.clock).isEmpty)
    a.take(TestDevice("d").file)
    #expect(a.state.correct(for: "a", a.clock) == ["theme"])
  }

  @Test("A device whose clock is far behind all others doesn't publish its entries again")
  mutating func slowClock() {
    a.set("theme", "dark")
    a.take(b.file, c.file)
    a.time = 0
    #expect(a.state.correct(for: "a", a.clock).isEmpty)
  }

  @Test("A file that would make this device's file too large is left out, and the others are used")
  mutating func tooLarge() {
    a.set("theme", "dark")
    b.set("large", .string(String(repeating: "x", count: 1_048_500)))
    c.set("font", "serif")
    #expect(a.take(b.file, c.file).tooLarge == ["b"])
    #expect(a.value("font") == "serif" && a.value("large") == nil)
  }
}
