import Foundation
import Testing

@testable import Defaults

// Equal versions, and the numbers of versions, removals and entries.

extension LogStateTests {
  @Test("A change is newer than a file by its version, unless only the version is after now")
  func changesAfterFile() {
    // The file was saved after a second.
    let versions = [
      "old": LogVersion(900_000), "same": LogVersion(1_000_000), "new": LogVersion(1_100_000),
    ]
    func names(at now: UInt64) -> Set<String> { versions.names(after: .sample(1), now: now) }
    #expect(names(at: 1_200_000) == ["new"])
    #expect(names(at: 1_100_000) == ["new"])
    #expect(names(at: 1_050_000) == [])
    #expect(names(at: 1_000_000) == [])
    #expect(names(at: 950_000) == ["new"])
  }

  @Test(
    "A merge has its file's time only if its version is later than a clock that is behind gives")
  func timeOfMerge() {
    let difference = LogRecord.FileDifference(name: "k", edit: .set(.integer(2)), isEdited: true)
    for (version, expected) in [(3_000_002, 3_000_002), (3_000_003, 1_000_000)]
      as [(UInt64, UInt64)]
    {
      var state = start
      state.apply(.set("a", 1, 3_000_000))
      state.apply(
        LogRecord(writer: 5, version: LogVersion(3_000_001), content: .mergeBegan(id: 9)))
      // The file was saved after a second.
      state.apply(
        LogRecord(
          writer: 5, version: LogVersion(version),
          content: .merged(id: 9, .sample(1), [difference])))
      #expect(state.changesByName["k"]?.version == LogVersion(expected))
    }
  }

  @Test("A change is newer neither than itself nor than a discarded removal of its time")
  func equalVersions() {
    var old = start
    old.apply(.set("same", 1, 20))
    #expect(old.missing(in: old).isEmpty)
    var state = start
    state.apply(.set("k", nil, 20))
    state.apply(.set("other", 1, 20 + 86_400_000_000))
    state = state.compacted
    #expect(state.horizon.discarded == LogVersion(20))
    #expect(old.missing(in: state).isEmpty)
  }

  @Test("Exports that may be in place stay known, however many there are")
  func unplacedExports() {
    var state = start
    state.apply(.set("a", 1, 10))
    for id in 1...20 as ClosedRange<UInt64> {
      state.apply(.began(id, 10 + id))
      state.apply(.exported(id, .sample(100 + id, content: ["a": Int(id)])))
    }
    #expect(state.bases.count == 20)
    #expect(state.finding(.sample(101, content: ["a": 1])) == .newest(id: 1))
  }

  @Test("A file that differs equally from two versions is an edit of the newer one")
  func equalDistance() {
    var state = start
    for (id, value) in [(1, 1), (2, 2)] as [(UInt64, Int)] {
      let content = ["a": value, "b": value]
      state.apply(.set(content, 10 * id))
      state.apply(.began(id))
      state.apply(.exported(id, .sample(100 + id, content: content)))
      state.apply(.placed(id))
    }
    let edited = ["a": 1, "b": 2]
    #expect(state.opening(edited, .sample(9, content: edited)) == edited)
  }

  /// Their differences have at most 1,000 names in all, unless there are only four.
  @Test(
    "A log knows the last 16 versions of the property list, or at least four if these differ much",
    arguments: [(1, 16), (143, 7), (200, 6), (2_000, 4)])
  func knownVersions(names: Int, kept: Int) {
    var state = start
    for id in 1...30 as ClosedRange<UInt64> {
      state.apply(.began(id, 10 * id))
      state.apply(.exported(id, .sample(100 + id)))
      state.apply(.placed(id))
      var values: [String: Int?] = [:]
      for name in 0..<names { values["\(name)"] = .some(Int(id)) }
      state.apply(.set(values, 0))
    }
    #expect(state.bases.map(\.id) == Array((1...30 as ClosedRange<UInt64>).suffix(kept)))
  }

