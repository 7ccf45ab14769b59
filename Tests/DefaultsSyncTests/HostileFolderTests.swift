import Defaults
import DefaultsSync
import Foundation
import TestSupport
import Testing

@Suite("Hostile shared folders", .timeLimit(.aHang))
struct HostileFolderTests {
  private let folder: TemporaryFolder
  private let a: Peer
  private let b: Peer
  private var app: URL { folder.url("shared/app") }

  init() throws {
    folder = try TemporaryFolder()
    try FileManager.default.createDirectory(
      at: folder.url("shared"), withIntermediateDirectories: false)
    a = try Peer(folder.url("a.plist"))
    b = try Peer(folder.url("b.plist"))
  }

  @Test("Damaged, large and odd files are reported once each, and the other files are used")
  func oddFiles() async throws {
    let (first, second) = (try a.sync(folder), try b.sync(folder))
    a.suite[a.theme] = "dark"
    try first.now()
    let manager = FileManager.default
    // In one step: a pass in the background would report a file that is being written.
    try Data("{".utf8).write(to: app.appending(path: "half.json"), options: .atomic)
    try Data(repeating: 0x20, count: 1 << 21)
      .write(to: app.appending(path: "large.json"), options: .atomic)
    try manager.createDirectory(
      at: app.appending(path: "folder.json"), withIntermediateDirectories: false)
    #expect(mkfifo(app.appending(path: "pipe.json").path, 0o600) == 0)
    try Data("secret".utf8).write(to: folder.url("elsewhere"))
    try manager.createSymbolicLink(
      at: app.appending(path: "link.json"), withDestinationURL: folder.url("elsewhere"))
    try Data("not ours".utf8).write(to: app.appending(path: "notes.txt"))
    try second.now()
    try second.now()
    #expect(b.suite[b.theme] == "dark")
    await b.issues.wait { $0.count >= 5 }
    #expect(b.issues.codes == Array(repeating: .unreadableState, count: 5))
    #expect(!b.issues.all.contains { "\($0)".contains("secret") })
  }

  @Test("A link in place of the suite's folder isn't followed")
  func linkedFolder() throws {
    try FileManager.default.createDirectory(
      at: folder.url("elsewhere"), withIntermediateDirectories: false)
    try FileManager.default.createSymbolicLink(
      at: app, withDestinationURL: folder.url("elsewhere"))
    let sync = try a.sync(folder)
    a.suite[a.theme] = "dark"
    #expect(throws: Defaults.SuiteError.self) { try sync.now() }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder["elsewhere"]).isEmpty)
  }

  @Test("A link in place of this device's file is replaced, not followed")
  func linkedFile() throws {
    let sync = try a.sync(folder)
    try sync.now()
    let file = app.appending(path: "\(try #require(sync.devices.first).id).json")
    try Data("precious".utf8).write(to: folder.url("elsewhere"))
    try FileManager.default.createSymbolicLink(
      at: folder.url("link"), withDestinationURL: folder.url("elsewhere"))
    // In one step: a device whose file is missing takes another id.
    #expect(rename(folder["link"], file.path) == 0)
    a.suite[a.theme] = "dark"
    try sync.now()
    #expect(try String(contentsOf: folder.url("elsewhere"), encoding: .utf8) == "precious")
    let second = try b.sync(folder)
    try second.now()
    #expect(b.suite[b.theme] == "dark")
    #expect(sync.devices.first?.id == file.deletingPathExtension().lastPathComponent)
    #expect(try file.resourceValues(forKeys: [.isSymbolicLinkKey]).isSymbolicLink == false)
  }

  @Test("A conflict copy and a numbered copy of an old device file change nothing")
  func copies() throws {
    let (first, second) = (try a.sync(folder), try b.sync(folder))
    a.suite[a.theme] = "dark"
    try first.now()
    let id = try #require(first.devices.first { $0.isThis }?.id)
    let old = try Data(contentsOf: app.appending(path: "\(id).json"))
    a.theme.reset()
    try first.now()
    // In one step: a pass in the background would report a file that is being written.
    for copy in ["\(id).sync-conflict-20261125-120000-ABCDEFG.json", "\(id) (1).json"] {
      try old.write(to: app.appending(path: copy), options: .atomic)
    }
    try second.now()
    try first.now()
    #expect(!a.suite.contains("theme") && !b.suite.contains("theme"))
    #expect(first.devices.count == 2 && a.issues.codes.isEmpty && b.issues.codes.isEmpty)
  }

  @Test("A device whose state is lost or damaged comes back without losing or reviving a setting")
  func lostState() async throws {
    let (first, second) = (try a.sync(folder), try b.sync(folder))
    a.suite[a.theme] = "dark"
    a.suite[a.answer] = "yes"
    for sync in [first, second, first] { try sync.now() }
    // In one step: a pass in the background would report a file that is being written.
    try Data("damaged".utf8).write(to: folder.url("a.plist.sync"), options: .atomic)
    b.suite[b.theme] = "blue"
    b.answer.reset()
    for sync in [second, first, second] { try sync.now() }
    // The entries that the device still has aren't changes of a person: its old file has them.
    await a.issues.wait { !$0.isEmpty }
    #expect(a.issues.codes == [.malformed])
    for peer in [a, b] {
      #expect(peer.suite[peer.theme] == "blue" && !peer.suite.contains("answer"))
    }
  }

