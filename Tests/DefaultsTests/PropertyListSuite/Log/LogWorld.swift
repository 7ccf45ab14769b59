import FuzzInputs
import TestSupport

@testable import Defaults

/// A model of a log, a property list and the processes that write them, used to enumerate the
/// states after a crash. The expected entries of each state are computed independently of the log,
/// by applying the changes one by one.
struct LogWorld {
  /// A property list and its origin.
  struct File {
    let identity: LogRecord.FileIdentity
    let content: [String: Int]
    /// The changes of an external writer; nil for an export.
    var edits: [String: Int?]?
    /// The number of the file that it replaced, if it includes the edits of that file.
    var previous: Int?
  }

  /// One log and its expected states.
  struct Log {
    var records: [LogRecord] = []
    /// The state after each number of records, and the expected entries.
    var states = [LogState()]
    var expected: [[String: Int]] = [[:]]
    /// The number of the file that is known to be in place, and of those that were merged.
    var placed: [Int?] = [nil]
    var merged: [Set<Int>] = [[]]
    /// The number of records that are certainly on disk.
    var synced = 0
    /// For each file, and first for none, the number of records up to which states were checked.
    /// The states with fewer records were checked, or can't occur any more.
    var checked: [Int] = []
  }

  struct Process {
    let writer: UInt64
    /// The difference of the process's clock from the correct one.
    let drift: Int64
    var export: Export?
    var merge: Merge?
  }

  struct Export {
    let id: UInt64
    let file: Int
    var isWritten = false
  }

  struct Merge {
    let id: UInt64
    let file: Int?
    /// The names that were set since the beginning.
    var changed: Set<String> = []
    /// The edits that the merge must result in.
    var edits: [String: Int?]
    /// The record that was computed while the lock was held earlier.
    var record: LogRecord.Content?
  }

  var log = Log()
  /// The logs whose replacement a power loss may undo.
  var replaced: [Log] = []
  /// All files by number; the current one is a number or nil.
  var files: [File] = []
  var file: Int?
  /// The files that a power loss may leave, including the current one.
  var possible: Set<Int?> = [nil]
  var processes: [Process]
  var numbers: SplitMix64
  var time: Int64 = 1_000_000
  /// Editors' files and values get unique numbers.
  var fresh = 1_000
  var states = 0
  var merges = 0
  var problems: [String] = []
  /// The ids of the exports, which identify the placed file.
  var exports: [UInt64: Int] = [:]

  static let names = ["a", "b", "c", "d", "e"]

  init(seed: UInt64) {
    numbers = SplitMix64(state: seed)
    processes = (1...3).map { Process(writer: $0, drift: Int64($0) * 300 - 600) }
    log.add(LogState().compactedRecords) { $0 }
    log.synced = log.records.count
  }

  var state: LogState { log.states[log.states.count - 1] }
  var current: [String: Int] { log.expected[log.expected.count - 1] }

  mutating func random(_ range: Range<Int>) -> Int {
    range.lowerBound + numbers.below(range.upperBound - range.lowerBound)
  }
}

extension LogWorld.Log {
  /// Appends records; `change` updates the expected entries.
  mutating func add(
    _ new: [LogRecord], placed file: Int?? = nil, merged: Int? = nil,
    _ change: ([String: Int]) -> [String: Int]
  ) {
    for record in new {
      var state = states[states.count - 1]
      state.apply(record)
      records.append(record)
      states.append(state)
      expected.append(change(expected[expected.count - 1]))
      placed.append(file ?? placed[placed.count - 1])
      var all = self.merged[self.merged.count - 1]
      if let merged { all.insert(merged) }
      self.merged.append(all)
    }
  }
}

extension LogWorld.Log {
  /// Returns the numbers of records for which a file's states haven't been checked. They count as
  /// checked from now on.
  mutating func unchecked(_ file: Int?) -> Range<Int> {
    let index = file.map { $0 + 1 } ?? 0
    while checked.count <= index { checked.append(0) }
    let start = max(synced, checked[index])
    checked[index] = records.count + 1
    return start..<max(start, records.count + 1)
  }
}

// MARK: - States after a crash

extension LogWorld {
  /// Checks every new state that a kill or a power loss may leave now. The current file is one of
  /// the possible files.
  mutating func check(_ step: String) {
    for file in possible {
      let ends = log.unchecked(file)
      for end in ends { verify(log, end, file, step) }
      for index in replaced.indices {
        let ends = replaced[index].unchecked(file)
        for end in ends { verify(replaced[index], end, file, step) }
      }
    }
  }

  /// Opens the state after a crash: a number of records of a log, and a file.
  private mutating func verify(_ log: Log, _ end: Int, _ number: Int?, _ step: String) {
    states += 1
    let state = log.states[end]
    let pending = pending(log, end, number)
    let expected =
      pending.isEmpty ? log.expected[end] : log.expected[end].merging(pending)
    let file = number.map { files[$0] }
    let found = file.map { state.opening($0.content, $0.identity) } ?? state.openingWithoutFile
    if !state.isComplete || found != expected {
      fail("\(step), then \(end) records: \(found), not \(expected); the file is \(file as Any)")
    }
  }

  /// The external changes that aren't in the log yet.
  func pending(_ log: Log, _ end: Int, _ number: Int?) -> [String: Int?] {
    guard var number else {
      guard let placed = log.placed[end] else { return [:] }
      return files[placed].content.mapValues { _ in nil }
    }
    var edits: [String: Int?] = [:]
    while let own = files[number].edits, !log.merged[end].contains(number) {
      edits.merge(own) { later, _ in later }
      guard let previous = files[number].previous else { break }
      number = previous
    }
    return edits
  }

  private mutating func fail(_ problem: String) {
    if problems.count < 5 { problems.append(problem) }
  }
}
