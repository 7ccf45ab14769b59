import Foundation
import TestSupport
import Testing

@testable import Defaults

@Suite("Changes of other processes")
struct ExternalChangeTests {
  let twins: TwinSuites

  init() throws { twins = try TwinSuites() }

  @Test("External changes arrive without a refresh, one by one and in order")
  func order() async throws {
    let (writer, reader) = (try twins.open(), try twins.open())
    let count = Defaults.Key("count", default: 0, suite: reader)
    var changes = reader.changes().makeAsyncIterator()
    for number in 1...20 { writer.set(number, forKey: "count") }
    var last = 0
    while last < 20 {
      let change = try #require(await changes.next())
      #expect(change.source == .external)
      #expect(change.entries["count"]?.old == (last == 0 ? nil : .integer(Int64(last))))
      last += 1
      #expect(change.entries["count"]?.new == .integer(Int64(last)))
    }
    #expect(Defaults[count] == 20)
  }

  @Test("External changes continue to arrive after each replacement of file and journal")
  func afterReplacement() async throws {
    let (writer, reader) = (try twins.open(), try twins.open())
    var changes = reader.changes().makeAsyncIterator()
    for number in 1...10 {
      writer.set(number, forKey: "count")
      let change = try #require(await changes.next())
      #expect(change.entries["count"]?.new == .integer(Int64(number)))
      try await writer.flush(.snapshot)
    }
    reader.set(0, forKey: "count")
    #expect(try twins.stored() == ["count": 0])
  }

  @Test("A transaction of another process arrives as one change")
  func transaction() async throws {
    let (writer, reader) = (try twins.open(), try twins.open())
    var changes = reader.changes().makeAsyncIterator()
    try writer.transaction { draft in
      try draft.setEntry(1, named: "a")
      try draft.setEntry(2, named: "b")
    }
    #expect(await changes.next()?.entries.mapValues(\.new) == ["a": 1, "b": 2])
    #expect(reader.entries == ["a": 1, "b": 2])
  }

  @Test("External changes reach only observers of changed keys")
  func otherKeys() async throws {
    let (writer, reader) = (try twins.open(), try twins.open())
    writer.set(1, forKey: "mine")
    let seen = Log<Defaults.Change.Source>()
    let mine = Defaults.Key("mine", default: 0, suite: reader)
    let observation = Defaults.observe(mine, options: []) { seen.append($0.source) }
    var updates = Defaults.updates(Defaults.Key("last", default: 0, suite: reader), initial: false)
      .makeAsyncIterator()
    writer.set(7, forKey: "other")
    // Equal to the current entry, whether the reader knows it yet or not.
    writer.set(1, forKey: "mine")
    writer.set(2, forKey: "mine")
    writer.set(1, forKey: "last")
    #expect(await updates.next() == 1)
    // The previous value may have been current when the observation began.
    #expect(1...2 ~= seen.count)
    #expect(seen.all.allSatisfy { $0 == .external })
    #expect(Defaults[mine] == 2)
    observation.invalidate()
  }

  @Test("Changes by other processes while a suite is opened are observed afterwards")
  func whileOpening() async throws {
    let writer = try twins.open(isAutomatic: false)
    writer.set(1, forKey: "x")
    let (suite, start) = try FileStore.open(
      StoredFile(path: twins.folder["suite.plist"]),
      onIssue: { [issues = twins.issues] in issues.append($0) })
    var changes = suite.changes().makeAsyncIterator()
    writer.set(2, forKey: "x")
    start()
    #expect(await changes.next()?.source == .external)
    #expect(suite.entries == ["x": 2])
    #expect(twins.issues.count == 0)
  }

  @Test("Adding the first observer to a suite starts the watch of its file at once")
  func listening() throws {
    // It doesn't start listening on its own before `start`.
    let (suite, _) = try FileStore.open(StoredFile(path: twins.folder["suite.plist"]))
    let file = try #require(suite.persistence as? FileStore)
    #expect(file.watch.withLock { $0 == nil })
    let observation = suite.observe(["x"]) { _ in }
    #expect(file.watch.withLock { $0 != nil })
    observation.invalidate()
  }

  @Test("A program's own changes are local and reported once")
  func ownChanges() async throws {
    let suite = try twins.open()
    let seen = Log<Defaults.Change.Source>()
    let observation = suite.observe(nil) { seen.append($0.source) }
    for number in 1...200 { suite.set(number, forKey: "count") }
    try await suite.flush(.snapshot)
    #expect(seen.all == Array(repeating: .local, count: 200))
    observation.invalidate()
  }

