import Foundation
import Testing

@testable import Defaults

@Suite("People who save the file in the middle of what programs do")
struct EditorRaceTests {
  let settings: SettingsFolder
  let twins: TwinSuites

  init() throws {
    settings = try SettingsFolder()
    twins = try TwinSuites()
  }

  @Test(
    "A file that is saved while a snapshot is prepared is taken in, at whatever call of it that is")
  func anyCall() throws {
    for number in 1...200 where try !isDone(savingAt: number) { return }
    Issue.record("a snapshot takes more than 200 calls")
  }

  /// Saves a file at a call of a snapshot; returns false if there was no such call.
  private func isDone(savingAt number: Int) throws -> Bool {
    let settings = try SettingsFolder()
    let process = try settings.open()
    process.set("light", "theme")
    process.set(5, "volume")
    try process.flush(.snapshot)
    process.set(6, "volume")
    let start = process.disk.count
    let hasSaved = Lock(false)
    process.disk.delay { call in
      guard call.number == start + number else { return }
      hasSaved.withLock { $0 = true }
      #expect(throws: Never.self) { try settings.edit(["theme": "dark", "volume": 5]) }
    }
    try process.flush(.snapshot)
    guard hasSaved.withLock({ $0 }) else { return false }
    try process.suite.transaction { _ in }
    try process.flush(.snapshot)
    #expect(process.entries == ["theme": "dark", "volume": 6], "call \(number)")
    #expect(try settings.entries() == ["theme": "dark", "volume": 6], "call \(number)")
    return true
  }

  @Test("A file that comes between isn't kept as the previous generation")
  func backup() throws {
    let folder = settings.folder
    try folder.write("old", to: "file")
    let file = try StoredFile(path: folder["file"])
    let version = try #require(try file.status()?.version)
    let old = FileReplacement.Old(
      file: file, content: Data("old".utf8), backup: try file.sibling(".backup"))
    let replacement = try FileReplacement(of: file, with: Data("ours".utf8))
    try Data("theirs".utf8).write(to: folder.url("file"), options: .atomic)
    #expect(try !replacement.commit(replacing: version, keeping: old))
    #expect(try folder.text(of: "file") == "theirs")
    let now = try file.status()?.version
    #expect(try replacement.commit(replacing: now, keeping: old))
    #expect(try folder.text(of: "file.backup") == "theirs")
    #expect(try folder.text(of: "file") == "ours")
  }

  @Test(
    "A program that begins later knows what the last few files had, whoever wrote them",
    arguments: 1...4)
  func laterProgram(snapshots: Int) throws {
    try settings.run { process in
      for (name, value) in ["theme": "light", "volume": 5] as [String: Defaults.PropertyListValue] {
        process.set(value, name)
      }
      try process.flush(.snapshot)
    }
    for number in 1...snapshots {
      try settings.run { process in
        process.set(.integer(Int64(5 + number)), "volume")
        try process.flush(.snapshot)
      }
    }
    let process = try settings.open()
    try settings.edit(["theme": "dark", "volume": 5])
    try process.flush(.snapshot)
    #expect(process.entries == ["theme": "dark", "volume": .integer(Int64(5 + snapshots))])
  }

  @Test("Who skipped a journal learns from a foreign file what that had, and tells others of it")
  func skippedJournal() throws {
    let (one, two) = (try twins.open(isAutomatic: false), try twins.open(isAutomatic: false))
    for name in ["a", "b", "theme"] { one.set(1, forKey: name) }
    try one.flush(.snapshot)
    try two.refresh()
    // The change of `a` is in a journal that the other one never sees, and in no later one.
    one.set(2, forKey: "a")
    try one.flush(.snapshot)
    one.set(2, forKey: "b")
    try one.flush(.snapshot)
    try twins.replaceFile(with: ["a": 2, "b": 2, "theme": 7])
    let a = Defaults.Key("a", default: 0, suite: two)
    try two.update(a) { $0 += 1 }
    try one.transaction { _ in }
    for suite in [one, two] { #expect(suite.entries == ["a": 3, "b": 2, "theme": 7]) }
    #expect(try twins.stored() == ["a": 3, "b": 2, "theme": 7])
  }

  @Test("What an earlier file had is told by its record, where the journal says something else")
  func earlierFile() {
    func file(_ number: UInt64) -> FileBase {
      FileBase(
        version: FileVersion(
          device: 1, inode: number, size: 1, modified: .init(seconds: 1, nanoseconds: 1)),
        changed: nil)
    }
    var history = JournalHistory(base: file(1))
    history.apply(
      .init(
        writer: 1, durable: 0,
        changes: [.init(name: "n", edit: .set(2), previous: .set(1), mark: 1)]))
    // Our file 2 has 2; then comes a file 3 whose writer started from file 1.
    history.apply(.init(kind: .snapshot(file(2)), writer: 1, durable: 0, changes: []))
    history.apply(
      .init(
        kind: .edited(file(3)), writer: 1, durable: 0,
        changes: [
          .init(name: "n", edit: .set(2), previous: .set(1), mark: 1),
          .init(name: "theme", edit: .set(9), previous: .set(9), mark: 1),
        ]), before: ["theme": .set(8)])
    #expect(history.filed("n") == .set(1))
    let newest: [String: Defaults.Edit] = ["n": .set(1), "theme": .set(9)]
    func origin(_ entries: [String: Defaults.Edit]) -> [String: Defaults.Edit] {
      history.generations.origin(of: { entries[$0] ?? .remove }) { newest[$0] ?? .remove }
    }
    #expect(origin(["n": .set(1), "theme": .set(9)]) == [:])
    #expect(origin(["n": .set(2), "theme": .set(8)]) == ["n": .set(2), "theme": .set(8)])
    #expect(origin(["n": .set(1), "theme": .set(8)])["n"] == .set(1))
  }
}
