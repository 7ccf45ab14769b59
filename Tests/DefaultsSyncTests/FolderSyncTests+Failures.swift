import Defaults
import DefaultsSync
import Foundation
import TestSupport
import Testing

/// Syncs that fail.
extension FolderSyncTests {
  @Test("A child process that was forked during a sync doesn't keep the lock of the sync")
  func forkedChild() async {
    await #expect(processExitsWith: .success) {
      dieAtHang()
      let folder = try Peer.folder()
      let a = try Peer(folder.url("a.plist"))
      let child = Lock<pid_t>(0)
      let transport = HookedFolder(
        shared: try SharedFolder(folder["shared"], suite: "app"),
        willRead: {
          guard child.withLock({ $0 }) == 0 else { return }
          let id = try forked()
          while id == 0 { pause() }
          _ = child.exchange(id)
        })
      let sync = try Defaults.FolderSync(a.suite, transport: transport)
      defer { kill(child.withLock { $0 }, SIGKILL) }
      for _ in 0..<2 { #expect(throws: Never.self) { try sync.now() } }
    }
  }

  @Test("A device can be forgotten while this device's settings are too large to publish")
  func forgettingBeyondLimit() throws {
    let (first, second) = (try a.sync(folder), try b.sync(folder))
    for sync in [first, second, first] { try sync.now() }
    let other = try #require(first.devices.first { !$0.isThis })
    a.suite[a.theme] = String(repeating: "x", count: 1_100_000)
    let error = #expect(throws: Defaults.SuiteError.self) { try first.forget(other) }
    #expect(error?.code == .tooLargeToSync && first.devices.count == 1)
  }

  @Test("A file in place of the suite's folder is reported; a missing shared folder isn't")
  func unreadableFolder() throws {
    let sync = try a.sync(folder, "later")
    func hasProblem() -> Bool? {
      a.suite.support.sync.withLock { $0 }?.statusRows.contains { $0.first == "problem" }
    }
    #expect(throws: Defaults.SuiteError.self) { try sync.now() }
    #expect(hasProblem() == false)
    // In one step: a pass in the background could make the suite's folder.
    try FileManager.default.createDirectory(
      at: folder.url("new"), withIntermediateDirectories: false)
    try Data().write(to: folder.url("new/app"))
    #expect(rename(folder["new"], folder["later"]) == 0)
    let error = #expect(throws: Defaults.SuiteError.self) { try sync.now() }
    #expect(error?.code == .unreadable && hasProblem() == true)
  }

  @Test(
    "This device's file is replaced although it belongs to another user", .tags(.root), .needsRoot)
  func otherOwner() throws {
    let shared = try SharedFolder(folder["shared"], suite: "app")
    try shared.put(Data("old".utf8), of: "a")
    #expect(chown(folder["shared/app/a.json"], 1_234, 1_234) == 0)
    try shared.put(Data("new".utf8), of: "a")
    #expect(try String(contentsOfFile: folder["shared/app/a.json"], encoding: .utf8) == "new")
  }
}
