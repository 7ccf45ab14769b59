import Defaults
import Foundation
import TestSupport
import Testing

@Suite("Issue handlers", .prompt)
struct IssueHandlerTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test("An issue handler may use the program's suite, also for an issue of its opening")
  func opening() async throws {
    try folder.makeFolder("damaged", mode: 0o700)
    for argument in ["damaged", "in place"] {
      await #expect(processExitsWith: .success) { [home = folder[argument] as String] in
        setenv("XDG_CONFIG_HOME", home, 1)
        let name = URL(filePath: CommandLine.arguments[0]).lastPathComponent
        let file = home + "/" + name + "/Defaults.plist"
        let manager = FileManager.default
        if home.hasSuffix("damaged") {
          try manager.createDirectory(
            atPath: home + "/" + name, withIntermediateDirectories: true)
          try Data("garbage".utf8).write(to: URL(filePath: file))
        } else {
          // A folder in the place of the file.
          try manager.createDirectory(atPath: file, withIntermediateDirectories: true)
        }
        let told = Log<Bool>()
        Defaults.issueHandler = { _ in
          told.append(Defaults.PropertyListSuite.standard.bool(forKey: "verbose"))
        }
        Defaults.PropertyListSuite.standard.set(1, forKey: "x")
        #expect(told.count > 0)
      }
    }
  }

  @Test("The issue handler works after it was read many times")
  func manyReads() async {
    await #expect(processExitsWith: .success) {
      let calls = Log<Int>()
      Defaults.issueHandler = { _ in calls.append(1) }
      for _ in 0..<200_000 { _ = Defaults.issueHandler }
      let suite = Defaults.MemorySuite(["volume": "loud"])
      #expect(suite[Defaults.Key("volume", default: 5, suite: suite)] == 5)
      #expect(calls.count == 1)
    }
  }

  @Test("An issue handler may write the suite whose transaction found the problem")
  func transaction() throws {
    let suites = Log<any Defaults.Suite>()
    let issues = Log<Defaults.Issue>()
    let onIssue: @Sendable (Defaults.Issue) -> Void = { issue in
      issues.append(issue)
      suites.all.first?.set(true, forKey: "told")
    }
    let suite = Defaults.MemorySuite(["x": "no number"], onIssue: onIssue)
    suites.append(suite)
    let key = Defaults.Key("x", default: 0, suite: suite)
    try Defaults.update(key) { $0 += 1 }
    #expect(suite.entries == ["x": 1, "told": true])
    suite.set("text", forKey: "x")
    try suite.transaction { outer in
      #expect(outer[key] == 0)
      let other = Defaults.MemorySuite()
      try other.transaction { inner in
        inner[Defaults.Key("y", default: 0, suite: other)] = outer[key]
      }
      #expect(issues.count == 1)
    }
    #expect(issues.count == 2)
  }

  @Test("A write of an issue handler is neither silent nor of the origin of the call that failed")
  func contextOfCall() {
    let suites = Log<any Defaults.Suite>()
    let suite = Defaults.MemorySuite(
      ["a": "no number", "b": "no number"],
      onIssue: { issue in suites.all.first?.set(true, forKey: "told \(issue.key ?? "")") })
    suites.append(suite)
    let seen = Log<[String?]>()
    let observation = suite.observe(nil) { seen.append($0.names.sorted() + [$0.origin]) }
    let (a, b) = (
      Defaults.Key("a", default: 0, suite: suite), Defaults.Key("b", default: 0, suite: suite)
    )
    Defaults.withoutPropagation { #expect(Defaults[a] == 0) }
    Defaults.withOrigin("sync") { #expect(Defaults[b] == 0) }
    #expect(seen.all == [["told a", nil], ["told b", nil]])
    observation.invalidate()
  }
}
