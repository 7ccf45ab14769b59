@testable import Defaults
import DefaultsSync
import Foundation
import TestSupport
import Testing

@Suite("Suites that are lost or replaced while they are synced")
struct LostSuiteTests {
  private let folder: TemporaryFolder
  private let b: Peer

  init() throws {
    folder = try Peer.folder()
    b = try Peer(folder.url("b.plist"))
  }

  /// Syncs a value between both devices.
  private func begin() throws {
    let a = try Peer(folder.url("a/suite.plist"))
    let (first, second) = (try a.sync(folder), try b.sync(folder))
    a.suite[a.theme] = "dark"
    a.suite[a.tags] = ["x"]
    for sync in [first, second, first] { try sync.now() }
    try a.suite.flush(.snapshot)
  }

  /// Returns the first device after a loss: some of its files in another folder.
  private func remains(_ isLeft: (String) -> Bool) throws -> Peer {
    let manager = FileManager.default
    try manager.createDirectory(at: folder.url("rest"), withIntermediateDirectories: false)
    let names = try manager.contentsOfDirectory(atPath: folder["a"])
    // A pass in the background may be writing a file.
    for name in names where !name.hasSuffix(".tmp") && isLeft(name) {
      try manager.copyItem(at: folder.url("a/\(name)"), to: folder.url("rest/\(name)"))
    }
    return try Peer(folder.url("rest/suite.plist"))
  }

  @Test(
    "A device that has lost its settings gets them back from the sync and publishes no removals")
  func loss() throws {
    try begin()
    let a = try remains { $0.hasSuffix(".sync") }
    #expect(!a.suite.contains("theme"))
    let (first, second) = (try a.sync(folder), try b.sync(folder))
    for sync in [first, second, first] { try sync.now() }
    for peer in [a, b] {
      #expect(peer.suite[peer.theme] == "dark" && peer.suite[peer.tags] == ["x"])
    }
    #expect(a.issues.codes.isEmpty && b.issues.codes.isEmpty)
  }

  @Test(
    "A device that could read only a part of its damaged files publishes no removals",
    arguments: [true, false])
  func partialLoss(isBeginningDamaged: Bool) throws {
    try begin()
    let a = try damaged(isBeginningDamaged)
    #expect(a.suite.health == .startedEmpty)
    #expect(!a.suite.contains("theme") && a.suite.contains("tags"))
    let (first, second) = (try a.sync(folder), try b.sync(folder))
    for sync in [first, second, first, second] { try sync.now() }
    for peer in [a, b] {
      #expect(peer.suite[peer.theme] == "dark" && peer.suite[peer.tags] == ["x"])
    }
  }

  /// Returns the first device with a damaged property list, and with a journal in which the theme
  /// and perhaps the beginning are damaged.
  private func damaged(_ isBeginningDamaged: Bool) throws -> Peer {
    let (file, journal) = (folder.url("a/suite.plist"), folder.url("a/suite.plist.journal"))
    var bytes = try Data(contentsOf: journal)
    let theme = try #require(bytes.range(of: Data("dark".utf8)))
    bytes[theme.lowerBound] ^= 1
    if isBeginningDamaged { bytes[LogHeader.size + LogEncoder.prefixSize] ^= 1 }
    try bytes.write(to: journal)
    try Data("damaged".utf8).write(to: file)
    return try remains { _ in true }
  }

  /// Returns the first device with the state of its sync, but with the files that its suite had
  /// before a change, which was synced.
  private func withOlderFiles(
    _ first: (Peer) -> Void, _ change: (Peer) -> Void,
    isLeft: (String) -> Bool = { _ in true }
  ) throws -> Peer {
    let manager = FileManager.default
    let a = try Peer(folder.url("a/suite.plist"))
    let (one, other) = (try a.sync(folder), try b.sync(folder))
    first(a)
    for sync in [one, other] { try sync.now() }
    try a.suite.flush(.snapshot)
    try a.withoutSync { try manager.copyItem(at: folder.url("a"), to: folder.url("rest")) }
    change(a)
    for sync in [one, other, one] { try sync.now() }
    try a.withoutSync {
      for name in try manager.contentsOfDirectory(atPath: folder["a"])
      where name.hasSuffix(".sync") {
        try manager.removeItem(at: folder.url("rest/\(name)"))
        try manager.copyItem(at: folder.url("a/\(name)"), to: folder.url("rest/\(name)"))
      }
    }
    for name in try manager.contentsOfDirectory(atPath: folder["rest"]) where !isLeft(name) {
      try manager.removeItem(at: folder.url("rest/\(name)"))
    }
    return try Peer(folder.url("rest/suite.plist"))
  }

