import Defaults
import DefaultsSync
import Foundation
import Harness
import TestSupport
import Testing

/// The programs that carry files, where they are installed.
private enum Carriers {
  static let git = SearchPath.program("git")
  static let syncthing = SearchPath.program("syncthing")
}

@Suite("Sync through git and Syncthing", .prompt)
struct CarrierTests {
  private let folder: TemporaryFolder
  private let a: Peer
  private let b: Peer

  init() throws {
    folder = try TemporaryFolder()
    a = try Peer(folder.url("a.plist"))
    b = try Peer(folder.url("b.plist"))
  }

  // MARK: - Git

  private func git(_ arguments: String..., in clone: String) async throws {
    let settings = ["-c", "user.name=Test", "-c", "user.email=test@example.com"]
    let outcome = try await ChildProcess.run(
      try #require(Carriers.git), ["-C", folder[clone]] + settings + arguments,
      environment: ["HOME": folder.path, "GIT_CONFIG_NOSYSTEM": "1"])
    try #require(outcome.status == 0, "\(arguments): \(outcome.output)\(outcome.error)")
  }

  @Test(
    "Two clones of a git repository are merged without conflicts, and the devices agree",
    .enabled(if: Carriers.git != nil, "git isn't installed"), .timeLimit(.aHang))
  func clones() async throws {
    for name in ["a", "b"] {
      try FileManager.default.createDirectory(
        at: folder.url(name), withIntermediateDirectories: false)
    }
    try await git("init", "-q", "--initial-branch=main", in: "a")
    try await git("commit", "-q", "--allow-empty", "-m", "first", in: "a")
    try await git("init", "-q", "--initial-branch=main", in: "b")
    try await git("pull", "-q", folder["a"], "main", in: "b")
    let (first, second) = (try a.sync(folder, "a"), try b.sync(folder, "b"))
    for round in 1...4 {
      a.suite[a.theme] = "a\(round)"
      a.suite[a.tags].insert("a\(round)")
      b.suite[b.theme] = "b\(round)"
      b.suite[b.tags].insert("b\(round)")
      if round == 3 { a.answer.reset() } else { a.suite[a.answer] = "\(round)" }
      try first.now()
      try second.now()
      for clone in ["a", "b"] {
        try await git("add", "--all", in: clone)
        try await git("commit", "-q", "-m", "round \(round)", in: clone)
      }
      try await git("pull", "-q", "--no-rebase", "--no-edit", folder["a"], "main", in: "b")
      try second.now()
      try await git("add", "--all", in: "b")
      try await git("commit", "-q", "--allow-empty", "-m", "merged \(round)", in: "b")
      try await git("pull", "-q", "--no-rebase", "--no-edit", folder["b"], "main", in: "a")
      try first.now()
      #expect(a.settings == b.settings)
    }
    #expect(a.suite[a.theme] == "b4" && a.suite[a.tags].count == 8 && b.suite[b.answer] == "4")
    // Git writes files in place, so the live sync may see the beginning of one.
    #expect(Set(a.issues.codes + b.issues.codes).isSubset(of: [.unreadableState]))
  }

  // MARK: - Syncthing

  @Test(
    "Two Syncthing instances carry changes both ways, and a conflict copy does no harm",
    .enabled(if: Carriers.syncthing != nil, "syncthing isn't installed"), .timeLimit(.aHang))
  func instances() async throws {
    let program = try #require(Carriers.syncthing)
    let both = try await SyncthingPair(program, in: folder)
    var other = try both.start("b")
    let one = try both.start("a")
    defer { one.signal(SIGKILL) }
    let (first, second) = (try a.sync(folder, "a"), try b.sync(folder, "b"))
    a.suite[a.theme] = "dark"
    await b.wait(for: "dark", of: b.theme)
    b.suite[b.tags] = ["x"]
    await a.wait(for: ["x"], of: a.tags)
    // The second instance is away. Meanwhile both have another content for the first device's file.
    other.signal(SIGTERM)
    _ = await other.outcome()
    let id = try #require(first.devices.first?.id)
    let (mine, its) = (folder.url("a/app/\(id).json"), folder.url("b/app/\(id).json"))
    let old = try Data(contentsOf: mine)
    a.suite[a.theme] = "blue"
    try first.now()
    a.suite[a.theme] = "green"
    try first.now()
    try Data(old.dropLast(20)).write(to: its)
    b.suite[b.answer] = "yes"
    try second.now()
    other = try both.start("b")
    defer { other.signal(SIGKILL) }
    await b.wait(for: "green", of: b.theme)
    await a.wait(for: "yes", of: a.answer)
    a.theme.reset()
    await b.wait(for: "light", of: b.theme)
    #expect(!b.suite.contains("theme"))
    withExtendedLifetime((first, second)) {}
  }
}

/// Two instances of Syncthing that only know each other, on loopback.
private struct SyncthingPair {
  private let program: URL
  private let folder: TemporaryFolder

  init(_ program: URL, in folder: TemporaryFolder) async throws {
    (self.program, self.folder) = (program, folder)
    var devices: [(name: String, id: String, port: Int)] = []
    for name in ["a", "b"] {
      try FileManager.default.createDirectory(
        at: folder.url(name), withIntermediateDirectories: false)
      let home = folder["home-\(name)"]
      _ = try await ChildProcess.run(
        program, ["-generate=\(home)", "--no-default-folder"], environment: ["HOME": folder.path])
      let outcome = try await ChildProcess.run(
        program, ["-home=\(home)", "-device-id"], environment: ["HOME": folder.path])
      let id = outcome.output.trimmingCharacters(in: .whitespacesAndNewlines)
      // A random port above those that the system gives to clients.
      devices.append((name, id, Int.random(in: 61_001...65_000)))
    }
    for device in devices {
      let ids = devices.map { "<device id=\"\($0.id)\"></device>" }.joined()
      let addresses = devices.map { other in
        """
        <device id="\(other.id)" name="\(other.name)" compression="never">
        <address>tcp://127.0.0.1:\(other.port)</address></device>
        """
      }.joined()
      let text = """
        <configuration version="35">
        <folder id="s" path="\(folder[device.name])" type="sendreceive" rescanIntervalS="2" \
        fsWatcherEnabled="true" fsWatcherDelayS="1">\(ids)</folder>
        \(addresses)
        <gui enabled="false"></gui>
        <options><listenAddress>tcp://127.0.0.1:\(device.port)</listenAddress>
        <globalAnnounceEnabled>false</globalAnnounceEnabled>
        <localAnnounceEnabled>false</localAnnounceEnabled>
        <relaysEnabled>false</relaysEnabled><natEnabled>false</natEnabled>
        <reconnectionIntervalS>1</reconnectionIntervalS><urAccepted>-1</urAccepted>
        <startBrowser>false</startBrowser><autoUpgradeIntervalH>0</autoUpgradeIntervalH>
        <crashReportingEnabled>false</crashReportingEnabled></options>
        </configuration>
        """
      try Data(text.utf8).write(to: folder.url("home-\(device.name)/config.xml"))
    }
  }

  func start(_ name: String) throws -> ChildProcess {
    try ChildProcess(
      program, ["-home=\(folder["home-\(name)"])", "--no-browser", "--no-restart"],
      environment: ["HOME": folder.path])
  }
}
