import Foundation
import TestSupport
import Testing

@testable import Defaults

@Suite("Quarantine of damaged files", .prompt)
struct FileQuarantineTests {
  let folder: TemporaryFolder
  /// 2026-01-31 23:59:59 UTC.
  let now = Date(timeIntervalSince1970: 1_769_903_999)

  init() throws { folder = try TemporaryFolder() }

  private func setAside(_ name: String) throws -> String? {
    let file = try StoredFile(path: folder[name])
    return try file.setAside(try #require(try file.read()), now: now)
  }

  @Test("A quarantined file gets a second name with the time and keeps its place, content and mode")
  func linked() throws {
    try folder.write("damaged", to: "file", mode: 0o640)
    #expect(try setAside("file") == folder["file.corrupt-20260131T235959Z"])
    #expect(try folder.names() == ["file", "file.corrupt-20260131T235959Z"])
    #expect(try folder.text(of: "file.corrupt-20260131T235959Z") == "damaged")
    #expect(try folder.mode(of: "file.corrupt-20260131T235959Z") == 0o640)
  }

  @Test("The time of a quarantine is the current time unless a test sets one")
  func time() throws {
    try folder.write("damaged", to: "file")
    let file = try StoredFile(path: folder["file"])
    let content = try #require(try file.read())
    let aside = try #require(try file.setAside(content))
    #expect(try folder.names().map { folder[$0] } == [file.path, aside])
    let pattern = try Regex(#"/file\.corrupt-2\d{7}T\d{6}Z$"#)
    #expect(aside.contains(pattern))
  }

  @Test("Several files quarantined in one second are all kept")
  func numbered() throws {
    for (text, suffix) in [("a", ""), ("b", "-2"), ("c", "-3")] {
      try folder.write(text, to: "new")
      #expect(rename(folder["new"], folder["file"]) == 0)
      let name = "file.corrupt-20260131T235959Z" + suffix
      #expect(try setAside("file") == folder[name])
      #expect(try folder.text(of: name) == text)
    }
    #expect(try folder.names().count == 4)
  }

  @Test("A name that another process takes at the same time isn't reused")
  func takenName() throws {
    let disk = FaultyFileSystem()
    let taken = folder["file.corrupt-20260131T235959Z"]
    disk.fail(with: .EEXIST) { $0.operation == .addName && $0.path == taken }
    try folder.write("damaged", to: "file")
    let file = try StoredFile(path: folder["file"], on: disk)
    #expect(try file.setAside(try #require(try file.read()), now: now) == taken + "-2")
  }

  @Test("A dangling link with the quarantine's name is neither followed nor replaced")
  func danglingLink() throws {
    try folder.link("file.corrupt-20260131T235959Z", to: "elsewhere")
    try folder.write("damaged", to: "file")
    #expect(try setAside("file") == folder["file.corrupt-20260131T235959Z-2"])
    #expect(try folder.type(of: "file.corrupt-20260131T235959Z") == .typeSymbolicLink)
  }

  @Test("A quarantine through a link keeps the link and adds the second name next to the file")
  func symbolicLink() throws {
    try folder.makeFolder("real")
    try folder.write("damaged", to: "real/file")
    try folder.link("link", to: "real/file")
    #expect(try setAside("link") == folder["real/file.corrupt-20260131T235959Z"])
    #expect(try folder.type(of: "link") == .typeSymbolicLink)
    #expect(try folder.names(in: "real") == ["file", "file.corrupt-20260131T235959Z"])
  }

  @Test("If a link took the file's place, the link stays and its destination is quarantined")
  func laterLink() throws {
    let file = try StoredFile(path: folder["file"])
    try folder.makeFolder("real")
    try folder.write("damaged", to: "real/file")
    try folder.link("file", to: "real/file")
    let content = try #require(try file.read())
    #expect(try file.setAside(content)?.hasPrefix(folder["real/file.corrupt-"]) == true)
    #expect(try folder.type(of: "file") == .typeSymbolicLink)
  }

  @Test(
    "A file that was replaced or changed after it was read isn't quarantined",
    arguments: ["replaced", "written", "gone"])
  func otherVersion(change: String) throws {
    try folder.write("damaged", to: "file")
    let file = try StoredFile(path: folder["file"])
    let content = try #require(try file.read())
    switch change {
    case "replaced": try file.replace(with: Data("healthy".utf8))
    case "written":
      let handle = try FileHandle(forWritingTo: folder.url("file"))
      try handle.write(contentsOf: Data("healthy".utf8))
      try handle.close()
      // The same inode and size; the clock of the file system may not have moved yet.
      let date = Date(timeIntervalSince1970: 1_000_000)
      try FileManager.default.setAttributes(
        [.modificationDate: date], ofItemAtPath: folder["file"])
    default: try FileManager.default.removeItem(atPath: folder["file"])
    }
    #expect(try file.setAside(content) == nil)
    #expect(try folder.names() == (change == "gone" ? [] : ["file"]))
    if change != "gone" { #expect(try folder.text(of: "file") == "healthy") }
  }

  @Test(
    "A long file name is shortened to append the time of its quarantine", arguments: ["n", "é"])
  func longName(character: String) throws {
    let name = String(repeating: character, count: 254 / character.utf8.count)
    try folder.write("damaged", to: name)
    let aside = try #require(try setAside(name))
    #expect(try Set(folder.names().map { folder[$0] }) == [folder[name], aside])
    #expect(aside.hasSuffix("20260131T235959Z"))
    #expect(aside.hasPrefix(folder[String(name.prefix(100))]))
  }

  @Test("In a read-only folder, a damaged file stays and the quarantine throws")
  func readOnlyFolder() async throws {
    try folder.makeFolder("fixed")
    try folder.write("damaged", to: "fixed/file")
    #expect(chmod(folder["fixed"], 0o500) == 0)
    await #expect(processExitsWith: .success) { [path = folder.path as String] in
      becomeOrdinaryUser(owning: path)
      let file = try StoredFile(path: path + "/fixed/file")
      let content = try #require(try file.read())
      let error = try #require(throws: Defaults.SuiteError.self) { try file.setAside(content) }
      #expect(error.code == .unwritable)
      #expect(error.path == path + "/fixed/file")
      #expect(error.reason.contains("quarantined: Permission denied"))
    }
    #expect(try folder.names(in: "fixed") == ["file"])
  }

  @Test("The five quarantined files with the latest time, then the highest number, are kept")
  func capacity() throws {
    let old = ["20250101T000000Z", "20260131T235959Z", "20260131T235959Z-2"]
    for time in old { try folder.write(time, to: "file.corrupt-\(time)") }
    for number in 3...11 {
      try folder.write("\(number)", to: "new")
      #expect(rename(folder["new"], folder["file"]) == 0)
      #expect(try setAside("file") == folder["file.corrupt-20260131T235959Z-\(number)"])
    }
    #expect(
      try folder.names().sorted { $0.count < $1.count }
        == ["file"] + [7, 8, 9, 10, 11].map { "file.corrupt-20260131T235959Z-\($0)" })
  }

  @Test("Files with a name that isn't ASCII get increasing numbers when quarantined in one second")
  func accentedName() throws {
    for number in 1...8 {
      try folder.write("\(number)", to: "new")
      #expect(rename(folder["new"], folder["é"]) == 0)
      let name = "é.corrupt-20260131T235959Z" + (number == 1 ? "" : "-\(number)")
      #expect(try setAside("é") == folder[name])
    }
    #expect(
      try folder.names().sorted()
        == ["é"] + [4, 5, 6, 7, 8].map { "é.corrupt-20260131T235959Z-\($0)" })
  }

