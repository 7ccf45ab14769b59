import Testing

@testable import Defaults

@Suite("What waits in memory")
struct BacklogTests {
  @Test("What takes a waiting entry's place is as new, though it was asked for earlier")
  func takesPlace() {
    var backlog = Backlog()
    backlog.add("n", filed: .remove, .set(at: 20))
    backlog.add("n", filed: .set(1), .set(at: 10))
    #expect(backlog.mark(of: "n") == 20)
    #expect(backlog.filed("n") == .remove)
    #expect(backlog.outlasts("n", mark: 15, lostPosition: nil))
    #expect(!backlog.outlasts("n", mark: 21, lostPosition: nil))
    backlog.add("n", filed: .remove, .set(at: 30))
    #expect(backlog.mark(of: "n") == 30)
  }

  @Test("What was set goes over what was lost, and of that the later one counts")
  func lost() {
    var backlog = Backlog()
    backlog.add("n", filed: .remove, .lost(position: 100))
    #expect(backlog.mark(of: "n") == nil)
    #expect(backlog.outlasts("n", mark: 0, lostPosition: 99))
    #expect(!backlog.outlasts("n", mark: 0, lostPosition: 100))
    #expect(!backlog.outlasts("n", mark: 1, lostPosition: nil))
    backlog.add("n", filed: .remove, .set(at: 5))
    #expect(backlog.outlasts("n", mark: 0, lostPosition: 200))
    #expect(backlog.outlasts("n", mark: 5, lostPosition: nil))
    #expect(!backlog.outlasts("other", mark: 0, lostPosition: nil))
  }

  @Test("What was lost is stored first, and each with its time or place")
  func batches() {
    var backlog = Backlog()
    #expect(backlog.batches.isEmpty)
    backlog.add("set", filed: .remove, .set(at: 5))
    backlog.add("lost", filed: .remove, .lost(position: 0))
    let batches = backlog.batches
    #expect(batches.map(\.kind) == [.restored, .changes])
    #expect(batches.map { $0.names.map(\.name) } == [["lost"], ["set"]])
    #expect(batches.map { $0.names.map(\.mark) } == [[1], [5]])
    backlog.remove("set")
    #expect(backlog.batches.map(\.kind) == [.restored])
  }
}
