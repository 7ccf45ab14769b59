import Foundation
import TestSupport
import Testing

@testable import Defaults

@Suite("Changes by other programs between two calls")
struct InterferenceTests {
  let settings: SettingsFolder
  var folder: TemporaryFolder { settings.folder }

  init() throws { settings = try SettingsFolder() }

  /// Two versions of the file, with `x`.
  private func prepare() throws {
    try settings.run { process in
      for number in 1...2 {
        process.set(.integer(Int64(number)), "x")
        try process.flush(.snapshot)
      }
    }
  }

  @Test("A read throws if file and journal are replaced at each attempt, and loses nothing")
  func reading() throws {
    try prepare()
    try settings.edit(["x": 2])
    let journal = try Data(contentsOf: folder.url(SettingsFolder.journal))
    let disk = FaultyFileSystem()
    let rounds = Log<Int>()
    disk.intervene { [settings] call in
      // Between the journal, which is read first, and the file.
      guard call.operation == .open, call.path == settings.path else { return }
      rounds.append(rounds.count)
      try? settings.edit(["x": 2, "round": .integer(Int64(rounds.count))])
      try? settings.remove(SettingsFolder.journal)
      try? journal.write(to: settings.folder.url(SettingsFolder.journal))
    }
    let error = #expect(throws: Defaults.SuiteError.self) { try settings.open(on: disk) }
    #expect(error?.code == .unreadable)
    #expect(error?.path == settings.path)
    #expect(error?.reason.contains("changed each time it was read") == true)
    #expect(rounds.count >= 100)
    #expect(try settings.found() == ["x": 2, "round": .integer(Int64(rounds.count))])
  }

  @Test("A flush throws if the file is edited during each save, and all edits are merged")
  func saving() throws {
    try prepare()
    let process = try settings.open()
    process.set(3, "y")
    let rounds = Log<Int>()
    process.disk.intervene { [settings] call in
      // After the new file was announced in the log.
      guard call.operation == .synchronize, call.path.hasSuffix(".journal") else { return }
      rounds.append(rounds.count)
      try? settings.edit(["x": 2, "round": .integer(Int64(rounds.count))])
    }
    let error = #expect(throws: Defaults.SuiteError.self) { try process.flush(.snapshot) }
    #expect(error?.code == .unwritable)
    #expect(error?.path == settings.path)
    #expect(error?.reason.hasPrefix("Other processes keep replacing the file") == true)
    let last = rounds.count
    #expect(last == 100)
    process.disk.heal()
    try process.flush(.snapshot)
    let all: [String: Defaults.PropertyListValue] = [
      "x": 2, "y": 3, "round": .integer(Int64(last)),
    ]
    #expect(process.entries == all)
    #expect(try settings.entries() == all)
    #expect(try settings.found() == all)
  }

  @Test("An editor's file that is removed during an export's second exchange isn't an error")
  func removedBetweenExchanges() throws {
    try prepare()
    let process = try settings.open()
    process.set(3, "y")
    let (edits, exchanges) = (Log<Void>(), Log<Void>())
    process.disk.intervene { [settings] call in
      if call.operation == .synchronize, call.path.hasSuffix(".journal"), edits.count == 0 {
        edits.append(())
        try? settings.edit(["x": 9])
      }
      guard call.operation == .exchange else { return }
      exchanges.append(())
      if exchanges.count == 2 { try? FileManager.default.removeItem(atPath: settings.path) }
    }
    try process.flush(.snapshot)
    process.disk.heal()
    #expect(exchanges.count >= 2)
    #expect(process.entries["x"] == nil)
    #expect(try settings.found() == process.entries)
    #expect(process.issues.count == 0)
  }

