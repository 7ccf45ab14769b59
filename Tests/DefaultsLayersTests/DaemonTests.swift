import Defaults
import DefaultsLayers
import Foundation
import TestSupport
import Testing

/// The settings of a service, as its program declares them.
private struct Daemon {
  let suite: Defaults.LayeredSuite
  let workers: Defaults.Key<Int>
  let greeting: Defaults.Key<String>

  /// `root` is the root of the file system.
  init(root: URL, onIssue: @escaping @Sendable (Defaults.Issue) -> Void) throws {
    suite = try Defaults.LayeredSuite(
      .managed(at: root.appending(path: "etc/xdg/greeter/managed.plist")),
      .arguments, .environment(prefix: "GREETER_"),
      .writable(
        Defaults.PropertyListSuite(url: root.appending(path: "var/lib/greeter/Defaults.plist"))),
      .file(root.appending(path: "etc/xdg/greeter/defaults.plist"), name: "site"),
      onIssue: onIssue)
    workers = Defaults.Key("workers", default: 1, suite: suite, .in(1...64))
    greeting = Defaults.Key("greeting", default: "hello", suite: suite)
  }

  func layer(of key: Defaults.AnyKey) -> String? {
    suite.inspect(key).first(where: \.counts)?.layer
  }
}

@Suite("A service with files of an operator", .prompt)
struct DaemonTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test("A service follows an operator's files at run time without a home folder or environment")
  func service() async throws {
    try folder.makeFolder("etc/xdg/greeter", mode: 0o755)
    try folder.makeFolder("var/lib/greeter")
    try folder.write(plist("<key>workers</key><integer>4</integer>"), to: site, mode: 0o644)
    await #expect(processExitsWith: .success) { [path = folder.path as String] in
      clearenv()
      let root = URL(filePath: path)
      let issues = IssueLog()
      let daemon = try Daemon(root: root) { issues.append($0) }
      let (workers, suite) = (daemon.workers, daemon.suite)
      let events = Log<Defaults.KeyChange<Int>>()
      let observation = Defaults.observe(workers, options: []) { events.append($0) }
      var values = Defaults.updates(workers).makeAsyncIterator()

      // The defaults of the machine.
      #expect(await values.next() == 4)
      #expect(daemon.layer(of: workers) == "site" && daemon.layer(of: daemon.greeting) == "default")

      // The operator's own setting, made through the program.
      suite[workers] = 6
      #expect(await values.next() == 6)
      #expect(daemon.layer(of: workers) == "user" && events.last?.layer == "user")

      // An administrator's file appears, changes, is damaged, is repaired with a mistake, and is
      // removed.
      let managed = root.appending(path: "etc/xdg/greeter/managed.plist")
      func write(_ text: String) throws {
        try Data(text.utf8).write(to: managed, options: .atomic)
      }
      try write(plist("<key>workers</key><integer>2</integer>"))
      #expect(await values.next() == 2)
      #expect(daemon.layer(of: workers) == "managed" && workers.isManaged)
      #expect(events.last?.layer == "managed" && events.last?.source == .external)
      #expect(throws: Defaults.SuiteError.self) { try suite.set(8, for: workers) }
      try write(plist("<key>workers</key><integer>3</integer>"))
      #expect(await values.next() == 3)
      try write("<plist><dict><key>workers</key>")
      try suite.refresh()
      #expect(suite[workers] == 3 && daemon.layer(of: workers) == "managed")
      // The thread that follows the files may report the damage after this thread has refreshed.
      await issues.wait { !$0.isEmpty }
      #expect(issues.codes == [.malformed])
      try write(plist("<key>workers</key><integer>900</integer>"))
      #expect(await values.next() == 6)
      #expect(daemon.layer(of: workers) == "user" && !workers.isManaged)
      await issues.wait { $0.count > 1 }
      #expect(issues.codes == [.malformed, .invalid])
      #expect(issues.last?.description.contains("managed.plist") == true)
      #expect(issues.last?.description.contains("1...64") == true)
      try write(plist("<key>workers</key><integer>5</integer>"))
      #expect(await values.next() == 5)
      try FileManager.default.removeItem(at: managed)
      #expect(await values.next() == 6)

      // The operator edits the file that the program writes.
      try await suite.flush(.snapshot)
      let own = root.appending(path: "var/lib/greeter/Defaults.plist")
      try Data(plist("<key>workers</key><integer>7</integer>").utf8)
        .write(to: own, options: .atomic)
      #expect(await values.next() == 7)
      #expect(events.last?.layer == "user" && events.last?.source == .external)
      suite.reset(workers)
      #expect(await values.next() == 4)
      #expect(daemon.layer(of: workers) == "site")
      #expect(
        events.all.map(\.newValue) == [6, 2, 3, 6, 5, 6, 7, 4])
      withExtendedLifetime(observation) {}
    }
  }

  private let site = "etc/xdg/greeter/defaults.plist"
}

/// A property list with these entries, as an operator writes it.
private func plist(_ entries: String) -> String {
  "<?xml version=\"1.0\"?><plist version=\"1.0\"><dict>\(entries)</dict></plist>"
}
