import Defaults
import DefaultsLayers
import DefaultsSync
import Foundation
import TestSupport
import Testing

@Suite("Folder sync", .timeLimit(.aHang))
struct FolderSyncTests {
  let folder: TemporaryFolder
  let a: Peer
  let b: Peer

  init() throws {
    folder = try Peer.folder()
    a = try Peer(folder.url("a.plist"))
    b = try Peer(folder.url("b.plist"))
  }

  /// The devices' files, without those that are being written.
  private var files: [String] {
    get throws {
      try FileManager.default.contentsOfDirectory(atPath: folder["shared/app"])
        .filter { !$0.hasPrefix(".") }.sorted()
    }
  }

  @Test("A value, a union and a removal arrive on another device")
  func values() throws {
    let (first, second) = (try a.sync(folder), try b.sync(folder))
    a.suite[a.theme] = "dark"
    a.suite[a.tags] = ["x"]
    try first.now()
    try second.now()
    #expect(b.suite[b.theme] == "dark" && b.suite[b.tags] == ["x"])
    try b.withoutSync {
      b.theme.reset()
      b.suite[b.tags] = ["x", "y"]
      a.suite[a.tags] = ["x", "z"]
    }
    try second.now()
    try first.now()
    try second.now()
    #expect(!a.suite.contains("theme"))
    #expect(a.suite[a.tags] == ["x", "y", "z"] && b.suite[b.tags] == ["x", "y", "z"])
    #expect(try files.count == 2)
    #expect(a.issues.codes.isEmpty && b.issues.codes.isEmpty)
  }

  @Test("A new device whose suite's folder doesn't exist yet gets the values of the other devices")
  func newDevice() throws {
    a.suite[a.theme] = "dark"
    try a.sync(folder).now()
    let new = try Peer(folder.url("new/app/suite.plist"))
    try new.sync(folder).now()
    #expect(new.suite[new.theme] == "dark")
    #expect(new.issues.codes.isEmpty)
  }

  @Test("Settings that are too large to publish are an error of the sync, and an issue once")
  func tooLarge() throws {
    let one = try Peer(folder.url("one.plist"))
    let sync = try one.sync(folder)
    one.suite[one.theme] = String(repeating: "x", count: 1_100_000)
    for _ in 0..<2 {
      let error = #expect(throws: Defaults.SuiteError.self) { try sync.now() }
      #expect(error?.code == .tooLargeToSync)
    }
    #expect(one.issues.codes == [.tooLargeToSync])
  }

  @Test("A property list that was copied without its journal doesn't replace newer settings")
  func copiedFile() throws {
    let one = try Peer(folder.url("one.plist"))
    one.suite[one.theme] = "dark"
    let first = try one.sync(folder)
    try first.now()
    let old = try Defaults.PropertyListFormat.xml.encode(["theme": "old"])
    try old.write(to: folder.url("two.plist"))
    let two = try Peer(folder.url("two.plist"))
    let second = try two.sync(folder)
    try second.now()
    try first.now()
    #expect(one.suite[one.theme] == "dark" && two.suite[two.theme] == "dark")
  }

  @Test("A removal before a device's first sync doesn't remove another device's value")
  func removalBeforeFirstSync() throws {
    let second = try b.sync(folder)
    b.suite[b.theme] = "dark"
    try second.now()
    a.suite[a.theme] = "light"
    a.theme.reset()
    let first = try a.sync(folder)
    try first.now()
    try second.now()
    try first.now()
    #expect(a.suite[a.theme] == "dark" && b.suite[b.theme] == "dark")
    #expect(a.issues.codes.isEmpty && b.issues.codes.isEmpty)
  }

