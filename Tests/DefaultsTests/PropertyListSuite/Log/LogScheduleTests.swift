import Testing

@testable import Defaults

/// Schedules of processes, kills and external writers in which a simpler log would lose a change or
/// restore an old one.
struct LogScheduleTests {
  private let start = LogState([:], of: .sample(0), version: .zero, id: 0)

  @Test("An export in progress during a compaction is known to the new log")
  func compactionDuringExport() {
    var state = start
    state.apply(.set("k", 1, 10))
    state.apply(.began(7))
    let (content, file) = (state.integers, LogRecord.FileIdentity.sample(100, content: ["k": 1]))
    state = state.compacted
    state.apply(.set("k", 2, 11))
    state.apply(.exported(7, file))
    #expect(state.mayPlace(7))
    #expect(state.opening(content, file) == ["k": 2])
  }

  @Test("An export that newer ones overtook never replaces the property list")
  func overtakenExport() {
    var state = start
    state.apply(.set("k", 1, 10))
    state.apply(.began(1))
    state.apply(.exported(1, .sample(101, content: ["k": 1])))
    #expect(state.mayPlace(1))
    for number in 2..<20 as Range<UInt64> {
      state.apply(.set("k", Int(number), 10 + number))
      state.apply(.began(number))
      #expect(!state.mayPlace(1))
      #expect(!state.mayPlace(number))
      state.apply(.exported(number, .sample(100 + number, content: ["k": Int(number)])))
      #expect(state.mayPlace(number))
    }
    // Not even if the log no longer has the export's beginning.
    state.apply(.exported(1, .sample(101, content: ["k": 1])))
    #expect(!state.mayPlace(1))
    #expect(state.integers == ["k": 19])
  }

  @Test("A first export that is killed before its rename isn't treated as a deleted property list")
  func killedFirstExport() {
    var state = LogState([:], of: nil, version: .zero, id: 0)
    state.apply(.set("k", 1, 10))
    state.apply(.began(1))
    state.apply(.exported(1, .sample(101, content: ["k": 1])))
    #expect(state.finding(nil) == .outdated)
    #expect(state.openingWithoutFile == ["k": 1])
    state.apply(.placed(1))
    #expect(state.openingWithoutFile == [:])
  }

  @Test("An edit based on the newer of two overlapping exports keeps later changes")
  func overlappingExports() {
    var state = start
    state.apply(.set("k", 1, 10))
    state.apply(.began(1))
    state.apply(.set("k", 2, 11))
    state.apply(.began(2))
    state.apply(.exported(2, .sample(102, content: ["k": 2])))
    state.apply(.placed(2))
    state.apply(.exported(1, .sample(101, content: ["k": 1])))
    state.apply(.set("k", 3, 12))
    #expect(!state.mayPlace(1))
    #expect(state.opening(["k": 2, "other": 5], .sample(500)) == ["k": 3, "other": 5])
  }

  @Test("A set is used although the clock of its process is behind")
  func clockBehind() {
    var state = start
    state.apply(.set("k", 1, 5_000))
    state.apply(.set("k", 2, 100))
    #expect(state.integers == ["k": 2])
    #expect(state.changesByName["k"]?.version == LogVersion(5_001))
  }

  @Test("Merged entries of equal versions give the same result in either order")
  func equalVersions() {
    let changes = [1, 2].map { number in
      LogRecord.JoinedChange(
        name: "k", edit: .set(.integer(Int64(number))), version: LogVersion(10),
        writer: UInt64(number))
    }
    var (first, second) = (start, start)
    first.apply(.joined(changes))
    second.apply(.joined(changes.reversed()))
    #expect(first.integers == ["k": 2])
    #expect(second.integers == ["k": 2])
  }

  @Test("A set in a deleted log is kept after the log that replaced it was compacted")
  func branchAndCompaction() {
    var state = start
    state.apply(.set("a", 1, 10))
    var stopped = state
    stopped.apply(.set("new", 7, 11))
    state = state.compacted
    state.apply(.set("b", 2, 20))
    state = state.compacted
    state.apply(.joined(stopped.missing(in: state)))
    #expect(state.integers == ["a": 1, "b": 2, "new": 7])
  }

  @Test("An edit that two processes merge is applied once")
  func mergedTwice() {
    var state = LogState(["k": 1].entries, of: .sample(0), version: .zero, id: 0)
    let file = LogRecord.FileIdentity.sample(9, content: ["k": 5])
    state.apply(.mergeBegan(1))
    state.apply(.mergeBegan(2))
    let second = state.mergeRecord(["k": 5].entries, file, id: 2, at: 0)
    state.applyMerge(["k": 5], file, id: 1)
    #expect(state.integers == ["k": 5])
    state.apply(.set("k", 9, 101))
    if let second { state.apply(LogRecord(writer: 2, version: LogVersion(102), content: second)) }
    #expect(state.integers == ["k": 9])
  }

  @Test("A set between the beginning and the end of a merge is known to the next merge")
  func setDuringMerge() {
    var state = LogState(["j": 0].entries, of: .sample(0), version: .zero, id: 0)
    state.apply(.mergeBegan(1))
    state.apply(.set("j", 1, 99))
    state.applyMerge(["j": 0, "k": 5], .sample(9, content: ["j": 0, "k": 5]), id: 1)
    #expect(state.integers == ["j": 1, "k": 5])
    // The editor saves again and changes only `other`.
    #expect(
      state.opening(["j": 0, "k": 5, "other": 3], .sample(10)) == ["j": 1, "k": 5, "other": 3])
  }

  @Test("An edit back to the value of an earlier export is applied")
  func reversion() {
    var state = start
    for (id, value) in [(1, 1), (2, 2)] as [(UInt64, Int)] {
      state.apply(.set("dark", value, 10 * id))
      state.apply(.began(id))
      state.apply(.exported(id, .sample(100 + id, content: ["dark": value])))
      state.apply(.placed(id))
    }
    #expect(state.opening(["dark": 1], .sample(9, content: ["dark": 1])) == ["dark": 1])
  }

  @Test("A copy of the newest export, from a restored folder, isn't treated as an edit")
  func restoredFolder() {
    var state = start
    state.apply(.set("k", 1, 10))
    state.apply(.began(1))
    state.apply(.exported(1, .sample(101, content: ["k": 1])))
    state.apply(.placed(1))
    state.apply(.set("k", 2, 11))
    let copy = LogRecord.FileIdentity.sample(900, content: ["k": 1])
    #expect(state.finding(copy) == .newest(id: 1))
    #expect(state.opening(["k": 1], copy) == ["k": 2])
  }
}
