import Defaults
import DefaultsSync
import Foundation
import Testing

@Suite("The local state of a device")
struct LocalStateTests {
  private static let minute: UInt64 = 60_000_000
  private var local = LocalState(device: "a", name: "desk", machine: "m")
  private var suite: [String: LocalState.Observed] = [:]
  private var other = TestDevice("b")
  /// The time in minutes.
  private var time: UInt64 = 1_000_000
  private var clock: SyncClock { SyncClock(now: time * Self.minute) }

  /// Syncs a program that knows one setting, up to the step before the suite gets new values.
  private mutating func pass(
    _ rule: SyncResolution? = .latest, files: [DeviceFile] = [],
    _ change: (inout LocalState) -> Void = { _ in }
  ) {
    var observed: [String: LocalState.Observed] = [:]
    if let rule {
      local.learn(["theme": rule])
      observed = local.notice(
        ["theme": suite["theme"] ?? LocalState.Observed(edit: .remove)], clock)
    }
    _ = local.record(observed, files, clock)
    let clock = clock
    _ = local.change(observed) { new in
      change(&new)
      return new.take(files, clock) { "renewed" }
    }
  }

  /// Gives the suite the values that it doesn't have yet.
  private mutating func apply() {
    for (name, edit) in local.wanted(["theme": suite["theme"] ?? .init(edit: .remove)]) {
      suite[name] = LocalState.Observed(edit: edit, version: clock.now)
      local.applied[name] = .value
    }
  }

  private mutating func set(_ value: PropertyListValue?) {
    suite["theme"] = LocalState.Observed(edit: Edit(entry: value), version: clock.now)
  }

  @Test("A decision about a conflict survives if the program is killed before the value is stored")
  mutating func decision() {
    set("dark")
    pass(.ask)
    time += 1
    other.time = time
    other.set("theme", "light")
    pass(.ask, files: [other.file])
    apply()
    let clock = clock
    pass(.ask, files: [other.file]) { $0.decide("theme", for: .set("dark"), clock) }
    pass(.ask, files: [other.file])
    #expect(local.value(of: "theme") == .set("dark"))
    #expect(local.wanted(suite) == ["theme": .set("dark")])
  }

  @Test(
    "A program that doesn't declare a setting doesn't change the setting's value by a sync pass")
  mutating func unknownSetting() {
    set(["x"])
    pass(.union)
    other.set("theme", ["y"])
    pass(.union, files: [other.file])
    apply()
    let third = { () -> DeviceFile in
      var device = TestDevice("c")
      device.set("theme", ["z"])
      return device.file
    }()
    let changes = local.state.context["a"]
    pass(nil, files: [other.file, third])
    pass(.union, files: [other.file, third])
    #expect(local.state.context["a"] == changes)
    #expect(local.value(of: "theme") == .set(["x", "y", "z"]))
  }

  @Test("A value that sync stored before the program was killed isn't taken for a local change")
  mutating func killedBeforeConfirming() {
    pass()
    other.set("theme", "light")
    pass(files: [other.file])
    set("light")
    other.set("theme", "blue")
    // A program that doesn't know the setting makes the next pass.
    pass(nil, files: [other.file])
    pass(files: [other.file])
    #expect(local.state.context["a"] == 0 && local.value(of: "theme") == .set("blue"))
  }

  @Test("The time of an offline removal is kept, although the suite discards it after a day")
  mutating func offlineRemoval() {
    set("dark")
    pass()
    other.take(DeviceFile(device: "a", state: local.state))
    time += 10
    set(nil)
    let observed = suite
    _ = local.notice(observed, clock)
    other.time = time + 60
    other.set("theme", "light")
    time += 3_000
    suite["theme"]?.version = nil
    pass(files: [other.file])
    #expect(local.value(of: "theme") == .set("light"))
  }

  @Test("A setting whose merge rule changes gets the new rule's value, without a local change")
  mutating func changedRule() {
    set(5)
    pass(.max)
    other.time += 1
    other.set("theme", 3)
    pass(.max, files: [other.file])
    apply()
    #expect(suite["theme"]?.edit == .set(5))
    pass(.latest, files: [other.file])
    #expect(local.state.context["a"] == 1)
    #expect(local.wanted(suite) == ["theme": .set(3)])
  }

  @Test("Two machines with the same files keep one id each")
  mutating func machines() {
    var ids: Set<String> = []
    for number in 0..<6 {
      local.move(to: number.isMultiple(of: 2) ? "n" : "m") { "new\(number)" }
      ids.insert(local.device)
    }
    #expect(ids == ["a", "new0"])
  }

  @Test("A suite's mark is read back exactly, and a text without a number is an id")
  func mark() {
    for mark in [SuiteMark(id: ""), SuiteMark(id: "a"), SuiteMark(id: "a", number: .max)] {
      #expect(SuiteMark(mark.text) == mark)
    }
    #expect(SuiteMark("a") == SuiteMark(id: "a") && SuiteMark("a.x") == SuiteMark(id: "a"))
  }

