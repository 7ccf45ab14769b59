import Defaults
import Foundation
import TestSupport
import Testing

@Suite("Failing stores", .prompt)
struct StoreFailureTests {
  let store = RowStore()

  private struct Refusal: Error, CustomStringConvertible { let description = "not today" }

  @Test("If a save fails in the background, an issue has the store's error as its cause")
  func backgroundSave() async throws {
    let (issues, report) = AsyncStream.makeStream(of: Defaults.Issue.self)
    let suite = try Defaults.StoredSuite(store, onIssue: { report.yield($0) })
    store.state.withLock { $0.failure = Refusal() }
    suite.set(1, forKey: "a")
    var iterator = issues.makeAsyncIterator()
    let issue = try #require(await iterator.next())
    #expect(issue.code == .unwritable)
    #expect(issue.suite == "rows")
    #expect(issue.underlying is Refusal)
    #expect(issue.description == "Defaults: rows: not today")
    #expect(suite.integer(forKey: "a") == 1)
    store.state.withLock { $0.failure = nil }
    try await suite.flush()
    #expect(store.load() == ["a": 1])
  }

  @Test("A SuiteError from a store is passed on unchanged, with the suite's label")
  func ownErrors() async throws {
    let suite = try Defaults.StoredSuite(store, onIssue: { _ in })
    suite.set(1, forKey: "a")
    for given in [nil, "elsewhere"] as [String?] {
      store.state.withLock {
        $0.failure = Defaults.SuiteError(.locked, "Another process is writing", suite: given)
      }
      suite.set(UUID().uuidString, forKey: "b")
      let error = await #expect(throws: Defaults.SuiteError.self) { try await suite.flush() }
      #expect(error?.code == .locked)
      #expect(error?.reason == "Another process is writing")
      #expect(error?.suite == given ?? "rows")
    }
    store.state.withLock { $0.failure = nil }
  }

  @Test("If a store can't be reloaded, an issue is reported, and memory stays unchanged")
  func failedReload() async throws {
    let (issues, report) = AsyncStream.makeStream(of: Defaults.Issue.self)
    let store = ForgettingStore()
    let suite = try Defaults.StoredSuite(store, onIssue: { report.yield($0) })
    #expect(suite.entries == ["a": 1])
    store.ring()
    var iterator = issues.makeAsyncIterator()
    let issue = try #require(await iterator.next())
    #expect(issue.code == .unreadable)
    #expect(issue.suite == "loading once")
    #expect((issue.underlying as? CocoaError)?.code == .fileReadCorruptFile)
    #expect(suite.entries == ["a": 1])
  }

  @Test("A failure to reload a store is reported again only after a load has succeeded")
  func recurringFailures() async throws {
    let issues = IssueLog()
    let store = TroubledStore()
    let suite = try Defaults.StoredSuite(store, onIssue: { issues.append($0) })
    store.failure.withLock { $0 = CocoaError(.fileReadCorruptFile) }
    store.ring()
    await issues.wait { !$0.isEmpty }
    // A save doesn't end the failure.
    suite.set(1, forKey: "a")
    try await suite.flush()
    store.ring()
    await store.loads.wait { $0.count >= 3 }
    store.failure.withLock { $0 = CocoaError(.fileReadNoPermission) }
    store.ring()
    await issues.wait { $0.count >= 2 }
    store.failure.withLock { $0 = nil }
    try suite.refresh()
    store.failure.withLock { $0 = CocoaError(.fileReadCorruptFile) }
    store.ring()
    await issues.wait { $0.count >= 3 }
    let causes = issues.all.map { ($0.underlying as? CocoaError)?.code }
    #expect(causes == [.fileReadCorruptFile, .fileReadNoPermission, .fileReadCorruptFile])
  }

  @Test("A failed save at a normal exit is reported and doesn't change the exit")
  func failedLastSave() async throws {
    let result = await #expect(
      processExitsWith: .exitCode(3), observing: [\.standardErrorContent]
    ) {
      let store = RefusingStore()
      let suite = try Defaults.StoredSuite(store)
      suite.set(1, forKey: "a")
      try? flush(suite)
      // The background also tries once, before or after.
      store.waitForSaves(2)
      FileHandle.standardError.write(Data("after \(store.count)\n".utf8))
      exit(3)
    }
    let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    let rest = try #require(text.components(separatedBy: "after ").last)
    #expect(rest.hasPrefix("2\n"))
    #expect(rest.contains("Defaults: rejecting: not today 3"))
  }

  @Test("Flushing a view of a stored suite saves the suite's changes")
  func view() throws {
    final class View: Defaults.StoredSuiteView {
      let storage: Defaults.StoredSuite
      init(_ storage: Defaults.StoredSuite) { self.storage = storage }
    }
    let storage = try Defaults.StoredSuite(store)
    #expect(storage.storage === storage)
    let view = View(storage)
    view.set(1, forKey: "a")
    try view.flush()
    #expect(store.load() == ["a": 1])
    store.state.withLock { $0.failure = Refusal() }
    view.set(2, forKey: "a")
    #expect(throws: Defaults.SuiteError.self) { try view.flush() }
    store.state.withLock { $0.failure = nil }
  }
}

/// Calls the form of `flush` that doesn't suspend, from an asynchronous context.
private func flush(_ suite: Defaults.StoredSuite) throws { try suite.flush() }

/// A store that can be loaded once.
private final class ForgettingStore: Defaults.Store {
  let label = "loading once"
  private let loads = Log<Void>()
  private let watchers = Log<@Sendable () -> Void>()

  func load() throws -> [String: Defaults.PropertyListValue] {
    loads.append(())
    if loads.count > 1 { throw CocoaError(.fileReadCorruptFile) }
    return ["a": 1]
  }

  func save(_ entries: [String: Defaults.PropertyListValue], changed: Set<String>) {
    Issue.record("The store must not be saved")
  }

  func watch(_ handler: @escaping @Sendable () -> Void) { watchers.append(handler) }

  func ring() { watchers.last?() }
}

/// A store whose loads fail at times.
private final class TroubledStore: Defaults.Store {
  let label = "loading at times"
  let failure = Lock<CocoaError?>(nil)
  let loads = Log<Void>()
  private let watchers = Log<@Sendable () -> Void>()

  func load() throws -> [String: Defaults.PropertyListValue] {
    let failure = failure.withLock { $0 }
    loads.append(())
    if let failure { throw failure }
    return [:]
  }

  func save(_ entries: [String: Defaults.PropertyListValue], changed: Set<String>) {}

  func watch(_ handler: @escaping @Sendable () -> Void) { watchers.append(handler) }

  func ring() { watchers.last?() }
}

/// A store that rejects each save with another reason.
private final class RefusingStore: Defaults.Store {
  private struct Refusal: Error, CustomStringConvertible { let description: String }

  let label = "rejecting"
  private let saves = Log<Void>()
  private let asked = DispatchSemaphore(value: 0)

  var count: Int { saves.count }

  func load() -> [String: Defaults.PropertyListValue] { [:] }

  /// Returns after this number of further saves was requested.
  func waitForSaves(_ number: Int) {
    for _ in 0..<number { asked.wait() }
  }

  func save(_ entries: [String: Defaults.PropertyListValue], changed: Set<String>) throws {
    saves.append(())
    asked.signal()
    throw Refusal(description: "not today \(count)")
  }
}
