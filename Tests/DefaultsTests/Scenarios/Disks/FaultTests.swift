import Foundation
import TestSupport
import Testing

@testable import Defaults

@Suite("Disks with faults", .prompt)
struct FaultTests {
  let settings: SettingsFolder

  init() throws { settings = try SettingsFolder() }

  @Test(
    "If the system writes only a part of the bytes, the suite writes the rest",
    arguments: [1, 2, 7, 100])
  func shortWrites(longest: Int) throws {
    let process = try settings.open()
    process.disk.limitWrites(to: longest)
    var entries: [String: Defaults.PropertyListValue] = [:]
    for number in 0..<20 {
      let value = Defaults.PropertyListValue.string(String(repeating: "\(number) ", count: number))
      entries["key \(number)"] = value
      process.set(value, "key \(number)")
      if number == 10 { try process.flush(.snapshot) }
    }
    #expect(try settings.found() == entries)
    try process.flush(.snapshot)
    #expect(try settings.entries() == entries)
    #expect(process.issues.count == 0)
  }

  @Test(
    "A record whose missing bytes are zeros is kept, since other processes may have read it")
  func missingZeros() throws {
    let process = try settings.open()
    let beside = try settings.open()
    process.set(1, "n")
    // The next set adds room, which gives the record its last zeros.
    try process.suite.flush()
    let start = try settings.endOfRecords()
    process.set(2, "n")
    let end = try settings.endOfRecords()
    let record = try Data(contentsOf: settings.folder.url(SettingsFolder.journal))[start..<end]
    let written = try #require(record.lastIndex { $0 != 0 }) + 1 - start
    try #require(written < record.count, "the record doesn't end with a zero")
    process.disk.limitWrites(to: written)
    let writes = Lock(0)
    process.disk.fail(with: .ENOSPC) { call in
      guard call.operation == .write else { return false }
      return writes.withLock { count in
        count += 1
        return count > 1
      }
    }
    let key = Defaults.Key("n", default: 0, suite: process.suite)
    try process.suite.update(key) { $0 += 1 }
    #expect(try settings.endOfRecords() == end + record.count)
    try beside.suite.refresh()
    #expect(beside.entries == ["n": 3])
    process.kill()
    beside.kill()
    #expect(try settings.found() == ["n": 3])
  }

