/// The checks of histories without rewinds: all processes see one order.
extension HistoryChecker {
  /// No value is replaced twice. A missing entry is replaced at most once at first and once per
  /// removal.
  mutating func checkLosses(_ key: Int, _ writes: [HistoryOperation]) {
    let removals = writes.count { $0.kind == .remove }
    var replaced: [Int: Int] = [:]
    for swap in writes where swap.kind == .swap { replaced[swap.old, default: 0] += 1 }
    for (value, count) in replaced.sorted(by: { $0.key < $1.key }) {
      let limit = value == 0 ? removals + 1 : 1
      if count > limit { add(.lostUpdate, key, "\(value) was replaced \(count) times") }
    }
  }

  /// If there are only swaps, they form a chain from nothing to the stored value, in an order that
  /// agrees with time.
  mutating func checkChain(_ key: Int, _ operations: [HistoryOperation]) {
    let swaps = operations.filter { $0.kind == .swap }
    let next = Dictionary(swaps.map { ($0.old, $0) }, uniquingKeysWith: { first, _ in first })
    var chain: [HistoryOperation] = []
    var positions = [0: 0]
    var value = 0
    while let swap = next[value], positions[swap.new] == nil {
      chain.append(swap)
      positions[swap.new] = chain.count
      value = swap.new
    }
    if chain.count < swaps.count {
      add(.brokenChain, key, "\(swaps.count - chain.count) of \(swaps.count) swaps hang loose")
    }
    let stored = history.stored[key] ?? 0
    if value != stored { add(.wrongEnd, key, "the chain ends at \(value), \(stored) is stored") }
    var earliestEnd = Int.max
    for swap in chain.reversed() {
      if earliestEnd < swap.start {
        add(.order, key, "\(swap.new) took effect before something that had returned already")
      }
      earliestEnd = min(earliestEnd, swap.end)
    }
    for read in operations where read.isFresh {
      guard let position = positions[read.old] else { continue }
      if chain[position...].contains(where: { $0.end < read.start }) {
        add(.stale, key, "\(read.old) was read after a refresh, and had been replaced before")
      }
    }
    let sights = operations.compactMap { operation -> Sight? in
      switch operation.kind {
      case .read: positions[operation.old].map { Sight(operation, operation.old, level: $0) }
      case .swap: positions[operation.new].map { Sight(operation, operation.new, level: $0) }
      case .set, .remove, .flush, .refusal: nil
      }
    }
    checkProgress(key, sights) { $0.level < $1 }
  }

  /// With blind sets the order is unknown. But a call can't find a value that was certainly
  /// replaced before.
  mutating func checkOverwritten(_ key: Int, _ operations: [HistoryOperation]) {
    let writes = operations.filter(\.isWrite)
    // The time from which a value was certainly in effect. For a missing entry, after the last
    // possible removal.
    func settled(_ value: Int, before time: Int) -> Int {
      if value != 0 { return writers[key]?[value].map(certainEnd) ?? .max }
      let removals = writes.filter { $0.kind == .remove && $0.start <= time }
      return removals.map(certainEnd).max() ?? .min
    }
    let byEnd = writes.map { (end: certainEnd($0), start: $0.start, isRemoval: $0.kind == .remove) }
      .sorted { $0.end < $1.end }
    var latestStarts: [Int] = []
    for write in byEnd {
      latestStarts.append(max(latestStarts.last ?? .min, write.isRemoval ? .min : write.start))
    }
    var latestOfAll: [Int] = []
    for write in byEnd { latestOfAll.append(max(latestOfAll.last ?? .min, write.start)) }
    /// The start of the last write that had certainly taken effect before a time.
    func lastStart(before time: Int, removals: Bool) -> Int {
      let count = byEnd.partitioningIndex { $0.end >= time }
      guard count > 0 else { return .min }
      return removals ? latestOfAll[count - 1] : latestStarts[count - 1]
    }
    for operation in operations where operation.kind == .swap || operation.isFresh {
      let found = operation.old
      // Another removal can't be distinguished by its value.
      let start = lastStart(before: operation.start, removals: found != 0)
      if start > settled(found, before: operation.end) {
        add(.stale, key, "process \(operation.process) found \(found), replaced long before")
      }
    }
    let stored = history.stored[key] ?? 0
    if lastStart(before: .max, removals: stored != 0) > settled(stored, before: .max) {
      add(.wrongEnd, key, "\(stored) is stored, which had been replaced before")
    }
    // A process doesn't go back from a value to one that was certainly in effect before.
    let sights = operations.flatMap { operation -> [Sight] in
      let values: [Int] =
        switch operation.kind {
        case .read: [operation.old]
        case .set: [operation.new]
        case .swap: [operation.old, operation.new]
        case .remove, .flush, .refusal: []
        }
      return values.compactMap { value in
        writers[key]?[value].map {
          Sight(operation, value, level: $0.start, settled: certainEnd($0))
        }
      }
    }
    checkProgress(key, sights) { $0.settled < $1 }
  }

  /// The time from which a write has certainly taken effect for all processes.
  private func certainEnd(_ write: HistoryOperation) -> Int {
    guard history.setsMayWait, write.kind != .swap else { return write.end }
    let flushes = flushes[write.process] ?? []
    let next = flushes.partitioningIndex { $0.start >= write.end }
    return flushes[next...].map(\.end).min() ?? .max
  }
}

// MARK: - Each process for itself

extension HistoryChecker {
  /// The time at which a process saw or wrote a value.
  private struct Sight {
    let process: Int
    let start: Int
    let end: Int
    let value: Int
    /// The position of the value in the overall order.
    let level: Int
    /// The time from which it was certainly in effect.
    let settled: Int

    init(_ operation: HistoryOperation, _ value: Int, level: Int, settled: Int = 0) {
      process = operation.process
      start = operation.start
      end = operation.end
      self.value = value
      self.level = level
      self.settled = settled
    }
  }

  /// Checks that a process never sees an older value than before.
  private mutating func checkProgress(
    _ key: Int, _ sights: [Sight], _ isOlder: (Sight, _ latest: Int) -> Bool
  ) {
    for (process, sights) in Dictionary(grouping: sights, by: \.process) {
      let byEnd = sights.sorted { $0.end < $1.end }
      var seen = byEnd[...]
      var latest = Int.min
      for sight in sights.sorted(by: { $0.start < $1.start }) {
        while let earlier = seen.first, earlier.end < sight.start {
          latest = max(latest, earlier.level)
          seen.removeFirst()
        }
        if isOlder(sight, latest) {
          add(.backwards, key, "process \(process) saw \(sight.value) after something newer")
        }
      }
    }
  }
}

extension RandomAccessCollection {
  /// The first index from which a monotonic condition holds.
  fileprivate func partitioningIndex(where holds: (Element) -> Bool) -> Index {
    var (start, count) = (startIndex, count)
    while count > 0 {
      let middle = index(start, offsetBy: count / 2)
      if holds(self[middle]) {
        count /= 2
      } else {
        start = index(after: middle)
        count -= count / 2 + 1
      }
    }
    return start
  }
}
