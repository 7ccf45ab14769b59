import Testing

@testable import StressTests

@Suite("History checker")
struct HistoryCheckerTests {
  private typealias Operation = HistoryOperation
  private typealias Event = ObservedEvents.Event

  /// The violations in operations on one setting.
  private func found(
    _ operations: [HistoryOperation], stored: Int, setsMayWait: Bool = false,
    isRewound: Bool = false
  ) -> Set<HistoryViolation.Kind> {
    kinds(
      History(
        operations: operations, stored: [0: stored], setsMayWait: setsMayWait,
        isRewound: isRewound))
  }

  private func kinds(_ history: History) -> Set<HistoryViolation.Kind> {
    Set(HistoryChecker.violations(in: history).map(\.kind))
  }

  private func swap(
    _ old: Int, _ new: Int, _ time: ClosedRange<Int>, by process: Int = 0
  ) -> HistoryOperation {
    Operation(
      kind: .swap, process: process, old: old, new: new, second: old, start: time.lowerBound,
      end: time.upperBound)
  }

  private func set(
    _ new: Int, _ time: ClosedRange<Int>, by process: Int = 0
  ) -> HistoryOperation {
    Operation(
      kind: new == 0 ? .remove : .set, process: process, new: new, start: time.lowerBound,
      end: time.upperBound)
  }

  private func read(
    _ value: Int, _ time: ClosedRange<Int>, by process: Int = 0
  ) -> HistoryOperation {
    Operation(
      kind: .read, process: process, old: value, second: value, start: time.lowerBound,
      end: time.upperBound)
  }

  private func flush(_ time: ClosedRange<Int>, by process: Int = 0) -> HistoryOperation {
    Operation(kind: .flush, process: process, start: time.lowerBound, end: time.upperBound)
  }

  @Test("The history checker accepts possible histories")
  func sound() {
    let operations = [
      swap(0, 1, 1...4), swap(1, 2, 2...9, by: 1), swap(2, 3, 5...8), read(1, 5...6, by: 1),
      read(3, 9...10), read(3, 10...11, by: 1),
    ]
    #expect(found(operations, stored: 3) == [])
    let mixed = [
      set(1, 1...9), swap(0, 2, 2...8, by: 1), swap(1, 3, 10...12), set(0, 11...14, by: 1),
      swap(0, 4, 15...16), set(5, 17...20), set(6, 18...19, by: 1), read(6, 21...22),
    ]
    #expect(found(mixed, stored: 6) == [])
    #expect(found(mixed + [read(5, 23...24)], stored: 5) == [])
  }

  @Test("The history checker finds a lost update")
  func lostUpdate() {
    let chain = [swap(0, 1, 1...2), swap(1, 2, 3...6), swap(1, 3, 4...7, by: 1)]
    #expect(found(chain, stored: 3).isSuperset(of: [.lostUpdate, .brokenChain]))
    #expect(found(chain + [set(4, 8...9)], stored: 4) == [.lostUpdate])
  }