  @Test("Secrets, invalid values and settings without the trait aren't synced")
  func leftOut() async throws {
    let (first, second) = (try a.sync(folder), try b.sync(folder))
    let loose = Defaults.Key("volume", default: 5, suite: a.suite, .synced)
    a.suite[a.local] = "here"
    a.suite[a.token] = "s3cret"
    try a.suite.transaction { try $0.setEntry(99, named: loose.name) }
    try first.now()
    try second.now()
    #expect(!b.suite.contains("local") && !b.suite.contains("token") && !b.suite.contains("volume"))
    await b.issues.wait { !$0.isEmpty }
    #expect(b.issues.codes == [.invalid])
    let text = try String(contentsOfFile: folder["shared/app/\(files[0])"], encoding: .utf8)
    #expect(!text.contains("s3cret") && !text.contains("here"))
    // The invalid value isn't mistaken for a removal, or the missing entry for a change.
    try second.now()
    try first.now()
    #expect(a.suite.entry(named: "volume") == 99)
  }

  @Test("Values of another device are one external change, and aren't sent back")
  func event() throws {
    let (first, second) = (try a.sync(folder), try b.sync(folder))
    try second.now()
    let changes = Log<Defaults.Change>()
    let observation = b.suite.observe(nil) { changes.append($0) }
    try a.suite.transaction { draft in
      draft[a.theme] = "dark"
      draft[a.volume] = 7
    }
    try first.now()
    try second.now()
    withExtendedLifetime(observation) {}
    #expect(changes.all.map(\.names) == [["theme", "volume"]])
    #expect(changes.all.map(\.source) == [.external] && changes.all.map(\.origin) == ["sync"])
    #expect(second.devices.first?.settings == 0)
  }

  @Test("Devices that have all changes write nothing, however often they sync")
  func quiet() throws {
    let (first, second) = (try a.sync(folder), try b.sync(folder))
    a.suite[a.theme] = "dark"
    for _ in 0..<3 {
      try first.now()
      try second.now()
    }
    let before = try files.map { try Data(contentsOf: folder.url("shared/app/\($0)")) }
    for _ in 0..<3 {
      try first.now()
      try second.now()
    }
    #expect(try files.map { try Data(contentsOf: folder.url("shared/app/\($0)")) } == before)
  }

  @Test("A conflict is reported once with both values, and a decision ends it on all devices")
  func conflict() async throws {
    let found = Log<Defaults.SyncConflict>()
    let first = try a.sync(folder) { found.append($0) }
    let second = try b.sync(folder)
    try b.withoutSync {
      a.suite[a.answer] = "yes"
      b.suite[b.answer] = "no"
    }
    try first.now()
    try second.now()
    try first.now()
    try first.now()
    // A pass in the background may have found it, and calls the handlers after the pass.
    await found.wait { !$0.isEmpty }
    await a.issues.wait { !$0.isEmpty }
    let conflict = try #require(found.all.first)
    #expect(found.all.count == 1 && a.issues.codes == [.syncConflict])
    #expect(Set(conflict.candidates.map(\.entry)) == ["yes", "no"])
    let yes = try #require(conflict.candidates.first { $0.entry == "yes" })
    try first.resolve(conflict, with: yes)
    try second.now()
    #expect(a.suite[a.answer] == "yes" && b.suite[b.answer] == "yes")
    #expect(first.conflicts.isEmpty && second.conflicts.isEmpty)
  }

  @Test("A device that joins keeps its newer entries and gets the newer entries of other devices")
  func joining() throws {
    b.suite[b.theme] = "old"
    a.suite[a.theme] = "new"
    a.suite[a.answer] = "old"
    b.suite[b.answer] = "new"
    let (first, second) = (try a.sync(folder), try b.sync(folder))
    try first.now()
    try second.now()
    try first.now()
    for peer in [a, b] {
      #expect(peer.suite[peer.theme] == "new" && peer.suite[peer.answer] == "new")
    }
  }

  @Test(
    "Changes made while the shared folder is missing are synced later; the folder isn't created")
  func offline() throws {
    let first = try a.sync(folder)
    try first.now()
    try FileManager.default.moveItem(at: folder.url("shared"), to: folder.url("unmounted"))
    a.suite[a.theme] = "dark"
    #expect(throws: Defaults.SuiteError.self) { try first.now() }
    #expect(!FileManager.default.fileExists(atPath: folder["shared"]))
    try FileManager.default.moveItem(at: folder.url("unmounted"), to: folder.url("shared"))
    try first.now()
    try b.sync(folder).now()
    #expect(b.suite[b.theme] == "dark" && a.issues.codes.isEmpty)
  }

