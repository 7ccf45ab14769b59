import Defaults
import DefaultsCommand
import DefaultsSync
import Foundation
import TestSupport
import Testing

@Suite("Live sync", .prompt)
struct SyncTimingTests {
  private let folder: TemporaryFolder
  private let a: Peer
  private let b: Peer

  init() throws {
    folder = try Peer.folder()
    a = try Peer(folder.url("a.plist"))
    b = try Peer(folder.url("b.plist"))
  }

  @Test("A change arrives on the other device without a manual sync", .timeLimit(.aHang))
  func live() async throws {
    let (first, second) = (try a.sync(folder), try b.sync(folder))
    a.suite[a.theme] = "dark"
    await b.wait(for: "dark", of: b.theme)
    b.suite[b.theme] = "blue"
    await a.wait(for: "blue", of: a.theme)
    withExtendedLifetime((first, second)) {}
  }

  @Test(
    "A key that is declared after a sync gets the other devices' value without a manual sync",
    .timeLimit(.aHang))
  func lateKey() async throws {
    let font = Defaults.Key("font", default: "serif", suite: a.suite, .synced)
    let (first, second) = (try a.sync(folder), try b.sync(folder))
    a.suite[font] = "mono"
    try first.now()
    try second.now()
    let late = Defaults.Key("font", default: "serif", suite: b.suite, .synced)
    await b.wait(for: "mono", of: late)
    withExtendedLifetime((first, second)) {}
  }

  @Test(
    "While a handler of another device's change runs, other processes can sync",
    .timeLimit(.aHang))
  func handlerWithoutLock() async throws {
    a.suite[a.theme] = "dark"
    try a.sync(folder).now()
    let (values, value) = AsyncStream.makeStream(of: String.self)
    let observation = Defaults.observe(b.theme, options: []) { [b] change in
      #expect(throws: Never.self) { try b.withoutSync {} }
      value.yield(change.newValue)
    }
    let sync = try b.sync(folder)
    try sync.now()
    var iterator = values.makeAsyncIterator()
    #expect(await iterator.next() == "dark")
    withExtendedLifetime((observation, sync)) {}
  }

  @Test("A suite calls the handler once for each new synced key, until the handler returns false")
  func announcedKeys() {
    let calls = Log<Int>()
    a.suite.support.whenMarked {
      calls.append(1)
      return calls.all.count < 2
    }
    _ = Defaults.Key("other", default: 0, suite: a.suite)
    let counts = ["one", "one", "two", "three"].map { name in
      _ = Defaults.Key(name, default: 0, suite: a.suite, .synced)
      return calls.all.count
    }
    #expect(counts == [1, 1, 2, 2])
  }

  @Test("A change under a previous name of a synced key counts as a change of a synced setting")
  func previousName() {
    _ = Defaults.Key("tint", default: "none", suite: a.suite, .renamed(from: "hue"), .synced)
    for name in ["tint", "hue"] { #expect(a.suite.support.isMarked(name)) }
    #expect(!a.suite.support.isMarked(a.local.name))
  }

  @Test("A burst of 200 changes is written in at most three files, and one more per second")
  func burst() throws {
    let start = MonotonicClock.now
    let sync = try a.sync(folder)
    try sync.now()
    for number in 0..<200 { a.suite[a.theme] = "\(number)" }
    try sync.now()
    let text = try #require(String(data: try file(), encoding: .utf8))
    let files = try #require(text.firstMatch(of: /"files":([0-9]+)/)?.output.1)
    let seconds = Int((MonotonicClock.now - start) / 1_000_000_000)
    #expect(try #require(Int(files)) <= 3 + seconds && text.contains("\"199\""))
  }

  private func file() throws -> Data {
    let names = try FileManager.default.contentsOfDirectory(atPath: folder["shared/app"])
    return try Data(contentsOf: folder.url("shared/app/\(try #require(names.first))"))
  }

  @Test("The sync verb syncs and prints devices and changes; explain prints the origin of a value")
  func command() async throws {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardOutputContent]
    ) {
      let folder = try Peer.folder()
      let (a, b) = (try Peer(folder.url("a.plist")), try Peer(folder.url("b.plist")))
      let (first, second) = (try a.sync(folder), try b.sync(folder))
      b.suite[b.theme] = "dark"
      try second.now()
      let command = Defaults.Command([a.theme], suite: a.suite, name: "tool")
      try command.run(["sync", "now"])
      guard a.suite[a.theme] == "dark" else { exit(1) }
      for word in ["status", "devices", "log"] { try command.run(["sync", word]) }
      try command.run(["explain", "theme"])
      try command.run(["help"])
      do throws(Defaults.CommandError) {
        try command.run(["sync", "later"])
        exit(2)
      } catch {
        guard error.status == 64 else { exit(3) }
      }
      withExtendedLifetime((first, second)) {}
    }
    let output = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
    #expect(output.contains("\n  sync status|devices|now|log"))
  }

  @Test("The sync command of a program that doesn't sync fails")
  func withoutSync() {
    let command = Defaults.Command([a.theme], suite: a.suite, name: "tool")
    #expect(throws: Defaults.CommandError.self) { try command.run(["sync", "now"]) }
  }
}
