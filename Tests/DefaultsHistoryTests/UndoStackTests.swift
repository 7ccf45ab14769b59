import Defaults
import DefaultsLayers
import DefaultsTesting
import Synchronization
import TestSupport
import Testing

@testable import DefaultsHistory

@Suite("Undo stacks")
struct UndoStackTests {
  private static let volume = Defaults.Key("volume", default: 5)
  private static let theme = Defaults.Key<String?>("theme")

  private let suite = Defaults.MemorySuite()

  @Test("Undo and redo restore the values of transactions one by one")
  func order() throws {
    suite[Self.volume] = 6
    let stack = Defaults.UndoStack(suite)
    #expect(!stack.canUndo && !stack.canRedo)
    try stack.undo()
    try stack.redo()
    suite[Self.volume] = 7
    try suite.transaction { draft in
      draft[Self.volume] = 8
      draft[Self.theme] = "dark"
    }
    try stack.undo()
    #expect(suite[Self.volume] == 7 && suite[Self.theme] == nil)
    #expect(stack.canUndo && stack.canRedo)
    try stack.undo()
    #expect(suite[Self.volume] == 6 && !stack.canUndo)
    try stack.redo()
    try stack.redo()
    #expect(suite[Self.volume] == 8 && suite[Self.theme] == "dark")
    #expect(stack.canUndo && !stack.canRedo)
  }

  @Test("A value that the first read generates isn't undone, and doesn't prevent a redo")
  func generatedValue() throws {
    let id = Defaults.Key("id", suite: suite, .generatedOnce) { "generated" }
    let stack = Defaults.UndoStack(suite)
    suite[Self.volume] = 7
    try stack.undo()
    #expect(suite[id] == "generated" && suite.contains("id"))
    try stack.redo()
    #expect(suite[Self.volume] == 7)
    try stack.undo()
    #expect(suite[Self.volume] == 5 && suite.contains("id") && !stack.canUndo)
  }

  @Test("If an undo or redo fails after another thread's change, the steps keep their order")
  func failure() throws {
    func change(
      _ name: String, _ old: Int64, _ new: Int64, origin: String = "program"
    ) -> Defaults.Change {
      Defaults.withOrigin(origin) {
        let entry = Defaults.Change.Entry(old: .integer(old), new: .integer(new))
        return Defaults.Change([name: entry], source: .local)
      }
    }
    var steps = UndoSteps()
    steps.record(change("a", 0, 1), 100)
    let first = steps.begin(.undo)
    let undone = try #require(first)
    steps.record(change("b", 0, 1), 100)
    steps.fail(.undo, undone, keepsStep: true)
    #expect(steps.undo.flatMap(\.entries.keys) == ["a", "b"])
    _ = steps.begin(.undo)
    steps.record(change("b", 1, 0, origin: "undo"), 100)
    let second = steps.begin(.redo)
    let redone = try #require(second)
    steps.record(change("c", 0, 1), 100)
    steps.fail(.redo, redone, keepsStep: true)
    #expect(steps.undo.flatMap(\.entries.keys) == ["a", "c"] && steps.redo.isEmpty)
  }

  @Test("After a new change, an undo stack has nothing to redo")
  func newChange() throws {
    let stack = Defaults.UndoStack(suite)
    suite[Self.volume] = 7
    try stack.undo()
    suite[Self.theme] = "dark"
    #expect(!stack.canRedo)
    try stack.undo()
    #expect(suite.entries.isEmpty)
    stack.removeAll()
    #expect(!stack.canUndo && !stack.canRedo)
  }

  @Test("Discarding all transactions in a handler also discards an undo that it made before")
  func discardedUndo() throws {
    let stack = Defaults.UndoStack(suite)
    let isDone = Atomic(false)
    let observation = suite.observe(["theme"]) { _ in
      if isDone.exchange(true, ordering: .relaxed) { return }
      #expect(throws: Never.self) { try stack.undo() }
      stack.removeAll()
    }
    suite[Self.volume] = 7
    suite[Self.theme] = "dark"
    // The handler's undo.
    #expect(suite[Self.theme] == nil)
    #expect(!stack.canUndo && !stack.canRedo)
    observation.invalidate()
  }

  @Test(
    "An undo after a later change throws with the setting's name, and drops the transaction")
  func laterChange() throws {
    let stack = Defaults.UndoStack(suite) { $0.origin != "sync" }
    suite[Self.theme] = "light"
    try suite.transaction { draft in
      draft[Self.volume] = 7
      draft[Self.theme] = "dark"
    }
    Defaults.withOrigin("sync") { suite[Self.volume] = 9 }
    let error = #expect(throws: Defaults.SuiteError.self) { try stack.undo() }
    #expect(error?.code == .changedSince && error?.key == "volume")
    #expect(
      error?.description
        == #"memory: "volume": Nothing was undone, because of a later change of "volume""#)
    #expect(suite[Self.volume] == 9 && suite[Self.theme] == "dark")
    // The next one's setting was changed by the dropped transaction.
    #expect(throws: Defaults.SuiteError.self) { try stack.undo() }
    #expect(!stack.canUndo && suite[Self.theme] == "dark")
  }

