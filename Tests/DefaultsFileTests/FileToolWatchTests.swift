import Defaults
import Foundation
import TestSupport
import Testing

@Suite("The file tool with running programs", .timeLimit(.aHang))
struct FileToolWatchTests {
  private let tool: FileToolProgram

  init() throws { tool = try FileToolProgram() }

  @Test(
    "The file tool's watch prints the entries and then each change until interrupted",
    arguments: [SIGINT, SIGTERM])
  func watch(signal: Int32) async throws {
    try tool.write(["theme": "dark", "volume": 1])
    let watch = try tool.start([tool.path, "watch"])
    #expect(await watch.nextLine() == #"theme = "dark""#)
    #expect(await watch.nextLine() == "volume = 1")
    #expect(try await tool("set", "volume", "2").status == 0)
    #expect(await watch.nextLine() == "volume = 2, was 1")
    #expect(try await tool("unset", "theme").status == 0)
    #expect(await watch.nextLine() == #"theme = (none), was "dark""#)
    watch.signal(signal)
    let outcome = await watch.outcome()
    #expect(outcome.status == 0)
    #expect(outcome.error == "")
    #expect(!outcome.wasKilled)
  }

  @Test("The file tool's watch accepts names without an entry and ignores other names")
  func names() async throws {
    try tool.write(["theme": "dark"])
    let watch = try tool.start([tool.path, "watch", "volume"])
    #expect(await watch.nextLine() == "volume = (none)")
    _ = try await tool("set", "theme", "light")
    _ = try await tool("set", "volume", "--integer", "3")
    #expect(await watch.nextLine() == "volume = 3, was (none)")
    watch.signal(SIGINT)
    #expect(await watch.outcome().status == 0)
  }

  @Test("The file tool's watch ends when the reader of its output ends")
  func reader() async throws {
    try tool.write(["theme": "dark"])
    let watch = try tool.start(
      [tool.path, "watch"], script: #"{ "$0" "$@"; echo "status $?" >&2; } | head -n 1"#)
    let outcome = await watch.outcome()
    #expect(outcome.lines == [#"theme = "dark""#])
    #expect(outcome.errorLines == ["status \(128 + SIGPIPE)"])
  }

  @Test("Running programs receive the file tool's changes, and its watch receives their changes")
  func programs() async throws {
    let key = Defaults.Key<Int>(
      "volume", default: 0,
      suite: try Defaults.PropertyListSuite(url: tool.folder.url("settings.plist")))
    var updates = Defaults.updates(key, initial: true).makeAsyncIterator()
    #expect(await updates.next() == 0)
    let other = try tool.start([tool.path, "watch", "volume"])
    Defaults[key] = 1
    #expect(await updates.next() == 1)
    while let line = await other.nextLine(), !line.hasPrefix("volume = 1") {}
    #expect(try await tool("set", "volume", "2").lines == ["volume = 2"])
    #expect(await updates.next() == 2)
    #expect(await other.nextLine() == "volume = 2, was 1")
    Defaults[key] = 3
    #expect(await other.nextLine() == "volume = 3, was 2")
    #expect(try await tool("get", "volume").output == "3\n")
    other.signal(SIGINT)
    #expect(await other.outcome().status == 0)
    #expect(key.suite.entries == ["volume": 3])
  }
}
