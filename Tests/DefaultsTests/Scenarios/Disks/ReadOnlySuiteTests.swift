import Foundation
import TestSupport
import Testing

@testable import Defaults

@Suite("Read-only suites", .prompt)
struct ReadOnlySuiteTests {
  let folder: TemporaryFolder
  let issues = IssueLog()

  init() throws { folder = try TemporaryFolder() }

  private func open() throws -> Defaults.PropertyListSuite {
    try Defaults.PropertyListSuite(
      url: folder.url("a.plist"), readOnly: true, onIssue: { [issues] in issues.append($0) })
  }

  /// A suite that writes the file only on request.
  private func openWriter() throws -> Defaults.StoredSuite {
    let (suite, start) = try FileStore.open(
      StoredFile(path: folder["a.plist"]), isAutomatic: false)
    start()
    return suite
  }

  @Test("Resetting a key of a read-only suite reports why nothing is removed")
  func reset() throws {
    let suite = try open()
    Defaults.Key("volume", default: 1, suite: suite).reset()
    #expect(issues.codes == [.unwritable])
  }

  @Test("A read-only suite writes nothing, and each writing call throws")
  func nothingIsWritten() async throws {
    let writer = try openWriter()
    writer.set(5, forKey: "volume")
    try await writer.flush(.snapshot)
    writer.set(6, forKey: "volume")  // in the journal
    try await writer.flush()
    let before = try folder.contents()
    do {
      let suite = try open()
      #expect(issues.codes == [])
      #expect(suite.health == .readOnly)
      let volume = Defaults.Key("volume", default: 1, suite: suite)
      #expect(suite[volume] == 6)
      #expect(throws: Defaults.SuiteError.self) { try suite.set(7, for: volume) }
      #expect(throws: Defaults.SuiteError.self) { try suite.update(volume) { $0 += 1 } }
      suite[volume] = 8
      suite.reset(volume)
      suite.removeAll()
      #expect(suite[volume] == 6)
      #expect(issues.codes.allSatisfy { $0 == .unwritable } && issues.count > 0)
      try await suite.flush()
      try await suite.flush(.snapshot)
    }
    #expect(try folder.contents() == before)
    withExtendedLifetime(writer) {}
  }

  @Test("A read-only suite sees and observes changes of other processes")
  func otherWriters() async throws {
    let writer = try Defaults.PropertyListSuite(url: folder.url("a.plist"))
    writer.set(5, forKey: "volume")
    try await writer.flush(.snapshot)
    let suite = try open()
    let volume = Defaults.Key("volume", default: 1, suite: suite)
    let values = Defaults.updates(volume)
    writer.set(6, forKey: "volume")
    for await value in values where value == 6 { break }
    #expect(suite[volume] == 6)
    #expect(issues.codes == [])
  }