  @Test("An edit is kept if the file is moved away and back during an export's second exchange")
  func movedBetweenExchanges() throws {
    try prepare()
    let process = try settings.open()
    process.set(3, "y")
    let (edits, exchanges, returns) = (Log<Void>(), Log<Void>(), Log<Void>())
    let aside = settings.folder["aside"]
    process.disk.intervene { [settings] call in
      if call.operation == .synchronize, call.path.hasSuffix(".journal"), edits.count == 0 {
        edits.append(())
        try? settings.edit(["x": 9])
      }
      if exchanges.count == 2, returns.count == 0 {
        returns.append(())
        #expect(throws: Never.self) {
          try LocalFileSystem().move(aside, to: settings.path)
        }
      }
      guard call.operation == .exchange else { return }
      exchanges.append(())
      guard exchanges.count == 2 else { return }
      #expect(throws: Never.self) { try LocalFileSystem().move(settings.path, to: aside) }
    }
    try process.flush(.snapshot)
    process.disk.heal()
    #expect(process.entries["x"] == 9)
    #expect(process.entries["y"] == 3)
    #expect(try settings.found() == process.entries)
    #expect(try settings.folder.names().sorted() == [SettingsFolder.file, SettingsFolder.journal])
  }

  @Test("If another process saves during each save, its file has both changes, without an error")
  func overtaken() throws {
    try prepare()
    let (one, two) = (try settings.open(), try settings.open())
    one.set(1, "one")
    let rounds = Log<Int>()
    one.disk.intervene { [settings] call in
      guard call.operation == .synchronize, call.path.hasPrefix(settings.folder[".suite.plist."]),
        !call.path.contains(".journal."), rounds.count < 10
      else { return }
      rounds.append(rounds.count)
      two.set(.integer(Int64(rounds.count)), "two")
      #expect(throws: Never.self) { try two.flush(.snapshot) }
      // So that there is always a further change to save.
      two.set(.integer(Int64(rounds.count)), "three")
    }
    try one.flush(.snapshot)
    one.disk.heal()
    #expect(2...10 ~= rounds.count)
    let filed = try settings.entries()
    #expect(filed["one"] == 1 && filed["two"] == .integer(Int64(rounds.count)))
    #expect(one.issues.count == 0)
  }

  @Test("If another process saves before a save has synced its new file, no change is lost")
  func twoSaves() throws {
    try prepare()
    let (one, two) = (try settings.open(), try settings.open())
    one.set(1, "one")
    let rounds = Log<Int>()
    one.disk.intervene { [settings] call in
      guard call.operation == .synchronize, call.path.hasPrefix(settings.folder[".suite.plist."]),
        rounds.count == 0
      else { return }
      rounds.append(1)
      two.set(2, "two")
      #expect(throws: Never.self) { try two.flush(.snapshot) }
    }
    try one.flush(.snapshot)
    #expect(rounds.count == 1)
    one.disk.heal()
    let all: [String: Defaults.PropertyListValue] = ["x": 2, "one": 1, "two": 2]
    #expect(two.entries == all)
    #expect(try settings.found() == all)
    try one.suite.transaction { _ in }
    #expect(one.entries == all)
    one.set(3, "one")
    #expect(try settings.found() == ["x": 2, "one": 3, "two": 2])
    #expect(one.issues.count == 0)
    #expect(two.issues.count == 0)
  }

  @Test(
    "A running suite loses nothing if its file is damaged and its journal removed"
  )
  func damagedReplacement() throws {
    try prepare()
    let running = try settings.open()
    running.set(1, "running")
    try running.flush(.snapshot)
    try settings.overwrite(with: "damaged")
    try settings.remove(SettingsFolder.journal)
    // A later process, which knows less and can't repair the file.
    let disk = FaultyFileSystem()
    disk.fail(with: .EIO) { [path = settings.path] call in
      [.move, .exchange].contains(call.operation) && call.path == path
    }
    let later = try settings.open(on: disk)
    #expect(later.entries == [:])
    later.set(2, "later")
    running.set(3, "last")
    #expect(running.entries == ["x": 2, "running": 1, "later": 2, "last": 3])
    try running.flush(.snapshot)
    #expect(try settings.entries()["later"] == 2)
    #expect(try settings.entries()["running"] == 1)
    #expect(try settings.found() == running.entries)
    disk.heal()
    try later.suite.transaction { _ in }
    #expect(later.entries == running.entries)
    later.set(4, "later")
    try later.flush(.snapshot)
    #expect(try settings.entries() == ["x": 2, "running": 1, "later": 4, "last": 3])
  }

  @Test("A file that an editor removes between read and merge isn't an issue")
  func removedBeforeMerge() throws {
    try prepare()
    let process = try settings.open()
    try settings.edit(["x": 3])
    let openings = Log<Int>()
    process.disk.intervene { [settings] call in
      guard call.operation == .open, call.path == settings.path else { return }
      openings.append(openings.count)
      // It was read at the first opening and is now to be synced.
      if openings.count == 2 { try? settings.remove(SettingsFolder.file) }
    }
    try process.suite.transaction { try $0.setEntry(1, named: "y") }
    #expect(openings.count == 2)
    #expect(process.issues.count == 0)
    // The removal is merged next, as if the edit had never existed.
    try process.suite.transaction { try $0.setEntry(2, named: "y") }
    #expect(process.entries == ["y": 2])
  }

  @Test("A file that an editor moves away while the first journal is created isn't an issue")
  func movedBeforeJournal() throws {
    try settings.edit(["x": 1])
    let process = try settings.open()
    let looks = Log<Int>()
    process.disk.intervene { [settings] call in
      guard call.operation == .access, call.path == settings.path else { return }
      looks.append(looks.count)
      try? settings.remove(SettingsFolder.file)
    }
    process.set(1, "y")
    #expect(looks.count == 1)
    #expect(process.issues.count == 0)
    #expect(process.entries["y"] == 1)
  }
}

extension FaultyFileSystem {
  /// Runs a closure before each call, which then proceeds.
  fileprivate func intervene(_ body: @escaping @Sendable (Call) -> Void) {
    fail(with: .EIO) { call in
      body(call)
      return false
    }
  }
}
