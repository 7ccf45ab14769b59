import Defaults
import Foundation
import TestSupport
import Testing

/// Runs tasks on a queue, where they may block.
private final class QueueExecutor: TaskExecutor {
  private let queue = DispatchQueue(label: "tasks that block")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}

@Suite("Origins of changes", .prompt)
struct OriginTests {
  @Test("A change has the origin of its writer only", arguments: SuiteKind.allCases)
  func marks(kind: SuiteKind) async throws {
    let sample = try Sample(kind)
    let suite = sample.suite
    let key = makeKey(suite)
    let seen = Log<String?>()
    let observation = Defaults.observe(key) { seen.append($0.origin) }
    let changes = Log<String?>()
    let all = suite.observe(nil, options: [.prior]) { changes.append($0.origin) }
    Defaults[key] = 1
    try Defaults.withOrigin("sync") {
      Defaults[key] = 2
      try Defaults.withOrigin("inner") { try Defaults.update(key) { $0 += 1 } }
    }
    await Defaults.withOrigin("task") {
      await Task { Defaults[key] = 4 }.value
      await Task.detached { Defaults[key] = 5 }.value
    }
    #expect(seen.all == [nil, nil, "sync", "inner", "task", nil])
    #expect(changes.all == [nil, nil, "sync", "sync", "inner", "inner", "task", "task", nil, nil])
    observation.invalidate()
    all.invalidate()
  }

  @Test(
    "A handler's write has its own origin, not the origin of the change that it handles",
    arguments: SuiteKind.allCases)
  func handlers(kind: SuiteKind) throws {
    let sample = try Sample(kind)
    let key = makeKey(sample.suite)
    let seen = Log<[String]>()
    let observation = Defaults.observe(key, options: []) { change in
      seen.append(["\(change.newValue)", change.origin ?? "none"])
      if change.newValue == 1 { Defaults[key] = 2 }
      if change.newValue == 2 { Defaults.withOrigin("handler") { Defaults[key] = 3 } }
    }
    Defaults.withOrigin("sync") { Defaults[key] = 1 }
    #expect(seen.all == [["1", "sync"], ["2", "none"], ["3", "handler"]])
    observation.invalidate()
  }