  @Test(
    "A device with older copies of its suite's files publishes no removals",
    arguments: [true, false])
  func olderFiles(isOwnChange: Bool) throws {
    let a = try withOlderFiles {
      $0.suite[$0.theme] = "dark"
    } _: { a in
      if isOwnChange { a.suite[a.tags] = ["x"] } else { b.suite[b.tags] = ["x"] }
    }
    #expect(a.suite.contains("theme") && !a.suite.contains("tags"))
    let (first, second) = (try a.sync(folder), try b.sync(folder))
    for sync in [first, second, first] { try sync.now() }
    for peer in [a, b] {
      #expect(peer.suite[peer.theme] == "dark" && peer.suite[peer.tags] == ["x"])
    }
  }

  @Test(
    "A device with older copies of its suite's files publishes no older values, by any rule",
    arguments: [true, false], [true, false])
  func olderValues(isOwnChange: Bool, hasJournal: Bool) throws {
    func set(_ peer: Peer, _ theme: String, _ volume: Int, _ tags: Set<String>, _ answer: String) {
      peer.suite[peer.theme] = theme
      peer.suite[peer.volume] = volume
      peer.suite[peer.tags] = tags
      peer.suite[peer.answer] = answer
    }
    let a = try withOlderFiles {
      set($0, "dark", 9, ["x", "y"], "yes")
    } _: {
      set(isOwnChange ? $0 : b, "blue", 3, ["y"], "no")
    } isLeft: {
      hasJournal || !$0.hasSuffix(".journal")
    }
    #expect(a.suite[a.theme] == "dark" && a.suite[a.volume] == 9)
    let (first, second) = (try a.sync(folder), try b.sync(folder))
    for sync in [first, second, first] { try sync.now() }
    for peer in [a, b] {
      #expect(peer.suite[peer.theme] == "blue" && peer.suite[peer.volume] == 3)
      #expect(peer.suite[peer.tags] == ["y"] && peer.suite[peer.answer] == "no")
    }
    #expect(first.conflicts.isEmpty && second.conflicts.isEmpty)
  }

  @Test("A change after older copies replaced a suite's files is synced")
  func changeOfOlderFiles() throws {
    let a = try withOlderFiles {
      $0.suite[$0.theme] = "dark"
    } _: {
      $0.suite[$0.theme] = "blue"
    }
    a.suite[a.theme] = "green"
    let (first, second) = (try a.sync(folder), try b.sync(folder))
    for sync in [first, second, first] { try sync.now() }
    #expect(a.suite[a.theme] == "green" && b.suite[b.theme] == "green")
  }

  @Test("A removal is synced that follows a restoration of files with equal settings")
  func removalAfterEqualFiles() throws {
    let a = try Peer(folder.url("a/suite.plist"))
    let (first, second) = (try a.sync(folder), try b.sync(folder))
    a.suite[a.theme] = "dark"
    for sync in [first, second] { try sync.now() }
    let mark = try #require(a.suite.entry(named: Defaults.syncName))
    a.suite[a.theme] = "blue"
    for sync in [first, second] { try sync.now() }
    a.suite.write(.set(mark), named: Defaults.syncName)
    try first.now()
    #expect(a.suite.entry(named: Defaults.syncName) != mark)
    a.suite.removeObject(forKey: "theme")
    for sync in [first, second, first] { try sync.now() }
    #expect(!a.suite.contains("theme") && !b.suite.contains("theme"))
  }

  @Test("A device whose settings and state are lost gets the settings of the other devices")
  func wholeLoss() throws {
    try begin()
    let a = try remains { _ in false }
    let (first, second) = (try a.sync(folder), try b.sync(folder))
    for sync in [first, second, first] { try sync.now() }
    #expect(a.suite[a.theme] == "dark" && b.suite[b.theme] == "dark")
  }