  @Test("A file that another program wrote is merged key by key")
  func editedFile() async throws {
    let suite = try twins.open()
    suite.set("old", forKey: "edited")
    suite.set("old", forKey: "removed")
    try await suite.flush(.snapshot)
    suite.set("journal", forKey: "set")
    var changes = suite.changes().makeAsyncIterator()
    try twins.replaceFile(with: ["edited": "new", "added": "new"])
    let change = try #require(await changes.next())
    #expect(change.source == .external)
    #expect(change.names == ["edited", "removed", "added"])
    let merged: [String: Defaults.PropertyListValue] = [
      "edited": "new", "added": "new", "set": "journal",
    ]
    #expect(suite.entries == merged)
    #expect(try twins.stored() == merged)
  }

  @Test("All processes give the same result when they merge a file that another program wrote")
  func editedFileForTwo() async throws {
    let (one, two) = (try twins.open(), try twins.open())
    one.set("old", forKey: "edited")
    try await one.flush(.snapshot)
    one.set("one", forKey: "a")
    two.set("two", forKey: "b")
    try twins.replaceFile(with: ["edited": "new", "b": "edited, too"])
    for suite in [one, two] {
      var updates = suite.updates(of: "edited").makeAsyncIterator()
      while await updates.next() != "new" {}
      #expect(suite.entries == ["edited": "new", "a": "one", "b": "edited, too"])
    }
    try await one.flush(.snapshot)
    #expect(try twins.stored() == ["edited": "new", "a": "one", "b": "edited, too"])
  }

  @Test("Deleting the file removes its keys")
  func deletedFile() async throws {
    let suite = try twins.open()
    try suite.postponeExports()
    suite.set(1, forKey: "a")
    suite.set(2, forKey: "b")
    try await suite.flush(.snapshot)
    suite.set(3, forKey: "c")
    var changes = suite.changes().makeAsyncIterator()
    try FileManager.default.removeItem(at: twins.folder.url("suite.plist"))
    let change = try #require(await changes.next())
    #expect(change.source == .external)
    #expect(change.names == ["a", "b"])
    #expect(suite.entries == ["c": 3])
    #expect(try twins.stored() == ["c": 3])
  }

  @Test("Moving the old file away before saving a new one removes no setting")
  func carefulEditor() async throws {
    let suite = try twins.open()
    suite.set("old", forKey: "edited")
    suite.set("old", forKey: "kept")
    try await suite.flush(.snapshot)
    var changes = suite.changes().makeAsyncIterator()
    let new = try Defaults.PropertyListFormat.xml.encode(["edited": "new", "kept": "old"])
    let store = try #require(suite.persistence as? FileStore)
    // On a busy machine, the file could be missing for so long that it counts as deleted.
    try suite.withoutBackgroundWork {
      #expect(rename(twins.folder["suite.plist"], twins.folder["suite.plist~"]) == 0)
      store.noticeAbsence()
      try new.write(to: twins.folder.url("suite.plist"))
    }
    #expect(await changes.next()?.names == ["edited"])
    #expect(suite.entries == ["edited": "new", "kept": "old"])
  }

  @Test("A malformed edit changes nothing, is reported and is quarantined")
  func malformedEdit() async throws {
    let (codes, report) = AsyncStream.makeStream(of: Defaults.SuiteError.Code.self)
    let (suite, start) = try FileStore.open(
      StoredFile(path: twins.folder["suite.plist"]), onIssue: { report.yield($0.code) })
    start()
    suite.set(1, forKey: "a")
    try await suite.flush(.snapshot)
    try Data("<plist><dict><key>a</key>".utf8).write(to: twins.folder.url("suite.plist"))
    for await code in codes {
      #expect(code == .malformed)
      break
    }
    #expect(suite.entries == ["a": 1])
    suite.set(2, forKey: "a")
    try await suite.flush(.snapshot)
    let aside = try #require(twins.folder.names().first { $0.contains(".corrupt-") })
    #expect(try twins.folder.text(of: aside) == "<plist><dict><key>a</key>")
    #expect(try twins.stored() == ["a": 2])
  }
}

extension Defaults.Suite {
  /// The current entry of a name, then each new one.
  fileprivate func updates(of name: String) -> AsyncStream<Defaults.PropertyListValue?> {
    AsyncStream { continuation in
      let observation = observe([name], options: .initial) { change in
        continuation.yield(change.entries[name]?.new ?? nil)
      }
      continuation.onTermination = { _ in observation.invalidate() }
    }
  }
}