  @Test("Two processes of a machine, like two objects on one suite, share one device")
  func oneDevice() throws {
    let (first, second) = (try a.sync(folder), try a.sync(folder))
    a.suite[a.theme] = "dark"
    try first.now()
    a.suite[a.theme] = "blue"
    try second.now()
    try first.now()
    #expect(try files.count == 1 && first.devices == second.devices)
  }

  @Test("A forgotten device rejoins with a new id, and its own changes are offered as a conflict")
  func forgotten() async throws {
    let (first, second) = (try a.sync(folder), try b.sync(folder))
    a.suite[a.theme] = "dark"
    try first.now()
    try second.now()
    try first.now()
    let other = try #require(first.devices.first { !$0.isThis })
    try b.withoutSync {
      b.suite[b.theme] = "blue"
      try first.forget(other)
      #expect(first.devices.count == 1)
    }
    try second.now()
    await b.issues.wait { $0.contains { $0.code == .forgotten } }
    #expect(b.suite[b.theme] == "dark")
    let conflict = try #require(second.conflicts.first)
    #expect(conflict.candidates.map(\.entry) == ["dark", "blue"])
    try second.resolve(conflict, with: conflict.candidates[1])
    try first.now()
    #expect(a.suite[a.theme] == "blue" && first.devices.count == 2)
  }

  @Test("A conflict's candidates are sorted by time and include a forgotten device's own value")
  func orderOfCandidates() throws {
    let (first, second) = (try a.sync(folder), try b.sync(folder))
    a.suite[a.theme] = "old"
    for sync in [first, second, first] { try sync.now() }
    let other = try #require(first.devices.first { !$0.isThis })
    try b.withoutSync {
      try first.forget(other)
      b.suite[b.theme] = "newest"
    }
    try second.now()
    #expect(second.conflicts.first?.candidates.map(\.entry) == ["old", "newest"])
  }

  @Test("Keys of a suite of layers are synced through its writable layer")
  func layers() async throws {
    let suite = try Defaults.LayeredSuite(.environment(prefix: "X_", [:]), .writable(a.suite))
    let font = Defaults.Key("font", default: "serif", suite: suite, .synced)
    // No other test has this name, since descriptions redact a secret in every suite.
    let name = "FolderSyncTests.token"
    for suite in [a.suite, b.suite] { _ = Defaults.Key(name, default: "", suite: suite, .synced) }
    let token = Defaults.Key(name, default: "", suite: suite, .secret)
    let other = Defaults.Key("font", default: "serif", suite: b.suite, .synced)
    let first = try Defaults.FolderSync(suite, folder: folder.url("shared"), name: "app")
    let second = try b.sync(folder)
    suite[font] = "mono"
    suite[token] = "s3cret"
    for sync in [first, second] { try sync.now() }
    #expect(b.suite[other] == "mono" && !b.suite.contains(name))
  }

  @Test("A setting with a previous name is synced with the time of its change")
  func renamed() throws {
    let old = Defaults.Key("hue", default: "none", suite: b.suite)
    let (new, other) = (
      Defaults.Key("tint", default: "none", suite: a.suite, .renamed(from: "hue"), .synced),
      Defaults.Key("tint", default: "none", suite: b.suite, .renamed(from: "hue"), .synced)
    )
    a.suite[new] = "first"
    b.suite[old] = "second"
    let (first, second) = (try a.sync(folder), try b.sync(folder))
    for sync in [first, second, first] { try sync.now() }
    #expect(a.suite[new] == "second" && b.suite[other] == "second")
  }

  @Test("A suite without a file can't be synced")
  func memory() {
    #expect(throws: Defaults.SuiteError.self) {
      try Defaults.FolderSync(Defaults.MemorySuite(), folder: folder.url("shared"), name: "app")
    }
  }
}
