import Testing

@testable import Defaults

struct LogStateTests {
  let start = LogState([:], of: nil, version: .zero, id: 0)

  @Test("Applying a record returns the changed names with their entries before and after")
  func effects() {
    var state = start
    state.apply(.set(["a": 1, "b": 2], 10))
    let changes = state.apply(.set(["a": 3, "b": 2, "c": nil], 11))
    #expect(changes == [.init(name: "a", old: 1, new: 3)])
  }

  @Test("The version of a set is newer than all previous ones, whatever the clock says")
  func versions() {
    #expect(LogVersion(clock: LogVersion(5), after: LogVersion(9)) == LogVersion(10))
    #expect(LogVersion(clock: LogVersion(50), after: LogVersion(9)) == LogVersion(50))
    #expect(LogVersion(clock: .limit, after: .limit) == .limit)
    #expect(LogVersion(clock: LogVersion(.max), after: .zero) == .limit)
  }

  @Test("A change by a clock that is behind is newer than an existing property list")
  func clockBehindFile() {
    let (file, clock) = (LogVersion(90), LogVersion(10))
    let content = ["a": Defaults.PropertyListValue.integer(1)]
    let behind = LogState(content, of: nil, version: clock, latest: file, id: 1)
    let change = LogRecord.JoinedChange(
      name: "a", edit: .set(.integer(2)),
      version: LogVersion(clock: clock, after: behind.horizon.latest), writer: 1)
    var ahead = LogState(content, of: nil, version: file, id: 1)
    let isNewer = ahead.isNewer(change)
    #expect(isNewer)
  }

  @Test("A merged entry has the time of its file; with a clock that is behind, it is the newest")
  func mergedVersion() {
    let difference = LogRecord.FileDifference(name: "k", edit: .set(.integer(2)), isEdited: true)
    func version(at now: UInt64, previous: Int? = nil) -> LogVersion? {
      var state = start
      if let previous { state.apply(.set("k", 1, UInt64(previous))) }
      state.apply(.set("a", 1, 50))
      let began = LogRecord.Content.mergeBegan(id: 9)
      let merged = LogRecord.Content.merged(id: 9, .sample(1), [difference])
      state.apply(LogRecord(writer: 5, version: LogVersion(now), content: began))
      state.apply(LogRecord(writer: 5, version: LogVersion(now + 10), content: merged))
      return state.changesByName["k"]?.version
    }
    // The file was saved after a second.
    #expect(version(at: 2_000_000) == LogVersion(1_000_000))
    #expect(version(at: 2_000_000, previous: 1_500_000) == LogVersion(1_500_001))
    #expect(version(at: 900_000) == LogVersion(900_010))
    #expect(version(at: 8) == LogVersion(51))
  }

  @Test("A checkpoint without its end, or with a missing part, is no complete log")
  func incompleteCheckpoint() {
    var state = start
    for index in 0..<9 { state.apply(.set("name \(index)", index, 10)) }
    let records = state.compactedRecords
    #expect(records.count > 3)
    #expect(LogState(replaying: records).isComplete)
    #expect(!LogState(replaying: records.dropLast()).isComplete)
    #expect(!LogState(replaying: records.dropFirst()).isComplete)
  }

  @Test("A checkpoint has the entries, the recent removals and the known files")
  func checkpoint() {
    var state = start
    state.apply(.set(["a": 1, "b": 2, "c": 3], 10))
    state.apply(.began(1, 11))
    state.apply(.exported(1, .sample(101)))
    state.apply(.placed(1))
    state.apply(.set(["b": nil, "c": 4], 12))
    state.apply(.began(2, 13))
    let compacted = state.compacted
    #expect(compacted == state)
    #expect(content(at: 0, of: compacted) == ["a": 1, "b": 2, "c": 3].entries)
    #expect(content(at: 1, of: compacted) == ["a": 1, "c": 4].entries)
  }

  /// The entries at the position of a version of the property list.
  private func content(at index: Int, of state: LogState) -> [String: PropertyListValue] {
    state.entries(at: index).reduce(into: state.values) { $0[$1.key] = $1.value.entry }
  }