  @Test("The history checker finds a second update from no value")
  func secondBeginning() {
    #expect(
      found([swap(0, 1, 1...2), swap(0, 2, 3...4, by: 1)], stored: 2)
        .isSuperset(of: [.lostUpdate, .brokenChain, .wrongEnd]))
    let removed = [swap(0, 1, 1...2), set(0, 3...4), swap(0, 2, 5...6, by: 1)]
    #expect(found(removed, stored: 2) == [])
  }

  @Test("The history checker finds operations before their cause")
  func order() {
    #expect(found([swap(0, 1, 5...6), swap(1, 2, 1...2, by: 1)], stored: 2).contains(.order))
    #expect(found([swap(0, 1, 5...6), read(1, 1...2, by: 1)], stored: 1) == [.invented])
  }

  @Test("The history checker finds a read-modify-write of a replaced value")
  func stale() {
    let operations = [set(1, 1...2), set(2, 3...4, by: 1), swap(1, 3, 5...6)]
    #expect(found(operations, stored: 3) == [.stale])
    let removed = [set(1, 1...2), set(0, 3...4, by: 1), swap(1, 3, 5...6)]
    #expect(found(removed, stored: 3) == [.stale])
    let nothing = [set(0, 1...2), set(1, 3...4, by: 1), swap(0, 3, 5...6)]
    #expect(found(nothing, stored: 3) == [.stale])
  }

  @Test("The history checker finds a read after a refresh that lacks an earlier change")
  func staleRead() {
    func fresh(_ value: Int, _ time: ClosedRange<Int>) -> HistoryOperation {
      var read = read(value, time, by: 2)
      read.isFresh = true
      return read
    }
    let histories = [
      [swap(0, 1, 1...2), swap(1, 2, 3...5)], [set(1, 1...2), set(2, 3...5, by: 1)],
    ]
    for history in histories {
      for value in 0...2 {
        #expect(found(history + [fresh(value, 6...7)], stored: 2) == (value == 2 ? [] : [.stale]))
        #expect(found(history + [fresh(value, 5...7)], stored: 2) == (value == 0 ? [.stale] : []))
      }
    }
  }

  @Test("The history checker finds an old value stored at the end")
  func wrongEnd() {
    #expect(found([set(1, 1...2), set(2, 3...4, by: 1)], stored: 1) == [.wrongEnd])
    #expect(found([set(1, 1...2)], stored: 0) == [.wrongEnd])
    #expect(found([swap(0, 1, 1...2)], stored: 0) == [.wrongEnd])
  }

  @Test("The history checker finds a process that reads an old value after a newer one")
  func backwards() {
    let chain = [
      swap(0, 1, 1...2), swap(1, 2, 3...4), read(2, 5...6, by: 1), read(1, 7...8, by: 1),
    ]
    #expect(found(chain, stored: 2) == [.backwards])
    // For each process separately: external changes take time.
    #expect(found([chain[0], chain[1], read(1, 5...6, by: 1)], stored: 2) == [])
    let ownWrite = [swap(0, 1, 1...2), swap(1, 2, 3...4), read(1, 5...6)]
    #expect(found(ownWrite, stored: 2) == [.backwards])
    let mixed = [
      set(1, 1...2), set(2, 3...4), read(2, 5...6, by: 1), read(1, 7...8, by: 1),
    ]
    #expect(found(mixed, stored: 2) == [.backwards])
  }

  @Test("The history checker finds values that were never set")
  func invented() {
    #expect(found([set(1, 1...2), read(7, 3...4)], stored: 1) == [.invented])
    #expect(found([set(1, 1...2)], stored: 7).contains(.invented))
  }

  @Test("The history checker treats the value of a failed update as never set")
  func refusal() {
    let refusal = Operation(kind: .refusal, new: 2, start: 3, end: 4)
    #expect(found([swap(0, 1, 1...2), refusal], stored: 1) == [])
    #expect(found([swap(0, 1, 1...2), refusal, read(2, 5...6)], stored: 1) == [.invented])
  }

  @Test("The history checker finds a torn pair in a read, an update and an event")
  func torn() {
    var read = read(1, 5...6)
    read.second = 0
    #expect(found([swap(0, 1, 1...2), read], stored: 1) == [.torn])
    var swap = swap(1, 2, 7...8)
    swap.second = 3
    #expect(found([self.swap(0, 1, 1...2), swap], stored: 2) == [.torn])
    let events = ObservedEvents(
      process: 0, key: 0, events: [Event(old: 0, new: 1, second: 0)])
    #expect(
      kinds(
        History(operations: [self.swap(0, 1, 1...2)], observers: [events], stored: [0: 1]))
        == [.torn])
  }

  @Test("The history checker finds events that don't connect or don't end at the final value")
  func events() {
    func found(_ pairs: [(Int, Int)]) -> Set<HistoryViolation.Kind> {
      let events = pairs.map { Event(old: $0.0, new: $0.1, second: $0.1) }
      return kinds(
        History(
          operations: [swap(0, 1, 1...2), swap(1, 2, 3...4), swap(2, 3, 5...6)],
          observers: [ObservedEvents(process: 0, key: 0, events: events)], stored: [0: 3]))
    }
    #expect(found([(0, 0), (0, 1), (1, 2), (2, 3)]) == [])
    // Changes of another process may be merged into one event.
    #expect(found([(0, 0), (0, 2), (2, 3)]) == [])
    #expect(found([(0, 0), (0, 1), (2, 3)]) == [.disconnected])
    #expect(found([(0, 0), (0, 1), (1, 2)]) == [.wrongEnd])
  }

  @Test("The history checker finds a process whose final values differ from the stored ones")
  func views() {
    let history = History(
      operations: [swap(0, 1, 1...2)], stored: [0: 1], views: [[0: 1], [:]])
    #expect(kinds(history) == [.wrongEnd])
  }

  @Test("The history checker lets a set that waits for a lock take effect up to the next flush")
  func waiting() {
    let operations = [
      swap(0, 1, 1...2, by: 1), set(2, 3...4), swap(1, 3, 5...6, by: 1), swap(3, 4, 9...10, by: 1),
    ]
    #expect(found(operations, stored: 4) == [.stale])
    #expect(found(operations, stored: 4, setsMayWait: true) == [])
    // Stored by its flush, the set comes before the last swap.
    let flushed = operations + [flush(7...8)]
    #expect(found(flushed, stored: 4, setsMayWait: true) == [])
    let late = [
      swap(0, 1, 1...2, by: 1), set(2, 3...4), flush(5...6), swap(1, 3, 7...8, by: 1),
    ]
    #expect(found(late, stored: 3, setsMayWait: true) == [.stale])
    // In its own process, the set is visible at once.
    let own = [swap(0, 1, 1...2), set(2, 3...4), swap(1, 3, 5...6)]
    #expect(found(own, stored: 3, setsMayWait: true) == [.backwards])
  }

  @Test("The history checker accepts any order if an older state may be restored")
  func rewound() {
    let operations = [swap(0, 1, 1...2), swap(1, 2, 3...4), swap(1, 3, 5...6)]
    #expect(found(operations, stored: 3, isRewound: true) == [])
    var torn = read(1, 7...8)
    torn.second = 2
    #expect(found(operations + [torn], stored: 3, isRewound: true) == [.torn])
  }
}
