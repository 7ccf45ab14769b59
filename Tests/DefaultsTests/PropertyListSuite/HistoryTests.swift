import DefaultsHistory
import DefaultsTesting
import Foundation
import TestSupport
import Testing

@testable import Defaults

@Suite("The history of a suite", .prompt, .timeLimit(.aHang))
struct HistoryTests {
  private static let volume = Defaults.Key("volume", default: 5, .renamed(from: "loudness"))
  private static let token = Defaults.Key<String?>("token", .secret)

  private let settings: SettingsFolder

  init() throws { settings = try SettingsFolder() }

  private var program: String { FileLocation.identifier }

  private func size() throws -> Int { try settings.endOfRecords() }

  private func journal() throws -> Data {
    try Data(contentsOf: settings.folder.url(SettingsFolder.journal))
  }

  @Test("The history has each change with its time, program, origin, old and new entry")
  func changes() throws {
    let process = try settings.open()
    let start = Date.now
    process.set(1, "a")
    try Defaults.withOrigin("sync") {
      try process.suite.transaction { draft in
        try draft.setEntry(2, named: "a")
        try draft.setEntry("x", named: "b")
      }
    }
    process.set(2, "a")
    process.suite.removeEntry(named: "b")
    let history = try process.suite.history()
    let time = start.addingTimeInterval(-1)...Date.now.addingTimeInterval(1)
    #expect(history.map(\.name).prefix(1) == ["a"] && history.map(\.name).suffix(1) == ["b"])
    #expect(history.map(\.origin) == [nil, "sync", "sync", nil])
    #expect(history.allSatisfy { $0.program == program && !$0.isSecret })
    #expect(history[1].date == history[2].date && history[0].date < history[1].date)
    #expect(history.allSatisfy { time.contains($0.date) })
    #expect(history[0].old == nil && history[0].new == 1)
    #expect(history[3].old == "x" && history[3].new == nil)
  }

  @Test(
    "The history has changes by other processes, and edits of the file, which have no program")
  func otherProcesses() throws {
    let process = try settings.open()
    process.set(1, "a")
    try process.flush(.snapshot)
    try settings.run { $0.set(2, "a") }
    try settings.edit(["a": 3])
    try process.flush(.snapshot)
    let history = try process.suite.history()
    #expect(history.map(\.new) == [1, 2, 3])
    #expect(history.map(\.program) == [program, program, nil])
  }

