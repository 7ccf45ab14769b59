import Defaults
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite("Suites on a store", .prompt)
struct StoredSuiteTests {
  let issues = IssueLog()

  @Test("A store gets a change in the background, without a flush")
  func backgroundSave() async throws {
    let store = GatedStore()
    let suite = try Defaults.StoredSuite(store)
    suite.set(1, forKey: "a")
    let saved = await store.nextSave()
    #expect(saved == GatedStore.Save(entries: ["a": 1], changed: ["a"]))
    store.open()
  }

  @Test("Changes during a save are combined in the next save")
  func groupCommit() async throws {
    let store = GatedStore()
    let suite = try Defaults.StoredSuite(store)
    suite.set(0, forKey: "first")
    #expect(await store.nextSave()?.changed == ["first"])
    // The store saves until the gate opens, and no setter waits for it.
    for number in 1...100 {
      suite.set(number, forKey: "count")
      suite.set(number, forKey: "\(number)")
    }
    #expect(suite.integer(forKey: "count") == 100)
    store.open()
    let second = await store.nextSave()
    #expect(second?.changed.count == 101)
    #expect(second?.entries.count == 102)
    try await suite.flush()
    #expect(store.saves == 2)
  }

  @Test("A flush without changes doesn't save")
  func idleFlush() async throws {
    let store = RowStore()
    let suite = try Defaults.StoredSuite(store)
    try await suite.flush()
    suite.set(1, forKey: "a")
    try await suite.flush()
    try await suite.flush()
    suite.set(1, forKey: "a")
    try await suite.flush()
    #expect(store.state.withLock { $0.saves } == 1)
  }

  @Test("A failed save keeps the changes, is reported once, and is repeated by a flush")
  func failedSave() throws {
    let store = RowStore()
    let suite = try Defaults.StoredSuite(store, onIssue: { issues.append($0) })
    store.state.withLock { $0.failure = CocoaError(.fileWriteOutOfSpace) }
    suite.set(1, forKey: "a")
    let error = #expect(throws: Defaults.SuiteError.self) { try suite.flush() }
    #expect(error?.code == .unwritable)
    #expect(error?.suite == "rows")
    #expect(error?.underlying is CocoaError)
    #expect(suite.integer(forKey: "a") == 1)
    #expect(throws: Defaults.SuiteError.self) { try suite.flush() }
    // From the background, or not at all if the flush came first: its caller got the error.
    #expect(issues.count <= 1)
    store.state.withLock { $0.failure = nil }
    try suite.flush()
    #expect(store.load() == ["a": 1])
  }