  @Test("A removal of all settings by the program is synced")
  func removals() throws {
    try begin()
    let a = try Peer(folder.url("a/suite.plist"))
    let (first, second) = (try a.sync(folder), try b.sync(folder))
    try first.now()
    try a.suite.transaction { $0.removeAll() }
    for sync in [first, second] { try sync.now() }
    #expect(!b.suite.contains("theme") && !b.suite.contains("tags"))
  }

  @Test("The mark of a synced suite is no setting: it isn't exported")
  func mark() throws {
    try begin()
    let a = try Peer(folder.url("a/suite.plist"))
    #expect(a.suite.contains("Defaults.sync"))
    let exported = try a.suite.exportData(as: .json)
    #expect(!String(decoding: exported, as: UTF8.self).contains("Defaults.sync"))
  }

  @Test("A restored disk whose shared folder is still empty takes a new id, and resets no setting")
  func restoredDisk() throws {
    try begin()
    let a = try remains { _ in true }
    let manager = FileManager.default
    try manager.createDirectory(at: folder.url("empty"), withIntermediateDirectories: false)
    let first = try a.sync(folder, "empty")
    a.suite[a.theme] = "green"
    try first.now()
    let files = try manager.contentsOfDirectory(atPath: folder["empty/app"])
    #expect(files.count == 1)
    #expect(!manager.fileExists(atPath: folder["shared/app/\(files[0])"]))
    try manager.copyItem(
      at: folder.url("empty/app/\(files[0])"), to: folder.url("shared/app/\(files[0])"))
    try b.sync(folder).now()
    #expect(b.suite[b.theme] == "green" && b.suite[b.tags] == ["x"])
  }

  @Test("A device whose state is lost doesn't publish the value of another device as its own")
  func lostState() throws {
    try begin()
    let second = try b.sync(folder)
    b.suite[b.theme] = "blue"
    // Another device has applied the old value later than it was chosen.
    let a = try remains { !$0.contains(".sync") }
    try second.now()
    let first = try a.sync(folder)
    for sync in [first, second] { try sync.now() }
    #expect(a.suite[a.theme] == "blue" && b.suite[b.theme] == "blue")
  }

  @Test("A device that sees an empty folder at times, as before a mount, has two ids at most")
  func emptyMountPoint() throws {
    let a = try Peer(folder.url("one.plist"))
    let (path, away, below) = (folder["shared"], folder["away"], folder["below"])
    // The mount point, which this device may write.
    try FileManager.default.createDirectory(atPath: below, withIntermediateDirectories: false)
    for round in 0..<4 {
      a.suite[a.theme] = "\(round)"
      let sync = try a.sync(folder)
      try sync.now()
      // A pass in the background of the other device would see the empty folder, too. One of this
      // device would publish to one folder what it has read in the other.
      try b.withoutSync {
        try a.withoutSync { #expect(rename(path, away) == 0 && rename(below, path) == 0) }
        a.suite[a.theme] = "\(round) alone"
        try sync.now()
        try a.withoutSync { #expect(rename(path, below) == 0 && rename(away, path) == 0) }
      }
      try sync.now()
      #expect(sync.devices.count <= 3)
      let other = try b.sync(folder)
      try other.now()
      #expect(b.suite[b.theme] == "\(round) alone")
      #expect(other.devices.count <= 3)
    }
  }

  @Test("A suite that is synced through two folders is one device in each of them")
  func twoFolders() throws {
    try FileManager.default.createDirectory(
      at: folder.url("second"), withIntermediateDirectories: false)
    let a = try Peer(folder.url("one.plist"))
    let syncs = try ["shared", "second"].map { try a.sync(folder, $0) }
    for round in 0..<4 {
      a.suite[a.theme] = "\(round)"
      for sync in syncs { try sync.now() }
    }
    for name in ["shared", "second"] {
      let files = try FileManager.default.contentsOfDirectory(atPath: folder[name + "/app"])
      #expect(files.filter { $0.hasSuffix(".json") }.count == 1)
    }
    #expect(syncs[0].devices.count == 2)
  }
}