  @Test("Damage that only the first of several passes can find is reported")
  func damageBeforeRepetition() async throws {
    b.suite[b.theme] = "blue"
    try b.sync(folder).now()
    try Data("damaged".utf8).write(to: folder.url("a.plist.sync"))
    let isFirst = Lock(true)
    let transport = HookedFolder(
      shared: try SharedFolder(folder["shared"], suite: "app"),
      willRead: { [a] in if isFirst.exchange(false) { a.suite[a.theme] = "dark" } })
    try Defaults.FolderSync(a.suite, transport: transport).now()
    // The set is newer than the value that arrived while it was made.
    #expect(a.suite[a.theme] == "dark")
    await a.issues.wait { !$0.isEmpty }
    #expect(a.issues.codes == [.malformed])
  }

  /// The shared folder, which is missing while the flag is set.
  private func mounted(unless isMissing: Lock<Bool>) throws -> HookedFolder {
    HookedFolder(
      shared: try SharedFolder(folder["shared"], suite: "app"),
      willRead: { if isMissing.withLock({ $0 }) { throw CocoaError(.fileNoSuchFile) } })
  }

  @Test("Lasting problems of a sync are reported once, although the folder is missing in between")
  func damageBeforeGap() async throws {
    let second = try b.sync(folder)
    for peer in [a, b] { peer.suite[peer.answer] = peer.suite.label }
    try second.now()
    try Data("damaged".utf8).write(to: app.appending(path: "c.json"))
    let isMissing = Lock(false)
    let sync = try Defaults.FolderSync(a.suite, transport: mounted(unless: isMissing))
    try sync.now()
    _ = isMissing.exchange(true)
    for _ in 1...2 { #expect(throws: Defaults.SuiteError.self) { try sync.now() } }
    _ = isMissing.exchange(false)
    try sync.now()
    await a.issues.wait { $0.count >= 2 }
    #expect(a.issues.count == 2)
    #expect(Set(a.issues.codes) == [.syncConflict, .unreadableState])
  }

  @Test("A problem that was solved while the folder is missing is no longer shown")
  func solvedInGap() throws {
    let deep = Defaults.Key<PropertyListValue>("deep", default: 0, suite: a.suite, .synced)
    a.suite[deep] = (1..<PropertyListValue.maximumDepth).reduce(1) { value, _ in .array([value]) }
    let isMissing = Lock(false)
    let sync = try Defaults.FolderSync(a.suite, transport: mounted(unless: isMissing))
    func hasProblem() -> Bool? {
      a.suite.support.sync.withLock { $0 }?.statusRows.contains { $0.first == "problem" }
    }
    try sync.now()
    #expect(hasProblem() == true)
    _ = isMissing.exchange(true)
    #expect(throws: Defaults.SuiteError.self) { try sync.now() }
    #expect(hasProblem() == true)
    a.suite[deep] = 1
    #expect(throws: Defaults.SuiteError.self) { try sync.now() }
    #expect(hasProblem() == false)
    #expect(a.issues.codes == [.unrepresentable])
  }

  @Test("A sync that doesn't reach its folder isn't shown as the last sync")
  func unreached() throws {
    let sync = try a.sync(folder, "missing")
    func hasNever() -> Bool? {
      a.suite.support.sync.withLock { $0 }?.statusRows.contains(["last sync", "never"])
    }
    #expect(throws: Defaults.SuiteError.self) { try sync.now() }
    #expect(hasNever() == true)
    try FileManager.default.createDirectory(
      at: folder.url("missing"), withIntermediateDirectories: false)
    try sync.now()
    #expect(hasNever() == false)
  }

  @Test("A sync with a state file of another library version throws and leaves the file unchanged")
  func otherVersion() throws {
    let state = folder.url("a.plist.sync")
    let content = Data("{\"format\": \"defaults-sync-local-2\"}".utf8)
    try content.write(to: state)
    let sync = try a.sync(folder)
    #expect(throws: Defaults.SuiteError.self) { try sync.now() }
    #expect(try Data(contentsOf: state) == content)
    #expect(!FileManager.default.fileExists(atPath: app.path))
  }

  @Test("A device restored from a backup doesn't reuse the numbers of changes")
  func restoredDevice() throws {
    let second = try b.sync(folder)
    let state = folder.url("a.plist.sync")
    do {
      let first = try a.sync(folder)
      a.suite[a.theme] = "dark"
      try first.now()
      let backup = try Data(contentsOf: state)
      a.suite[a.theme] = "blue"
      try first.now()
      try second.now()
      try backup.write(to: state, options: .atomic)
      a.suite[a.theme] = "green"
      try first.now()
      try second.now()
      try first.now()
    }
    #expect(a.suite[a.theme] == "green" && b.suite[b.theme] == "green")
  }

  @Test("Device files beyond the limit on their total size are reported and not read")
  func manyBytes() throws {
    try FileManager.default.createDirectory(at: app, withIntermediateDirectories: false)
    for name in ["a", "b", "c"] {
      try Data(count: 400).write(to: app.appending(path: "\(name).json"))
    }
    let shared = try SharedFolder(folder["shared"], suite: "app", maximumSize: 800)
    let contents = try shared.states().map { try? $0.content.get().count }
    #expect(contents == [400, 400, nil])
    // The rest is read as soon as there is room for it.
    try FileManager.default.removeItem(at: app.appending(path: "a.json"))
    #expect(try shared.states().map { try $0.content.get().count } == [400, 400])
  }
}