  @Test("A save that failed in the background is repeated by the next change")
  func failedBackgroundSave() async throws {
    let store = GatedStore()
    let (codes, report) = AsyncStream.makeStream(of: Defaults.SuiteError.Code.self)
    let suite = try Defaults.StoredSuite(store, onIssue: { report.yield($0.code) })
    store.fail(with: CocoaError(.fileWriteOutOfSpace))
    store.open()
    suite.set(1, forKey: "a")
    for await code in codes {
      #expect(code == .unwritable)
      break
    }
    store.fail(with: nil)
    _ = await store.nextSave()
    suite.set(2, forKey: "b")
    #expect(
      await store.nextSave() == GatedStore.Save(entries: ["a": 1, "b": 2], changed: ["a", "b"]))
  }

  @Test("A suite that is released with unsaved changes saves them")
  func releasedSuite() async throws {
    let store = GatedStore()
    do {
      let suite = try Defaults.StoredSuite(store)
      suite.set(1, forKey: "a")
      #expect(await store.nextSave()?.changed == ["a"])
      suite.set(2, forKey: "b")
    }
    store.open()
    #expect(await store.nextSave()?.entries == ["a": 1, "b": 2])
  }

  @Test("Opening a suite on a store that can't be loaded throws")
  func failedLoad() {
    struct Broken: Defaults.Store {
      let label = "broken"
      func load() throws -> [String: Defaults.PropertyListValue] {
        throw CocoaError(.fileReadCorruptFile)
      }
      func save(_ entries: [String: Defaults.PropertyListValue], changed: Set<String>) throws {
        Issue.record("The store must not be saved")
      }
    }
    let error = #expect(throws: Defaults.SuiteError.self) { try Defaults.StoredSuite(Broken()) }
    #expect(error?.code == .unreadable)
    #expect(error?.description.hasPrefix("broken: ") == true)
  }

  @Test("A value that a store rejects isn't committed")
  func refusedValues() throws {
    struct Picky: Defaults.Store {
      let label = "picky"
      func load() -> [String: Defaults.PropertyListValue] { [:] }
      func save(_ entries: [String: Defaults.PropertyListValue], changed: Set<String>) {}
      func validate(
        _ value: Defaults.PropertyListValue, named name: String
      ) throws(Defaults.SuiteError) {
        if case .date = value { throw Defaults.SuiteError(.unrepresentable, "No dates here") }
      }
    }
    let suite = try Defaults.StoredSuite(Picky(), onIssue: { issues.append($0) })
    suite.set(Date(), forKey: "now")
    #expect(issues.codes == [.unrepresentable])
    #expect(issues.last?.key == "now")
    #expect(suite.names == [])
  }

  @Test("An external change doesn't revert an unsaved local change")
  func externalAgainstUnsaved() async throws {
    let store = RowStore()
    let suite = try Defaults.StoredSuite(store, onIssue: { _ in })
    store.state.withLock { $0.failure = CocoaError(.fileWriteOutOfSpace) }
    suite.set("local", forKey: "both")
    var changes = suite.changes().makeAsyncIterator()
    store.change { rows in
      rows["both"] = "external"
      rows["other"] = "external"
    }
    #expect(await changes.next()?.names == ["other"])
    #expect(suite.string(forKey: "both") == "local")
    store.state.withLock { $0.failure = nil }
    try await suite.flush()
    #expect(store.load() == ["both": "local", "other": "external"])
  }

  @Test("A normal exit saves changes, even from the last instant")
  func exitSaves() async throws {
    let folder = try TemporaryFolder()
    await #expect(processExitsWith: .exitCode(3)) { [path = folder["suite.plist"] as String] in
      let suite = try Defaults.PropertyListSuite(url: URL(filePath: path))
      for number in 0..<1_000 { suite.set(number, forKey: "\(number)") }
      exit(3)
    }
    let suite = try Defaults.PropertyListSuite(url: folder.url("suite.plist"))
    #expect(suite.names.count == 1_000)
    #expect(suite.integer(forKey: "999") == 999)
  }

  @Test("An exit inside a transaction saves earlier commits and doesn't block")
  func exitInTransaction() async throws {
    let folder = try TemporaryFolder()
    await #expect(processExitsWith: .exitCode(3)) { [path = folder["suite.plist"] as String] in
      let suite = try Defaults.PropertyListSuite(url: URL(filePath: path))
      suite.set("before", forKey: "state")
      try suite.transaction { draft in
        draft.removeAll()
        exit(3)
      }
    }
    let suite = try Defaults.PropertyListSuite(url: folder.url("suite.plist"))
    #expect(suite.string(forKey: "state") == "before")
  }

  @Test(
    "Writing, observing or flushing inside the suite's own transaction traps with a message")
  func misuse() async throws {
    let write = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let suite = Defaults.MemorySuite()
      try suite.transaction { _ in suite.set(1, forKey: "a") }
    }
    let observe = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let suite = Defaults.MemorySuite()
      try suite.transaction { _ in _ = suite.observe(nil) { _ in } }
    }
    let flush = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let suite = Defaults.MemorySuite()
      try suite.transaction { _ in try suite.flush() }
    }
    for result in [write, observe, flush] {
      let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
      #expect(text.contains("inside of its own transaction. Use the draft there"))
    }
  }
}

/// A store whose saves can be blocked and awaited.
private final class GatedStore: Defaults.Store {
  struct Save: Equatable {
    let entries: [String: Defaults.PropertyListValue]
    let changed: Set<String>
  }

  let label = "gated"
  private let gate = DispatchSemaphore(value: 0)
  private let failure = Mutex<(any Error)?>(nil)
  private let count = Mutex(0)
  private let stream: AsyncStream<Save>
  private let continuation: AsyncStream<Save>.Continuation

  init() {
    (stream, continuation) = AsyncStream.makeStream(of: Save.self)
  }

  /// The number of successful saves.
  var saves: Int { count.withLock { $0 } }

  func load() -> [String: Defaults.PropertyListValue] { [:] }

  func save(_ entries: [String: Defaults.PropertyListValue], changed: Set<String>) throws {
    continuation.yield(Save(entries: entries, changed: changed))
    gate.wait()
    gate.signal()
    if let failure = failure.withLock({ $0 }) { throw failure }
    count.withLock { $0 += 1 }
  }

  /// The arguments of the next save, once it has begun.
  func nextSave() async -> Save? {
    var iterator = stream.makeAsyncIterator()
    return await iterator.next()
  }

  /// Lets the waiting save and all later ones finish.
  func open() { gate.signal() }

  func fail(with error: (any Error)?) { failure.withLock { $0 = error } }
}