  @Test(
    "A file that was just quarantined is kept although five others have later names",
    arguments: [false, true])
  func clockSetBack(asCopy: Bool) throws {
    let later = (1...5).map { "file.corrupt-2099010\($0)T000000Z" }
    for name in later { try folder.write(name, to: name) }
    var kept: [String] = []
    for number in 1...7 {
      try folder.write("\(number)", to: "new")
      #expect(rename(folder["new"], folder["file"]) == 0)
      let file = try StoredFile(path: folder["file"])
      let content = try #require(try file.read())
      let time = now.addingTimeInterval(Double(number) - 4)
      let aside = try #require(try file.setAside(content, now: time, asCopy: asCopy))
      #expect(try String(contentsOfFile: aside, encoding: .utf8) == "\(number)")
      kept.append(aside)
      let expected = (later.map { folder[$0] } + kept).suffix(5)
      #expect(try folder.names().dropFirst().map { folder[$0] } == expected.sorted())
    }
  }

  @Test("Files quarantined while the clock was at 1970 are removed first once the clock is right")
  func clockSetForward() throws {
    let old = ["20260101T000000Z", "20260101T000000Z-2", "20260102T000000Z", "20260103T000000Z"]
    for time in old { try folder.write(time, to: "file.corrupt-\(time)") }
    let times = [Date(timeIntervalSince1970: 0), Date(timeIntervalSince1970: 1), now]
    for (number, time) in times.enumerated() {
      try folder.write("\(number)", to: "new")
      #expect(rename(folder["new"], folder["file"]) == 0)
      let file = try StoredFile(path: folder["file"])
      let content = try #require(try file.read())
      let aside = try #require(try file.setAside(content, now: time))
      #expect(try String(contentsOfFile: aside, encoding: .utf8) == "\(number)")
    }
    #expect(
      try folder.names().dropFirst().map { $0.dropFirst("file.corrupt-".count) } == [
        "19700101T000001Z", "20260101T000000Z-2", "20260102T000000Z", "20260103T000000Z",
        "20260131T235959Z",
      ])
  }

  @Test("A file that another process quarantines at the same time is kept")
  func otherProcess() throws {
    for day in 1...5 { try folder.write("old", to: "file.corrupt-2026010\(day)T000000Z") }
    try folder.write("damaged", to: "file")
    let disk = FaultyFileSystem()
    let names = ["file.corrupt-20200101T000000Z", "file.corrupt-20260131T235959Z-9"]
    disk.delay { [folder] call in
      guard call.operation == .addName else { return }
      for name in names { try? folder.write("other", to: name) }
      // The other process also removes an old file.
      unlink(folder["file.corrupt-20260101T000000Z"])
    }
    let file = try StoredFile(path: folder["file"], on: disk)
    let content = try #require(try file.read())
    let aside = try #require(try file.setAside(content, now: now))
    #expect(try String(contentsOfFile: aside, encoding: .utf8) == "damaged")
    #expect(try names.map(folder.text) == ["other", "other"])
  }

  @Test("Other files with names like those of quarantined files are kept and not counted")
  func planted() throws {
    try folder.write("mine", to: "file.corrupt-notes")
    try folder.write("mine", to: "file.corrupt-20260131T235959Z.txt")
    for number in ["9223372036854775807", "1000000"] {
      try folder.write("mine", to: "file.corrupt-20260131T235959Z-\(number)")
    }
    try folder.write("damaged", to: "file")
    // A link to the file itself would lead to the next file, and the damaged one would be lost.
    try folder.link("file.corrupt-20200101T000000Z", to: "file")
    let newer = (1...7).map { "file.corrupt-2999010\($0)T000000Z" }
    for name in newer { try folder.link(name, to: "file.corrupt-notes") }
    let names = try folder.names()
    #expect(try setAside("file") == folder["file.corrupt-20260131T235959Z"])
    #expect(try Set(folder.names()) == Set(names + ["file.corrupt-20260131T235959Z"]))
    #expect(try folder.type(of: "file.corrupt-20260131T235959Z") == .typeRegular)
    #expect(try folder.text(of: "file.corrupt-notes") == "mine")
  }

  @Test("A file that is quarantined already keeps its name")
  func twice() throws {
    try folder.write("damaged", to: "file")
    let first = try setAside("file")
    #expect(try setAside("file") == first)
    #expect(try folder.names().count == 2)
  }

  @Test("A quarantined copy is a separate file")
  func copy() throws {
    try folder.write("damaged", to: "file", mode: 0o640)
    let content = try #require(try StoredFile(path: folder["file"]).read())
    let aside = try StoredFile(path: folder["file"]).setAside(
      content, now: now, asCopy: true)
    try folder.write("other", to: "file")
    #expect(aside == folder["file.corrupt-20260131T235959Z"])
    #expect(try folder.text(of: "file.corrupt-20260131T235959Z") == "damaged")
  }

  @Test("A quarantined copy is synced before it gets its name")
  func durableCopy() throws {
    try folder.write("damaged", to: "file")
    let disk = FaultyFileSystem()
    let content = try #require(try StoredFile(path: folder["file"]).read())
    let synced = Log<String>()
    disk.delay { call in
      guard call.operation == .synchronize else { return }
      synced.append((try? String(contentsOfFile: call.path, encoding: .utf8)) ?? call.path)
    }
    _ = try StoredFile(path: folder["file"], on: disk).setAside(
      content, now: now, asCopy: true)
    // Then the folder is synced.
    #expect(synced.all == ["damaged", folder.path])
  }

  @Test("If a quarantined copy can't be written, an error is thrown, and no partial file remains")
  func failedCopy() throws {
    try folder.write("damaged", to: "file")
    let disk = FaultyFileSystem()
    let content = try #require(try StoredFile(path: folder["file"]).read())
    disk.fail(with: .ENOSPC) { $0.operation == .write }
    let error = #expect(throws: Defaults.SuiteError.self) {
      try StoredFile(path: folder["file"], on: disk).setAside(
        content, now: now, asCopy: true)
    }
    #expect(error?.code == .unwritable)
    #expect(try folder.names() == ["file"])
  }
}