  @Test("After a compaction, memory equals the state read from the new log, without old removals")
  func newLog() {
    let day: UInt64 = 86_400_000_000
    var old = start
    old.apply(.set(["a": 1, "b": 2, "c": 3], 10))
    old.apply(.began(1, 11))
    old.apply(.exported(1, .sample(101)))
    old.apply(.placed(1))
    old.apply(.set(["a": nil, "b": 4], 20))
    old.apply(.set("c", nil, 20 + day))
    old.noteDamage()
    old.apply(LogRecord(writer: 1, version: .zero, content: .doubt))
    old.apply(LogRecord(writer: 1, version: .zero, content: .abandoned))
    #expect(old.compacted == old.inNewLog)
    #expect(old.inNewLog.changesByName.keys.sorted() == ["b", "c"])
    #expect(old.inNewLog.horizon.discarded == LogVersion(20))
    // Records appended to the old log while the new one was written.
    let tail: [LogRecord] = [
      .set("a", 5, 30 + 2 * day), .set("b", nil, 31 + 2 * day), .began(2, 32 + 2 * day),
    ]
    var memory = old.inNewLog
    for record in tail { memory.apply(record) }
    #expect(LogState(replaying: old.compactedRecords + tail) == memory)
  }

  @Test("Only the last record of a log says that there was a next log")
  func abandoned() {
    var state = start
    state.apply(LogRecord(writer: 1, version: LogVersion(10), content: .abandoned))
    state.apply(LogRecord(writer: 1, version: LogVersion(10), content: .note(nil)))
    #expect(state.isAbandoned)
    state.apply(.set("a", 1, 11))
    #expect(!state.isAbandoned)
  }

  @Test("An exported file stays known though many exports begin before it is recorded as placed")
  func manyExports() {
    var state = start
    state.apply(.set("a", 1, 10))
    state.apply(.began(1, 11))
    state.apply(.exported(1, .sample(101)))
    for id in 2...60 { state.apply(.began(UInt64(id), 12)) }
    #expect(state.finding(.sample(101)) == .newest(id: 1))
    #expect(state.compacted.finding(.sample(101)) == .newest(id: 1))
    #expect(state.bases.count <= 17)
  }

  @Test("A removal is kept for a day, and an entry older than a discarded removal isn't merged")
  func removals() {
    let day: UInt64 = 86_400_000_000
    var old = start
    old.apply(.set("k", 1, 10))
    var state = old
    state.apply(.set("k", nil, 20))
    #expect(old.missing(in: state.compacted).isEmpty)
    state.apply(.set("other", 1, 20 + day))
    state = state.compacted
    #expect(state.changesByName.keys.sorted() == ["other"])
    #expect(old.missing(in: state).isEmpty)
    // A set after that removal isn't lost.
    old.apply(.set("late", 2, 21))
    #expect(old.missing(in: state).map(\.name) == ["late"])
  }

  @Test("Entries that damage lost, and that weren't set since, are recovered from a later export")
  func recovery() {
    var state = start
    state.apply(.set(["a": 1, "b": 1, "c": 1], 10))
    // Lost: a = 2, b = 2, d = 2.
    state.noteDamage()
    state.apply(.began(1, 30))
    state.apply(.exported(1, .sample(101)))
    state.apply(.placed(1))
    state.apply(.set("b", 3, 31))
    let content = ["a": 2, "b": 2, "c": 1, "d": 2].entries
    state.apply(.joined(state.recovering(content, of: 1)))
    #expect(state.integers == ["a": 2, "b": 3, "c": 1, "d": 2])
    #expect(state.recovering(content, of: 1).isEmpty)
  }

  @Test("Nothing is recovered from an export older than the damage")
  func noRecovery() {
    var state = start
    state.apply(.set("a", 1, 10))
    let export: [LogRecord] = [.began(1, 20), .exported(1, .sample(101)), .placed(1)]
    for record in export { state.apply(record) }
    state.noteDamage()
    state.apply(.set("b", 2, 30))
    #expect(state.recovering(["a": 9].entries, of: 1).isEmpty)
  }

  @Test("A deleted property list removes its entries and keeps newer ones")
  func deletion() {
    var state = start
    state.apply(.set(["a": 1, "b": 1], 10))
    state.apply(.began(1))
    state.apply(.exported(1, .sample(101)))
    state.apply(.placed(1))
    state.apply(.set("new", 2, 11))
    #expect(state.finding(nil) == .external)
    state.merge([:], nil, id: 2)
    #expect(state.integers == ["new": 2])
    // Only once: later sets stay.
    state.apply(.set("a", 3, 12))
    #expect(state.finding(nil) == .outdated)
    state.merge([:], nil, id: 3)
    #expect(state.integers == ["new": 2, "a": 3])
  }