  @Test("An initial event and a change of another program have no origin")
  func others() async throws {
    let rows = RowStore()
    let suite = try Defaults.StoredSuite(rows)
    let key = makeKey(suite)
    let stream = suite.changes()
    Defaults.withOrigin("sync") {
      let observation = Defaults.observe(key) { #expect($0.origin == nil) }
      observation.invalidate()
      rows.change { $0["x"] = 5 }
    }
    for await change in stream {
      #expect(change.source == .external)
      #expect(change.origin == nil)
      break
    }
  }

  /// Ends when `open` is called.
  private struct Gate {
    private let gate = AsyncStream.makeStream(of: Void.self)
    func open() { gate.continuation.finish() }
    func pass() async { for await _ in gate.stream {} }
  }

  @Test("The changes of a task that outlives the closure of withOrigin have no origin")
  func outliving() async {
    let suite = Defaults.MemorySuite()
    let key = makeKey(suite)
    let seen = Log<String?>()
    let observation = Defaults.observe(key, options: []) { seen.append($0.origin) }
    let (gate, asyncGate) = (Gate(), Gate())
    let task = Defaults.withOrigin("sync") {
      Task {
        await gate.pass()
        Defaults[key] = 1
      }
    }
    gate.open()
    await task.value
    let other = await Defaults.withOrigin("sync") {
      await Task.yield()
      return Task {
        await asyncGate.pass()
        Defaults[key] = 2
      }
    }
    asyncGate.open()
    await other.value
    #expect(seen.all == [nil, nil])
    observation.invalidate()
  }

  @Test("The innermost closure that still runs gives a task its origin")
  func nesting() async {
    let suite = Defaults.MemorySuite()
    let key = makeKey(suite)
    let seen = Log<String?>()
    let observation = Defaults.observe(key, options: []) { seen.append($0.origin) }
    let (inner, outer) = (Gate(), Gate())
    let task = await Defaults.withOrigin("outer") {
      let (changed, change) = AsyncStream.makeStream(of: Void.self)
      let task = Defaults.withOrigin("inner") {
        Task {
          await inner.pass()
          Defaults[key] = 1
          change.finish()
          await outer.pass()
          Defaults[key] = 2
          Defaults.withOrigin("own") { Defaults[key] = 3 }
        }
      }
      inner.open()
      for await _ in changed {}
      return task
    }
    outer.open()
    await task.value
    #expect(seen.all == ["outer", nil, "own"])
    observation.invalidate()
  }

  @Test("A transaction that outlives withOrigin and withoutPropagation is observed, with no origin")
  func commitAfterEnd() async throws {
    let suite = Defaults.MemorySuite()
    let key = makeKey(suite)
    let seen = Log<String?>()
    let observation = Defaults.observe(key, options: []) { seen.append($0.origin) }
    let (began, begin) = AsyncStream.makeStream(of: Void.self)
    let ended = DispatchSemaphore(value: 0)
    let task = await Defaults.withoutPropagation {
      await Defaults.withOrigin("sync") {
        // On a thread of its own, since it blocks.
        let task = Task(executorPreference: QueueExecutor()) {
          try suite.transaction { draft in
            draft[key] = 1
            begin.finish()
            ended.wait()
          }
        }
        for await _ in began {}
        return task
      }
    }
    ended.signal()
    try await task.value
    #expect(seen.all == [nil])
    observation.invalidate()
  }

  @Test("Threads, queues and detached tasks inherit neither withOrigin nor withoutPropagation")
  func threads() async {
    let suite = Defaults.MemorySuite()
    let key = makeKey(suite)
    let seen = Log<String?>()
    let observation = Defaults.observe(key, options: []) { seen.append($0.origin) }
    await Defaults.withoutPropagation {
      await Defaults.withOrigin("sync") {
        await withCheckedContinuation { done in
          Thread.detachNewThread {
            Defaults[key] = 1
            Defaults.withOrigin("thread") { Defaults[key] = 2 }
            done.resume()
          }
        }
        await withCheckedContinuation { done in
          DispatchQueue.global().async {
            Defaults[key] = 3
            Defaults.withOrigin("queue") { Defaults[key] = 4 }
            done.resume()
          }
        }
        await Task.detached {
          Defaults[key] = 5
          Defaults.withOrigin("detached") { Defaults[key] = 6 }
          Defaults.withoutPropagation { Defaults[key] = 7 }
        }.value
      }
    }
    #expect(seen.all == [nil, "thread", nil, "queue", nil, "detached"])
    observation.invalidate()
  }

  @Test("Tasks inherit withOrigin and withoutPropagation while the closure runs")
  func children() async {
    let suite = Defaults.MemorySuite()
    let key = makeKey(suite)
    let seen = Log<String?>()
    let observation = Defaults.observe(key, options: []) { seen.append($0.origin) }
    @Sendable func change() async {
      async let child: Void = { Defaults[key] += 1 }()
      await child
      await withTaskGroup { group in
        group.addTask { Defaults[key] += 1 }
      }
      await Task { Defaults[key] += 1 }.value
    }
    await Defaults.withOrigin("sync") { await change() }
    await Defaults.withoutPropagation { await change() }
    #expect(seen.all == ["sync", "sync", "sync"])
    #expect(Defaults[key] == 6)
    observation.invalidate()
  }

  @Test("Closures with an origin return results and rethrow errors")
  func results() async {
    #expect(Defaults.withOrigin("sync") { 1 } == 1)
    #expect(throws: CancellationError.self) {
      try Defaults.withOrigin("sync") { throw CancellationError() }
    }
    await #expect(throws: CancellationError.self) {
      try await Defaults.withOrigin("sync") {
        await Task.yield()
        throw CancellationError()
      }
    }
  }

  @Test("Notifications posted to the center have names and origin")
  func notifications() {
    let name = Defaults.didChangeNotification
    let suite = Defaults.MemorySuite(label: "origins")
    let posted = Log<[String]>()
    let token = NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) {
      guard $0.userInfo?[Defaults.suiteLabelKey] as? String == "origins" else { return }
      let names = $0.userInfo?[Defaults.changedNamesKey] as? [String] ?? []
      posted.append(names + [$0.userInfo?[Defaults.originKey] as? String ?? "none"])
    }
    defer { NotificationCenter.default.removeObserver(token) }
    Defaults.withOrigin("sync") { suite.set(1, forKey: "x") }
    suite.set(2, forKey: "x")
    #expect(posted.all == [["x", "sync"], ["x", "none"]])
  }

  @Test("didChangeNotification isn't posted before its name is first used")
  func noNotifications() async {
    await #expect(processExitsWith: .success) {
      let posted = Log<Int>()
      let token = NotificationCenter.default.addObserver(
        forName: Notification.Name("Defaults.didChangeNotification"), object: nil, queue: nil
      ) { _ in posted.append(1) }
      let suite = Defaults.MemorySuite()
      suite.set(1, forKey: "x")
      #expect(posted.count == 0)
      _ = Defaults.didChangeNotification
      suite.set(2, forKey: "x")
      #expect(posted.count == 1)
      NotificationCenter.default.removeObserver(token)
    }
  }

  private func makeKey(_ suite: any Defaults.Suite) -> Defaults.Key<Int> {
    func make(_ suite: some Defaults.Suite) -> Defaults.Key<Int> {
      Defaults.Key("x", default: 0, suite: suite)
    }
    return make(suite)
  }
}
