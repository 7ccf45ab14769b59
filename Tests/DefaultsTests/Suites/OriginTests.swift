import Defaults
import Foundation
import Testing

@Suite("Origins of changes")
struct OriginTests {
  @Test("A change carries the mark of its writer, and only that", arguments: SuiteKind.allCases)
  func marks(kind: SuiteKind) async throws {
    let sample = try Sample(kind)
    let suite = sample.suite
    let key = makeKey(suite)
    let seen = Log<Defaults.Origin?>()
    let observation = Defaults.observe(key) { seen.append($0.origin) }
    let changes = Log<Defaults.Origin?>()
    let all = suite.observe(nil, options: [.prior]) { changes.append($0.origin) }
    Defaults[key] = 1
    Defaults.withOrigin("sync") {
      Defaults[key] = 2
      Defaults.withOrigin("inner") { Defaults.update(key) { $0 += 1 } }
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

  @Test("What a handler writes has its own mark, not its trigger's", arguments: SuiteKind.allCases)
  func handlers(kind: SuiteKind) throws {
    let sample = try Sample(kind)
    let key = makeKey(sample.suite)
    let seen = Log<[String]>()
    let observation = Defaults.observe(key, options: []) { change in
      seen.append(["\(change.newValue)", change.origin?.rawValue ?? "none"])
      if change.newValue == 1 { Defaults[key] = 2 }
      if change.newValue == 2 { Defaults.withOrigin("handler") { Defaults[key] = 3 } }
    }
    Defaults.withOrigin("sync") { Defaults[key] = 1 }
    #expect(seen.all == [["1", "sync"], ["2", "none"], ["3", "handler"]])
    observation.invalidate()
  }

  @Test("An initial event and a change of another program have no mark")
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

  @Test("Results and errors are passed on")
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

  @Test("Posts to the notification center carry names and origin")
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

  @Test("Nothing is posted to the notification center before somebody asks for the name")
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
