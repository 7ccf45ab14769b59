import Dispatch
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Defaults

/// In processes of their own, which the system ends if their threads deadlock.
@Suite("Stores that are reloaded during a transaction", .prompt)
struct StoreExitTests {
  @Test("An exit inside a transaction saves earlier changes although the store reloads meanwhile")
  func exiting() async throws {
    let result = await #expect(
      processExitsWith: .exitCode(3), observing: [\.standardErrorContent]
    ) {
      dieAtHang()
      let store = BellStore()
      let suite = try Defaults.StoredSuite(store, onIssue: { _ in })
      suite.set("before", forKey: "state")
      try suite.transaction { draft in
        draft.removeAll()
        store.ringAndWait()
        exit(3)
      }
    }
    let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(text.contains("saved state"))
  }

  @Test("A store that exits during a save ends the program, and the unsaved state is reported")
  func exitingStore() async throws {
    struct ExitingStore: Defaults.Store {
      let label = "exiting"
      func load() -> [String: Defaults.PropertyListValue] { [:] }
      func save(_ entries: [String: Defaults.PropertyListValue], changed: Set<String>) { exit(3) }
    }
    let result = await #expect(
      processExitsWith: .exitCode(3), observing: [\.standardErrorContent]
    ) {
      dieAtHang()
      let suite = try Defaults.StoredSuite(ExitingStore())
      suite.set(1, forKey: "a")
      try await suite.flush()
    }
    let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(text.contains("Defaults: exiting: The store released the suite or exited the process"))
  }

  @Test("A store may release its suite while it loads")
  func droppingStore() async throws {
    await #expect(processExitsWith: .success) {
      dieAtHang()
      let store = DroppingStore()
      var suite: Defaults.StoredSuite? = try Defaults.StoredSuite(store, onIssue: { _ in })
      store.suite.withLock { [suite] in $0 = suite }
      suite = nil
      store.watchers.last?()
      var isOver = store.isOver.makeAsyncIterator()
      await isOver.next()
      #expect(store.suite.withLock { $0 == nil })
    }
  }

  @Test("A change of another program is applied while a transaction's body runs")
  func longTransaction() async throws {
    await #expect(processExitsWith: .success) {
      dieAtHang()
      let store = BellStore()
      let suite = try Defaults.StoredSuite(store, onIssue: { _ in })
      let (changes, observer) = AsyncStream.makeStream(of: Defaults.Change.self)
      let observation = suite.observe(["other"]) { observer.yield($0) }
      try suite.transaction { draft in
        if suite.entries.isEmpty {
          store.ringAndWait()
          // Returns when no thread uses the store, as at exit.
          try suite.persistence.flush(.durable)
          #expect(draft.entry(named: "other") == nil)
        }
      }
      var iterator = changes.makeAsyncIterator()
      let change = try #require(await iterator.next())
      #expect(change.source == .external)
      #expect(suite.entries == ["other": 1])
      observation.invalidate()
    }
  }
}

/// A store that owns its suite and releases it when it is loaded again.
private final class DroppingStore: Defaults.Store {
  let label = "dropping"
  let suite = Mutex<Defaults.StoredSuite?>(nil)
  let watchers = Log<@Sendable () -> Void>()
  let (isOver, report) = AsyncStream.makeStream(of: Void.self)

  func load() -> [String: Defaults.PropertyListValue] {
    guard suite.withLock({ $0 != nil }) else { return [:] }
    // Released outside the mutex.
    let last = suite.withLock { suite in
      defer { suite = nil }
      return suite
    }
    withExtendedLifetime(last) {}
    report.yield()
    return [:]
  }

  func save(_ entries: [String: Defaults.PropertyListValue], changed: Set<String>) {}

  func watch(_ handler: @escaping @Sendable () -> Void) { watchers.append(handler) }
}

/// A store that can't be saved before its second load, which has an entry of another program.
private final class BellStore: Defaults.Store {
  let label = "bell"
  private let loads = Log<Void>()
  private let watchers = Log<@Sendable () -> Void>()
  private let isLoading = DispatchSemaphore(value: 0)

  func load() -> [String: Defaults.PropertyListValue] {
    loads.append(())
    guard loads.count > 1 else { return [:] }
    isLoading.signal()
    return ["other": 1]
  }

  func save(_ entries: [String: Defaults.PropertyListValue], changed: Set<String>) throws {
    guard loads.count > 1 else { throw POSIXError(.EAGAIN) }
    for name in changed.sorted() {
      FileHandle.standardError.write(Data("saved \(name)\n".utf8))
    }
  }

  func watch(_ handler: @escaping @Sendable () -> Void) { watchers.append(handler) }

  /// Makes the suite load the store; returns when it does.
  func ringAndWait() {
    guard let watcher = watchers.last else { return }
    Thread.detachNewThread(watcher)
    isLoading.wait()
  }
}