  @Test("A log knows fewer versions of the property list if these differ in many bytes")
  func largeVersions() {
    var state = start
    for id in 1...10 as ClosedRange<UInt64> {
      state.apply(.began(id, 10 * id))
      state.apply(.exported(id, .sample(100 + id)))
      state.apply(.placed(id))
      let value = Defaults.PropertyListValue.data(Data(repeating: UInt8(id), count: 6 << 20))
      let change = LogRecord.Change(name: "large", edit: .set(value))
      state.apply(LogRecord(writer: 1, version: .zero, content: .set([change])))
    }
    // Two old values are at most 16 MiB, and three are more.
    #expect(state.bases.map(\.id) == [8, 9, 10])
  }

  @Test("A new log keeps the latest removals whose names have a mebibyte")
  func longNames() {
    var state = start
    for number in 10..<30 as Range<UInt64> {
      let name = String(repeating: "x", count: 1 << 16 - 2) + "\(number)"
      state.apply(.set(name, nil, number))
    }
    let new = state.inNewLog
    #expect(new.changesByName.count == 16)
    #expect(new.horizon.discarded == LogVersion(13))
  }

  @Test("A new log keeps the latest 10,000 removals", arguments: [10_000, 10_001])
  func manyRemovals(count: Int) {
    var state = start
    for number in 1...count { state.apply(.set("\(number)", nil, UInt64(number))) }
    let new = state.inNewLog
    #expect(new.changesByName.count == 10_000)
    #expect(new.horizon.discarded == LogVersion(UInt64(count - 10_000)))
  }

  @Test("Each part of a checkpoint has as many entries and removals as fit")
  func parts() {
    func counts(_ values: [String: Int?], partSize: Int) -> [Int] {
      var state = start
      state.apply(.set(values, 10))
      return state.checkpoint(partSize: partSize).compactMap { part -> Int? in
        if case .entries(let changes) = part { changes.count } else { nil }
      }
    }
    // A name of one byte, and a number of nine or none.
    #expect(counts(["a": 1, "b": 2, "c": 3, "d": 4], partSize: 20) == [2, 2])
    #expect(counts(["a": nil, "b": nil, "c": nil, "d": nil], partSize: 2) == [2, 2])
  }

  @Test("Of a forged log, 1,000 versions of the property list are read")
  func forgedVersions() {
    let records = (0..<1_001 as Range<UInt64>).map {
      LogRecord(
        writer: 0, version: .zero, content: .checkpoint(.base(.init(id: $0, version: .zero))))
    }
    #expect(LogState(replaying: records).bases.count == 1_000)
  }

  @Test("Entries of a file belong to no writer, so that other changes of their time replace them")
  func writersOfFiles() {
    let state = LogState(["a": 1].entries, of: nil, version: LogVersion(5), id: 1)
    #expect(state.changesByName["a"]?.writer == 0)
    var damaged = start
    damaged.noteDamage()
    for record in [.began(1, 30), .exported(1, .sample(101)), .placed(1)] as [LogRecord] {
      damaged.apply(record)
    }
    #expect(damaged.recovering(["a": 2].entries, of: 1).map(\.writer) == [0])
  }

  @Test("A state that joins another one continues with the later version of both")
  func joinedVersion() {
    var (state, other) = (start, start)
    state.apply(.set("a", 1, 10))
    // A version without a change.
    other.apply(.began(1, 50))
    #expect(state.join(other).isEmpty)
    #expect(state.horizon.latest == LogVersion(50))
  }

  @Test("The file of an export that another one has overtaken doesn't become known")
  func overtakenExport() {
    var state = start
    for record in [.began(1, 11), .began(2, 12), .exported(1, .sample(101))] as [LogRecord] {
      state.apply(record)
    }
    #expect(state.bases.suffix(2).map(\.file) == [nil, nil])
    state.apply(.exported(2, .sample(102)))
    #expect(state.bases.last?.file == .sample(102))
  }
}