  @Test(
    "A read-only suite reads an administrator's file whose journal it can't read",
    .needsRoot, .tags(.root))
  func foreignJournal() async throws {
    let writer = try openWriter()
    writer.set(5, forKey: "volume")
    try await writer.flush(.snapshot)
    writer.set(6, forKey: "volume")
    try await writer.flush()
    #expect(try folder.mode(of: "a.plist.journal") == 0o600)
    #expect(chmod(folder["a.plist"], 0o644) == 0 && chmod(folder.path, 0o755) == 0)
    await #expect(processExitsWith: .success) { [path = folder["a.plist"] as String] in
      precondition(setgroups(0, nil) == 0 && setgid(65_534) == 0 && setuid(65_534) == 0)
      let issues = Log<String>()
      let suite = try Defaults.PropertyListSuite(
        url: URL(filePath: path), readOnly: true, onIssue: { issues.append($0.description) })
      #expect(suite.integer(forKey: "volume") == 5)
      #expect(issues.all == [])
    }
    withExtendedLifetime(writer) {}
  }

  @Test("If a file is damaged while a read-only suite is open, an issue reports it; entries stay")
  func laterDamage() async throws {
    let content = "<key>volume</key><integer>5</integer>"
    try folder.write("<plist version=\"1.0\"><dict>\(content)</dict></plist>", to: "a.plist")
    let (issues, report) = AsyncStream.makeStream(of: Defaults.Issue.self)
    let suite = try Defaults.PropertyListSuite(
      url: folder.url("a.plist"), readOnly: true, onIssue: { report.yield($0) })
    try folder.write("bplist00 and nonsense", to: "a.plist")
    for await issue in issues {
      #expect(issue.code == .quarantined)
      break
    }
    #expect(try folder.text(of: "a.plist") == "bplist00 and nonsense")
    #expect(suite.integer(forKey: "volume") == 5)
  }

  @Test("A read-only suite without a journal keeps its entries when its file was just moved away")
  func movedAway() throws {
    try folder.write(
      "<plist version=\"1.0\"><dict><key>volume</key><integer>5</integer></dict></plist>",
      to: "a.plist")
    // Not started, so that no watcher looks at the file before the test.
    let (suite, _) = try FileStore.open(StoredFile(url: folder.url("a.plist"), readOnly: true))
    try FileManager.default.moveItem(atPath: folder["a.plist"], toPath: folder["a.plist~"])
    try suite.refresh()
    #expect(suite.integer(forKey: "volume") == 5)
  }

  @Test("A read-only suite reports a damaged file and leaves the file unchanged")
  func damagedFile() throws {
    try folder.write("bplist00 and nonsense", to: "a.plist")
    do {
      let suite = try open()
      #expect(suite.entries == [:])
      #expect(issues.codes == [.quarantined])
    }
    #expect(try folder.names() == ["a.plist"])
    #expect(try folder.text(of: "a.plist") == "bplist00 and nonsense")
  }

  @Test(
    "A suite on another user's read-only file reports one issue with advice",
    .needsRoot, .tags(.root))
  func foreignFile() async throws {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) {
      let folder = try TemporaryFolder()
      try folder.write("<plist><dict/></plist>", to: "a.plist", mode: 0o644)
      precondition(chmod(folder.path, 0o755) == 0)
      precondition(setgroups(0, nil) == 0 && setgid(65_534) == 0 && setuid(65_534) == 0)
      let suite = try Defaults.PropertyListSuite(url: folder.url("a.plist"))
      #expect(suite.health == .readOnly)
      let reader = try Defaults.PropertyListSuite(url: folder.url("a.plist"), readOnly: true)
      #expect(reader.health == .readOnly && reader.storage !== suite.storage)
    }
    let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    let lines = text.split(separator: "\n").filter { $0.hasPrefix("Defaults: ") }
    #expect(lines.count == 1)
    #expect(lines.first?.contains("belongs to another user and can't be written") == true)
    #expect(lines.first?.contains("`readOnly: true`") == true)
  }

  @Test("A file that is still empty while it is created isn't reported as damaged")
  func emptyAtFirst() throws {
    let disk = FaultyFileSystem()
    let folder = folder
    try folder.write("", to: "a.plist")
    let openings = Log<Void>()
    disk.delay { call in
      guard call.operation == .open, call.path.hasSuffix("a.plist") else { return }
      openings.append(())
      // The file was empty and is read again.
      guard openings.count == 2 else { return }
      try? folder.write(
        "<plist version=\"1.0\"><dict><key>a</key><integer>1</integer></dict></plist>",
        to: "a.plist")
    }
    let (suite, start) = try FileStore.open(
      StoredFile(path: folder["a.plist"], on: disk), isAutomatic: false,
      onIssue: { [issues] in issues.append($0) })
    start()
    #expect(suite.entries == ["a": 1])
    #expect(issues.codes == [])
  }
}

extension TemporaryFolder {
  /// The files of the folder, by name.
  fileprivate func contents() throws -> [String: Data] {
    var contents: [String: Data] = [:]
    for name in try names() { contents[name] = try Data(contentsOf: url(name)) }
    return contents
  }
}
