import Defaults
import DefaultsSync
import Testing

@Suite("Two states of one device id")
struct CopiedStateTests {
  private var local = LocalState(device: "a", name: "desk", machine: "m")
  private let clock = SyncClock(now: 1_795_000_000_000_000)

  @Test("Two copies of a disk that change different settings while offline reset none of them")
  mutating func copies() {
    for name in ["font", "theme"] {
      local.state.change(name, to: .set("old"), by: "a", at: clock.now, clock)
    }
    var second = local
    local.state.change("theme", to: .set("dark"), by: "a", at: clock.now + 1, clock)
    second.state.change("font", to: .set("mono"), by: "a", at: clock.now + 2, clock)
    let files = [local, second].map { DeviceFile(device: "a", state: $0.state) }
    _ = local.take(files, clock) { "renewed" }
    #expect(local.value(of: "theme") == .set("dark") && local.value(of: "font") == .set("mono"))
  }

  @Test(
    "If two copies of a disk add a setting each, each copy takes a new id and offers its setting",
    arguments: 0...2)
  mutating func newSettings(furtherChanges: Int) {
    var second = local
    local.state.change("theme", to: .set("dark"), by: "a", at: clock.now, clock)
    for number in 0..<furtherChanges {
      local.state.change("size\(number)", to: .set(1), by: "a", at: clock.now, clock)
    }
    second.state.change("font", to: .set("mono"), by: "a", at: clock.now, clock)
    let files = [local, second].map { DeviceFile(device: "a", state: $0.state) }
    local.renewIfOutrun(by: files, isPresent: true) { "b" }
    second.renewIfOutrun(by: files, isPresent: true) { "c" }
    #expect(local.device == "b" && second.device == "c")
    #expect(local.offered.mapValues(\.edit) == ["theme": .set("dark")])
    #expect(second.offered.mapValues(\.edit) == ["font": .set("mono")])
  }

  @Test("A copy of a disk offers its setting, too, if it gets only the other copy's new file")
  mutating func newFileOfCopy() {
    var second = local
    local.state.change("theme", to: .set("dark"), by: "a", at: clock.now, clock)
    second.state.change("font", to: .set("mono"), by: "a", at: clock.now, clock)
    let files = [DeviceFile(device: "a", state: local.state)]
    second.renewIfOutrun(by: files, isPresent: true) { "c" }
    _ = second.take(files, clock) { "renewed" }
    #expect(second.offered.mapValues(\.edit) == ["font": .set("mono")])
    let others = files + [DeviceFile(device: "c", state: second.state)]
    local.renewIfOutrun(by: others, isPresent: true) { "b" }
    #expect(local.device == "b")
    #expect(local.offered.mapValues(\.edit) == ["theme": .set("dark")])
  }

  @Test("On a restored disk, a setting that was removed after the backup is offered, not restored")
  mutating func restoredSetting() {
    local.state.change("theme", to: .set("dark"), by: "a", at: clock.now, clock)
    var later = local.state
    later.change("theme", to: .remove, by: "a", at: clock.now, clock)
    later.collect(["theme"], knownBy: [])
    let file = DeviceFile(device: "a", state: later)
    local.renewIfOutrun(by: [file], isPresent: true) { "new" }
    #expect(local.device == "new")
    #expect(local.offered.mapValues(\.edit) == ["theme": .set("dark")])
    _ = local.take([file], clock) { "renewed" }
    #expect(local.value(of: "theme") == .remove)
  }

  @Test("A device keeps its id if there are older copies of its file")
  mutating func olderFiles() {
    var files: [DeviceFile] = []
    for (name, edit) in [("theme", Edit.set("dark")), ("font", .set("mono")), ("theme", .remove)] {
      local.state.change(name, to: edit, by: "a", at: clock.now, clock)
      files.append(DeviceFile(device: "a", state: local.state))
    }
    local.state.collect(["theme"], knownBy: [])
    local.renewIfOutrun(by: files, isPresent: true) { "new" }
    #expect(local.device == "a" && local.offered.isEmpty)
  }
}