  @Test("The history of a key has the values, also under previous names, or the decoding errors")
  func typed() throws {
    let process = try settings.open()
    let suite = process.suite
    process.set(3, "loudness")
    suite[Self.volume] = 7
    process.set("loud", "volume")
    suite.reset(Self.volume)
    let history = try suite.history(of: Self.volume)
    #expect(history.filter { $0.change.name == "volume" }.map(\.newValue) == [7, 5, 5])
    #expect(history.filter { $0.change.name == "volume" }.map(\.oldValue) == [5, 7, 5])
    #expect(history.first?.oldValue == 5 && history.first?.newValue == 3)
    #expect(
      history.filter { $0.change.name == "volume" }.map { $0.error?.code }
        == [nil, .undecodable, .undecodable])
  }

  @Test("The history of a required key never has a later value or a secret in place of no entry")
  func required() throws {
    let process = try settings.open()
    let suite = process.suite
    // Keys remember only the value in their own suite.
    let port = Defaults.Key<Int>.required("port", suite: suite)
    let token = Defaults.Key<String>.required("required.token", suite: suite, .secret)
    for (number, text) in [(80, "hunter1"), (443, "hunter2")] {
      try suite.set(number, for: port)
      try suite.set(text, for: token)
    }
    for hasRead in [false, true] {
      if hasRead {
        #expect(suite[port] == 443 && suite[token] == "hunter2")
      }
      let history = try suite.history(of: port)
      #expect(history.map(\.oldValue) == [80, 80] && history.map(\.newValue) == [80, 443])
      #expect(history.allSatisfy { $0.error == nil })
      #expect(try suite.history(of: token).isEmpty)
      #expect(try suite.history().filter { $0.name == token.name }.count == 2)
    }
  }

  @Test("A rewrite of the journal keeps the latest changes with their programs and origins")
  func rewrite() throws {
    let process = try settings.open()
    process.set(0, "a")
    let bytes = try journal()
    for value in 0..<2_000 {
      Defaults.withOrigin("\(value)") { process.set(.integer(Int64(value)), "b") }
    }
    try process.flush(.snapshot)
    #expect(try journal().prefix(20) != bytes.prefix(20))
    let history = try settings.open().suite.history()
    let (count, programs) = (history.count, Set(history.map(\.program)))
    #expect(count > 500 && count <= 1_000 && programs == [program])
    #expect(history.allSatisfy { $0.origin.map { .integer(Int64($0) ?? -1) } == $0.new })
    #expect(history.last?.new == 1_999 && history == history.sorted { $0.date < $1.date })
  }

  @Test("Using a known secret in another suite again adds no record for the history")
  func knownSecret() throws {
    let process = try settings.open()
    let suite = process.suite
    // A key of another suite, which tells each suite that it is used in that its name is secret.
    let token = Defaults.Key<String?>("token", suite: Defaults.MemorySuite(), .secret)
    var sizes: [Int] = []
    suite.set(0, forKey: "other")
    for index in 0..<20 {
      let start = try size()
      suite[token] = "\(index % 2)"
      sizes.append(try size() - start)
    }
    // The first record follows a signature with the new secret. Other tests add secrets at the same
    // time, after which the next record follows a signature, too.
    let (first, least) = try (#require(sizes.first), #require(sizes.min()))
    #expect(least < first)
  }

  @Test("The history of a secret has no values, and rewriting the journal removes older values")
  func secret() throws {
    let process = try settings.open()
    process.suite[Self.token] = "hunter2-old"
    process.suite[Self.token] = "hunter2-new"
    let journalBefore = try journal()
    #expect(journalBefore.contains("hunter2-old"))
    // Another program, which doesn't know the key.
    let other = try settings.open()
    let history = try other.suite.history()
    #expect(history.map(\.name) == ["token", "token"])
    #expect(history.allSatisfy { $0.isSecret && $0.old == nil && $0.new == nil })
    #expect(try process.suite.history(of: Self.token).map(\.newValue) == [nil, nil])
    try other.flush(.snapshot)
    for value in 0..<3_000 { other.set(.integer(Int64(value % 7)), "filler") }
    try other.flush(.snapshot)
    #expect(try journal().prefix(20) != journalBefore.prefix(20))
    let rewritten = try journal()
    #expect(!rewritten.contains("hunter2-old") && rewritten.contains("hunter2-new"))
    let third = try settings.open()
    third.set("hunter2-third", "token")
    #expect(try third.suite.history().filter { $0.name == "token" }.allSatisfy(\.isSecret))
  }

  @Test("A program that only reads a secret removes its older values when it rewrites the journal")
  func rewriteByReader() throws {
    let other = try settings.open()
    for value in 0..<3_000 { other.set(.integer(Int64(value % 7)), "filler") }
    for value in ["hunter2-old", "hunter2-new"] { other.set(.string(value), "token") }
    let process = try settings.open()
    #expect(process.suite[Self.token] == "hunter2-new")
    #expect(try journal().contains("hunter2-old"))
    try process.flush(.snapshot)
    let rewritten = try journal()
    #expect(!rewritten.contains("hunter2-old") && rewritten.contains("hunter2-new"))
  }

  @Test("A setting that becomes secret is also redacted in its earlier changes")
  func laterSecret() throws {
    let process = try settings.open()
    process.set("hunter2", "token")
    #expect(try process.suite.history().map(\.isSecret) == [false])
    process.suite[Self.token] = "hunter3"
    #expect(try process.suite.history().map(\.isSecret) == [true, true])
    #expect(try settings.open().suite.history().map(\.isSecret) == [true, true])
  }

  @Test("Suites without a journal have no history")
  func others() throws {
    let memory = Defaults.MemorySuite()
    memory[Self.volume] = 7
    #expect(try memory.history().isEmpty && memory.history(of: Self.volume).isEmpty)
    #expect(try settings.open().suite.history().isEmpty)
  }

  @Test("The history of a damaged journal has the readable changes")
  func damage() throws {
    let process = try settings.open()
    process.set(1, "a")
    let end = try size()
    process.set(2, "a")
    try settings.flip(byte: end + 20, of: SettingsFolder.journal)
    #expect(try process.suite.history().map(\.new) == [1])
    process.kill()
  }

  @Test("Without keepsHistory, a process adds nothing to the journal and has no history")
  func off() async throws {
    let usual = try settings.open()
    Defaults.withOrigin("sync") { usual.set(1, "a") }
    let path = settings.folder["off.plist"]
    await #expect(processExitsWith: .success) { [path = path as String] in
      Defaults.PropertyListSuite.keepsHistory = false
      let suite = try Defaults.PropertyListSuite(url: URL(filePath: path))
      Defaults.withOrigin("sync") { suite.write(.set(1), named: "a") }
      #expect(try suite.history().isEmpty)
    }
    let off = try Defaults.PropertyListSuite(url: settings.folder.url("off.plist"))
    #expect(off.entries == ["a": 1])
    let history = try off.history()
    #expect(history.map(\.program) == [nil] && history.map(\.origin) == [nil])
  }

  @Test("A process without keepsHistory discards the earlier changes when it rewrites the journal")
  func rewriteWithoutHistory() async throws {
    try settings.run { process in
      for number in 0..<2_000 { process.set(.integer(Int64(number)), "n") }
    }
    await #expect(processExitsWith: .success) { [path = settings.path as String] in
      Defaults.PropertyListSuite.keepsHistory = false
      let suite = try Defaults.PropertyListSuite(url: URL(filePath: path))
      suite.write(.set(1), named: "n")
      try await suite.flush(.snapshot)
    }
    let process = try settings.open()
    #expect(process.entries == ["n": 1])
    #expect(try process.suite.history().isEmpty)
  }

  @Test("The history keeps the first 100 characters of an origin")
  func longOrigin() throws {
    let process = try settings.open()
    let origin = String(repeating: "ü", count: 100)
    Defaults.withOrigin(origin + "x") { process.set(1, "a") }
    Defaults.withOrigin(origin) { process.set(2, "a") }
    #expect(try process.suite.history().map(\.origin) == [origin, origin])
  }

  @Test("After a change that couldn't be appended, later changes have their program")
  func failedAppend() throws {
    // Another process has created the journal.
    try settings.run { $0.set(1, "a") }
    let process = try settings.open()
    process.disk.fail(with: .ENOSPC) { $0.operation == .write }
    process.set(2, "a")
    process.disk.heal()
    process.set(3, "a")
    process.set(4, "a")
    let history = try process.suite.history()
    #expect(history.last?.new == 4)
    #expect(history.last?.program == program)
  }
}

extension Data {
  fileprivate func contains(_ text: String) -> Bool { range(of: Data(text.utf8)) != nil }
}
