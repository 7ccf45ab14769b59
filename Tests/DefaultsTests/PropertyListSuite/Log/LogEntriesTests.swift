import Testing

@testable import Defaults

@Suite("The entries of a log and their stamps")
struct LogEntriesTests {
  private typealias Change = LogRecord.JoinedChange

  private func change(_ name: String, _ value: Int64?, _ version: UInt64) -> Change {
    Change(
      name: name, edit: value.map { .set(.integer($0)) } ?? .remove, version: LogVersion(version),
      writer: version % 3)
  }

  /// Applies changes, and returns the last change of each name.
  private func fold(_ changes: [Change], into entries: inout LogEntries) -> [String: Change] {
    var last: [String: Change] = [:]
    for change in changes {
      entries.apply(change)
      last[change.name] = change
    }
    return last
  }

  @Test("The names that changed after a version don't include those that changed at that version")
  func namesAfterVersion() {
    var state = LogState([:], of: nil, version: .zero, id: 0)
    state.apply(.set("a", 1, 10))
    state.apply(.set("b", 1, 11))
    let names = [9, 10, 11].map { state.names(after: LogVersion($0)) }
    #expect(names == [["a", "b"], ["b"], []])
  }

  @Test(
    "The stamp of a name is the stamp of its last change", arguments: [1, 2, 8, 9, 10, 1_000])
  func lastStamp(names: UInt64) {
    var entries = LogEntries(.none, version: .zero, writer: 0)
    // Names repeat at different distances, and each seventh change is a removal.
    let made = (1...3_000 as ClosedRange<UInt64>).map { version in
      change(
        "name \((version * version / 5) % names)", version % 7 == 0 ? nil : Int64(version), version)
    }
    let last = fold(made, into: &entries)
    #expect(entries.changesByName == last)
    for (name, change) in last {
      let found = entries[name]
      #expect(found == change)
    }
    let removals = entries.removals
    #expect(removals == last.filter { $0.value.edit == .remove }.mapValues(\.version))
  }

  @Test("More changes than the entries keep apart have the stamps of their last changes")
  func many() {
    var entries = LogEntries(.none, version: .zero, writer: 0)
    let made = (1...40_000 as ClosedRange<UInt64>).map { change("\($0 % 17_000)", 1, $0) }
    let last = fold(made, into: &entries)
    #expect(entries.changesByName == last)
  }

  @Test("An entry that is changed again at the common time has the common stamp")
  func commonAgain() {
    var entries = LogEntries(Entries(["a": 1, "b": 2]), version: LogVersion(3), writer: 0)
    let last = fold([change("a", 5, 4), change("b", nil, 5)], into: &entries)
    #expect(entries.changesByName == last)
    let again = fold([change("a", 6, 3), change("b", 7, 3)], into: &entries)
    #expect(entries.changesByName == again)
    let removals = entries.removals
    #expect(removals.isEmpty)
  }

  @Test("A removal at the common time stays known")
  func commonRemoval() {
    var entries = LogEntries(Entries(["a": 1, "b": 2]), version: LogVersion(3), writer: 0)
    let removal = change("a", nil, 3)
    entries.apply(removal)
    let (found, removals) = (entries["a"], entries.removals)
    #expect(found == removal)
    #expect(removals == ["a": LogVersion(3)])
    entries.forget(removalOf: "a")
    let forgotten = entries["a"]
    #expect(forgotten == nil)
  }

  @Test("Entries are equal if all stamps are, whether these were read or not")
  func equality() {
    var (one, other) = (
      LogEntries(.none, version: .zero, writer: 0), LogEntries(.none, version: .zero, writer: 0)
    )
    let made = (1...20 as ClosedRange<UInt64>).map { change("\($0 % 12)", Int64($0), $0) }
    _ = fold(made, into: &one)
    _ = fold(made, into: &other)
    _ = one.removals
    #expect(one == other)
    other.apply(change("3", 15, 99))
    #expect(one != other)
  }
}