  @Test("A deleted property list that was exported after damage removes its entries")
  func deletionAfterDamage() {
    var state = start
    state.apply(.set(["a": 1, "b": 1], 10))
    state.noteDamage()
    let records = [.began(1), .exported(1, .sample(101)), .placed(1), LogRecord.set("b", 2, 11)]
    for record in records { state.apply(record) }
    state.merge([:], nil, id: 2)
    #expect(state.integers == [:])
  }

  @Test("Entries that only an earlier file had help to find the version that an editor changed")
  func baseOfEdit() {
    var state = start
    state.apply(.set(["a": 1, "b": 1, "x": 1], 10))
    state.apply(.began(1))
    state.apply(.exported(1, .sample(101)))
    state.apply(.placed(1))
    state.apply(.set("x", nil, 11))
    // Two edits of files that still have "x", and between them an export, which hasn't.
    state.merge(["a": 2, "b": 1, "x": 1], .sample(102), id: 2)
    state.apply(.began(3))
    state.apply(.exported(3, .sample(103)))
    state.apply(.placed(3))
    state.merge(["a": 3, "b": 1, "c": 7, "x": 1], .sample(104), id: 4)
    #expect(state.integers == ["a": 3, "b": 1, "c": 7])
    // The first two versions, and with them the removal of "x", are forgotten.
    state.bases.removeFirst(2)
    state.apply(.mergeBegan(18))
    #expect(state.bases.map(\.id).prefix(2) == [3, 4])
    // An edit of the export, which had "a": 2 and no "x".
    state.applyMerge(["a": 2, "b": 1, "c": 7], .sample(105), id: 18)
    #expect(state.integers == ["a": 3, "b": 1, "c": 7])
  }

  @Test("An edit of an earlier file is found after many exports that failed")
  func failedExports() {
    var state = start
    state.apply(.set(["a": 1, "b": 1], 10))
    state.apply(.began(1))
    state.apply(.exported(1, .sample(101)))
    state.apply(.placed(1))
    state.apply(.set("a", 2, 11))
    state.apply(.began(2))
    state.apply(.exported(2, .sample(102)))
    state.apply(.placed(2))
    for id in 3...40 { state.apply(.began(UInt64(id))) }
    // A text editor read the first file before the second one replaced it.
    state.merge(["a": 1, "b": 5], .sample(103), id: 41)
    #expect(state.integers == ["a": 2, "b": 5])
  }

  @Test("Changes since the placed file stay known though the versions after it are forgotten")
  func forgottenVersions() throws {
    var state = start
    state.apply(.set(["a": 1, "b": 1], 10))
    state.apply(.began(1))
    state.apply(.exported(1, .sample(101)))
    state.apply(.placed(1))
    for id in 2...40 {
      state.apply(.began(UInt64(id)))
      state.apply(.set("a", id, 10 + UInt64(id)))
    }
    #expect(state.bases.map(\.id).prefix(2).last != 2)
    let placed = try #require(state.index(of: 1))
    #expect(content(at: placed, of: state) == ["a": 1, "b": 1].entries)
    // An edit of the placed file changes only what it differs in.
    state.merge(["a": 1, "b": 5], .sample(102), id: 41)
    #expect(state.integers == ["a": 40, "b": 5])
  }

  @Test("An export has all changes up to its beginning; a merged file isn't an export")
  func hasExport() {
    var state = start
    state.apply(.set("a", 1, 10))
    state.apply(.began(1, 20))
    state.apply(.exported(1, .sample(101)))
    #expect(!state.hasExport(since: LogVersion(20)))
    state.apply(.placed(1))
    #expect(state.hasExport(since: LogVersion(20)))
    #expect(!state.hasExport(since: LogVersion(21)))
    state.apply(
      LogRecord(writer: 1, version: LogVersion(30), content: .mergeBegan(id: 2)))
    state.applyMerge(["a": 2], .sample(102), id: 2, version: 30)
    #expect(state.integers == ["a": 2])
    #expect(!state.hasExport(since: LogVersion(21)))
  }

  @Test("The absence of a property list that was never there removes nothing")
  func neverPlaced() {
    var state = start
    state.apply(.set("a", 1, 10))
    state.merge([:], nil, id: 1)
    #expect(state.integers == ["a": 1])
  }

  @Test("A failed sync is recorded until the next log")
  func doubt() {
    var state = start
    state.apply(LogRecord(writer: 1, version: .zero, content: .doubt))
    #expect(state.isDoubted)
    #expect(!state.compacted.isDoubted)
  }
}