  @Test("A device's state is read back exactly, and rejected with an unknown rule")
  mutating func coding() throws {
    set("dark")
    pass(.max)
    other.set("theme", "light")
    pass(nil, files: [other.file])
    local.move(to: "n") { "new" }
    local.begin(with: SuiteMark(id: "suite", number: 4))
    local.applied["font"] = .other(.init(edit: .remove, version: 3), applying: .set("serif"))
    local.applied["size"] = .value
    time += 1
    set("blue")
    _ = local.notice(suite, clock)
    #expect(local.noticed.count == 1 && local.applied.count == 3)
    let data = try local.data()
    #expect(try LocalState(data) == local)
    let text = String(decoding: data, as: UTF8.self).replacing("\"max\"", with: "\"sum\"")
    #expect(throws: ConversionError.self) { try LocalState(Data(text.utf8)) }
  }

  @Test(
    "A device that writes nothing for a year is forgotten, but not if no other device writes either",
    arguments: [true, false])
  mutating func absence(isOtherHeard: Bool) {
    var third = TestDevice("c")
    for device in [other.id, third.id] { local.state.devices[device] = SyncDevice(name: device) }
    other.set("theme", "dark")
    third.set("theme", "light")
    for (passes, isLong) in [(60, false), (4, true)] {
      for _ in 0..<passes {
        // Six days.
        time += 6 * 1_440
        if isOtherHeard {
          other.time = time
          other.set("theme", "dark")
        }
        pass(files: [other.file, third.file])
      }
      #expect(local.state.devices["b"]?.isForgotten == false)
      #expect(local.state.devices["c"]?.isForgotten == (isLong && isOtherHeard))
    }
  }

  @Test("A device returns to its id in a folder unless other files have later changes of that id")
  mutating func returnedFolder() {
    set("dark")
    pass()
    let own = DeviceFile(device: "a", state: local.state)
    local.isPublished = true
    local.renewIfOutrun(by: [], isPresent: false) { "b" }
    #expect(local.device == "b" && local.ids == ["m": "a"])
    var later = local.state
    later.change("theme", to: .set("light"), by: "a", at: clock.now, clock)
    let other = DeviceFile(device: "c", state: later)
    var restored = local
    restored.renewIfOutrun(by: [own, other], isPresent: false) { "new" }
    #expect(restored.device == "b")
    local.renewIfOutrun(by: [own], isPresent: false) { "new" }
    #expect(local.device == "a" && local.isPublished && local.state.devices["b"] == nil)
  }

  @Test("If a clock restarts in 1970 at each boot, other devices aren't marked as forgotten")
  mutating func boots() {
    other.set("theme", "dark")
    for boot in 0..<60 {
      for now in [1, other.time + UInt64(boot) * 1_440] {
        time = now
        pass(files: [other.file])
      }
    }
    #expect(local.state.devices["b"]?.isForgotten == false)
  }

  /// Why a file isn't used.
  enum Obstacle: CaseIterable { case clock, forgotten, size }

  @Test(
    "The first sync keeps a value if the only file with an equal value isn't used",
    arguments: Obstacle.allCases)
  mutating func unusedFile(obstacle: Obstacle) {
    switch obstacle {
    case .clock: other.time = time + 60
    case .forgotten: local.state.devices["b"] = SyncDevice(name: "b", isForgotten: true)
    case .size: other.set("big", .string(String(repeating: "x", count: 1_100_000)))
    }
    set("dark")
    other.set("theme", "dark")
    pass(files: [other.file])
    #expect(local.value(of: "theme") == .set("dark"))
    #expect(local.wanted(suite).isEmpty)
  }

  @Test("A changed host name, as in containers, is no reason to write the device file")
  mutating func hostNames() {
    pass()
    local.countFile(clock)
    let file = DeviceFile(device: "a", state: local.state)
    local.state.devices["a"]?.rename("other")
    #expect(!local.mustPublish(over: [file], clock))
  }

  @Test("A device whose clock was set back isn't reported as ahead of itself")
  mutating func aheadOfItself() {
    time += 100_000
    set("dark")
    pass()
    let file = DeviceFile(device: "a", state: local.state)
    time -= 100_000
    #expect(local.state.take([file], by: "a", clock).waiting.isEmpty)
  }

  @Test("The device that is reported as ahead made the change; a device that received it isn't")
  mutating func authorAhead() {
    var third = TestDevice("c", time: time + 60)
    third.set("theme", "dark")
    other.time = time + 60
    other.take(third.file)
    #expect(local.state.take([other.file], by: "a", clock).waiting == ["c": ["theme"]])
  }
}