  @Test("Signals that interrupt calls aren't errors")
  func signals() async throws {
    await #expect(processExitsWith: .success) { [path = settings.path as String] in
      // Without SA_RESTART: calls aren't resumed after the signal but return EINTR.
      var action = sigaction()
      #if canImport(Darwin)
        action.__sigaction_u.__sa_handler = { _ in }
      #else
        action.__sigaction_handler.sa_handler = { _ in }
      #endif
      sigaction(SIGALRM, &action, nil)
      let moment = timeval(tv_sec: 0, tv_usec: 100)
      var timer = itimerval(it_interval: moment, it_value: moment)
      #if canImport(Glibc)
        setitimer(__itimer_which_t(ITIMER_REAL.rawValue), &timer, nil)
      #else
        setitimer(ITIMER_REAL, &timer, nil)
      #endif
      let issues = IssueLog()
      let suite = try Defaults.PropertyListSuite(
        url: URL(filePath: path), onIssue: { issues.append($0) })
      let text = String(repeating: "text", count: 20_000)
      for number in 0..<200 {
        suite.set(text + "\(number)", forKey: "x")
        if number % 10 == 0 { try await suite.flush(.snapshot) }
      }
      try await suite.flush()
      let reader = try OpenSuite(path)
      #expect(reader.entries == ["x": .string(text + "199")])
      reader.kill()
      #expect(issues.count == 0)
    }
  }

  @Test("An input/output error while a suite is opened is thrown and changes nothing")
  func opening() throws {
    try settings.run { process in
      process.set(1, "x")
      try process.flush(.snapshot)
      process.set(2, "x")
    }
    for name in [SettingsFolder.journal, SettingsFolder.file] {
      // The file is read if it isn't the one that the journal knows.
      if name == SettingsFolder.file { try settings.edit(["x": 3]) }
      let names = try settings.folder.names()
      let contents = try names.map { try Data(contentsOf: settings.folder.url($0)) }
      let disk = FaultyFileSystem()
      disk.fail(with: .EIO) { [path = settings.folder[name]] call in
        call.operation == .read && call.path == path
      }
      let error = #expect(throws: Defaults.SuiteError.self) { try settings.open(on: disk) }
      #expect(error?.code == .unreadable)
      #expect(error?.path == settings.folder[name])
      #expect(error?.reason.contains("Input/output error. Check the disk") == true)
      #expect(try settings.folder.names() == names)
      #expect(try names.map { try Data(contentsOf: settings.folder.url($0)) } == contents)
    }
    #expect(try settings.found() == ["x": 3])
  }

  @Test("After a failed sync, flush throws, and the next flush writes a new journal")
  func synchronizing() throws {
    let process = try settings.open()
    process.set(1, "x")
    process.disk.fail(with: .EIO) { $0.operation == .synchronize }
    let journal = settings.folder[SettingsFolder.journal]
    for _ in 0..<3 { process.expectFailure(at: journal, because: "Input/output error") }
    let suspect = try LocalFileSystem().status(of: journal).version
    // The change is in the journal nevertheless.
    #expect(try settings.found() == ["x": 1])
    process.disk.heal()
    try process.flush()
    // Data of a failed sync may never reach the disk, even if the next sync succeeds.
    #expect(try !LocalFileSystem().status(of: journal).version.isSameFile(as: suspect))
    process.kill()
    #expect(try settings.found() == ["x": 1])
  }

  @Test("If the folder can't be synced, the flush that makes the journal's name durable throws")
  func synchronizingFolder() throws {
    let process = try settings.open()
    process.set(1, "x")
    process.disk.fail(with: .EIO) { [path = settings.folder.path] in
      $0.operation == .synchronize && $0.path == path
    }
    for _ in 0..<2 { process.expectFailure(because: "Input/output error") }
    process.disk.heal()
    try process.flush()
    #expect(try settings.found() == ["x": 1])
  }

  @Test("However often a setting changes in memory, an edit is compared with the value in the file")
  func waitingTwice() throws {
    let process = try settings.open()
    process.set(1, "x")
    try process.flush(.snapshot)
    process.disk.fail(with: .ENOSPC) { $0.operation == .write }
    process.set(2, "x")
    process.set(3, "x")
    process.disk.heal()
    try process.flush()
    process.kill()
    // This writer has read the old file and changed only the theme.
    try settings.edit(["x": 1, "theme": "dark"])
    #expect(try settings.found() == ["x": 3, "theme": "dark"])
  }

  @Test("A change that waits in memory stays if only the file's attributes change")
  func touchedFile() throws {
    let process = try settings.open()
    let persistence = try #require(process.suite.persistence as? FileStore)
    process.set("file", "x")
    try process.flush(.snapshot)
    process.set("journal", "x")
    process.disk.fail(with: .ENOSPC) { $0.operation == .write }
    process.set("waiting", "x")
    #expect(chmod(settings.path, 0o640) == 0)
    process.disk.heal()
    persistence.checkFiles()
    #expect(process.entries == ["x": "waiting"])
    try process.flush()
    #expect(process.entries == ["x": "waiting"])
    #expect(try settings.found() == ["x": "waiting"])
  }

  @Test("An external edit overrides a change of the same key in memory and no other change")
  func editedWhileWaiting() throws {
    let process = try settings.open()
    for name in ["edited", "waiting"] { process.set("file", name) }
    try process.flush(.snapshot)
    for name in ["edited", "waiting"] { process.set("journal", name) }
    process.disk.fail(with: .ENOSPC) { $0.operation == .write }
    for name in ["edited", "waiting", "new"] { process.set("waiting", name) }
    try settings.edit(["edited": "edited", "waiting": "file"])
    process.disk.heal()
    try #require(process.suite.persistence as? FileStore).checkFiles()
    try process.flush()
    let merged: [String: Defaults.PropertyListValue] = [
      "edited": "edited", "waiting": "waiting", "new": "waiting",
    ]
    #expect(process.entries == merged)
    #expect(try settings.found() == merged)
  }

  @Test("A write problem is reported once, and again only if it recurs after it was resolved")
  func reporting() throws {
    let process = try settings.open()
    for round in 1...3 {
      process.disk.fail(with: .EIO) { $0.operation == .write }
      for number in 0..<10 { process.set(.integer(Int64(number)), "x \(round)") }
      #expect(process.issues.codes == Array(repeating: .unwritable, count: round))
      process.disk.heal()
      process.set(.integer(Int64(round)), "over")
      #expect(process.health == .intact)
    }
  }

  @Test("A failing background snapshot is reported once, and again if it fails after a success")
  func reportingSnapshots() async throws {
    let process = try settings.open()
    let persistence = try #require(process.suite.persistence as? FileStore)
    let (attempts, attempt) = AsyncStream.makeStream(of: Void.self)
    var rounds = attempts.makeAsyncIterator()
    // The first time, there is no journal yet.
    for failures in 1...3 {
      process.disk.fail(with: .ENOSPC) { call in
        guard call.operation == .create, call.path.hasSuffix(".tmp") else { return false }
        attempt.yield()
        return true
      }
      for number in 1...5 {
        process.set(.integer(Int64(failures * number)), "x")
        persistence.inBackground { $0.exportInBackground() }
        await rounds.next()
        await persistence.background.finish()
        #expect(process.issues.codes == Array(repeating: .unwritable, count: failures))
      }
      process.disk.heal()
      try await process.suite.flush(.snapshot)
      #expect(try settings.entries() == ["x": .integer(Int64(failures * 5))])
    }
  }
}