  @Test("An undo restores the old value if another program changed the setting and changed it back")
  func setBack() throws {
    let stack = Defaults.UndoStack(suite) { $0.origin == nil }
    suite[Self.volume] = 7
    Defaults.withOrigin("sync") {
      suite[Self.volume] = 9
      suite[Self.volume] = 7
    }
    try stack.undo()
    #expect(suite[Self.volume] == 5)
  }

  @Test("A redo after a later change throws and changes nothing")
  func laterThanUndo() throws {
    let stack = Defaults.UndoStack(suite) { $0.origin == nil }
    suite[Self.volume] = 7
    try stack.undo()
    Defaults.withOrigin("sync") { suite[Self.volume] = 9 }
    #expect(stack.canRedo)
    #expect(throws: Defaults.SuiteError.self) { try stack.redo() }
    #expect(suite[Self.volume] == 9 && !stack.canRedo)
  }

  @Test("An undo stack drops the oldest transactions beyond its limit")
  func limit() throws {
    let stack = Defaults.UndoStack(suite, limit: 2)
    for value in 1...4 { suite[Self.volume] = value }
    while stack.canUndo { try stack.undo() }
    #expect(suite[Self.volume] == 2)
  }

  @Test("An undo stack with a limit of zero or less records nothing", arguments: [0, -1])
  func noLimit(limit: Int) {
    let suite = Defaults.MemorySuite()
    let stack = Defaults.UndoStack(suite, limit: limit)
    suite.set(1, forKey: "a")
    #expect(!stack.canUndo)
  }

  @Test("An undo is observed as a local change with the origin undo, and a redo likewise")
  func observation() throws {
    let log = Log<String>()
    let observation = suite.observe(nil) { change in
      log.append("\(change) \(change.origin ?? "-")")
    }
    let stack = Defaults.UndoStack(suite)
    suite[Self.volume] = 7
    try stack.undo()
    try stack.redo()
    observation.invalidate()
    #expect(
      log.all == ["volume: none -> 7 -", "volume: 7 -> none undo", "volume: none -> 7 redo"])
  }

  @Test(
    "An undo stack records changes in withoutPropagation, and can undo them in withoutPropagation")
  func silent() throws {
    let stack = Defaults.UndoStack(suite)
    Defaults.withoutPropagation { suite[Self.volume] = 7 }
    try Defaults.withoutPropagation { try stack.undo() }
    #expect(suite[Self.volume] == 5 && stack.canRedo)
  }

  @Test("Two undo stacks of different origins on one suite undo only their own changes")
  func origins() throws {
    let user = Defaults.UndoStack(suite) { $0.origin == nil }
    let sync = Defaults.UndoStack(suite) { $0.origin == "sync" }
    suite[Self.volume] = 7
    Defaults.withOrigin("sync") { suite[Self.theme] = "dark" }
    try user.undo()
    #expect(suite[Self.volume] == 5 && suite[Self.theme] == "dark")
    try sync.undo()
    #expect(suite.entries.isEmpty)
    try user.redo()
    #expect(suite[Self.volume] == 7 && sync.canRedo && !sync.canUndo)
  }

  @Test("An undo in a suite of layers restores the writable layer")
  func layers() throws {
    let layered = try Defaults.LayeredSuite(
      .writable(suite), .values(["volume": 1], name: "program"))
    let stack = Defaults.UndoStack(layered)
    layered[Self.volume] = 7
    #expect(layered[Self.volume] == 7)
    try stack.undo()
    #expect(suite.entries.isEmpty && layered[Self.volume] == 1)
    try stack.redo()
    #expect(layered[Self.volume] == 7)
  }

  @Test("An undo stack that is released ends its observation")
  func release() throws {
    var stack: Defaults.UndoStack? = Defaults.UndoStack(suite)
    weak let observed = stack
    suite[Self.volume] = 7
    #expect(stack?.canUndo == true)
    stack = nil
    #expect(observed == nil)
    suite[Self.volume] = 8
  }

  @Test("An undo in a handler of the same suite takes effect, and can be redone afterwards")
  func handler() throws {
    let stack = Defaults.UndoStack(suite)
    let canRedo = Log<Bool>()
    let observation = suite.observe(["volume"]) { [suite] change in
      guard change.entries["volume"]?.new == 11 else { return }
      try? stack.undo()
      #expect(suite[Self.volume] == 5)
      canRedo.append(stack.canRedo)
    }
    suite[Self.volume] = 11
    observation.invalidate()
    #expect(canRedo.all == [false] && stack.canRedo && !stack.canUndo)
  }
}
