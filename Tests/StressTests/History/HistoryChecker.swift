/// Finds impossible events in a history, for any order of effects between calls and returns.
struct HistoryChecker {
  let history: History
  private var violations: [HistoryViolation] = []
  /// The writers, by setting and value.
  var writers: [Int: [Int: HistoryOperation]] = [:]
  /// The start and end times of flushes, by process, in the order of the calls.
  var flushes: [Int: [(start: Int, end: Int)]] = [:]

  /// The violations of a history.
  static func violations(in history: History) -> [HistoryViolation] {
    var checker = Self(history: history)
    checker.check()
    return checker.violations
  }

  private init(history: History) { self.history = history }

  private mutating func check() {
    for operation in history.operations where operation.kind == .flush {
      flushes[operation.process, default: []].append((operation.start, operation.end))
    }
    for process in flushes.keys { flushes[process]?.sort { $0.start < $1.start } }
    let settings = Dictionary(grouping: history.operations.filter { $0.kind != .flush }, by: \.key)
    let observers = Dictionary(grouping: history.observers, by: \.key)
    for key in Set(settings.keys).union(observers.keys).sorted() {
      check(key, settings[key] ?? [], observers[key] ?? [])
    }
  }

  private mutating func check(
    _ key: Int, _ operations: [HistoryOperation], _ observers: [ObservedEvents]
  ) {
    let writes = operations.filter(\.isWrite)
    var writers: [Int: HistoryOperation] = [:]
    for write in writes where write.new != 0 { writers[write.new] = write }
    self.writers[key] = writers
    checkValues(key, operations, observers)
    checkEvents(key, observers)
    checkEnd(key)
    guard !history.isRewound else { return }
    checkLosses(key, writes)
    if writes.allSatisfy({ $0.kind == .swap }) {
      checkChain(key, operations)
    } else {
      checkOverwritten(key, operations)
    }
  }

  mutating func add(_ kind: HistoryViolation.Kind, _ key: Int, _ text: String) {
    violations.append(HistoryViolation(kind, "setting \(key): \(text)"))
  }
}

// MARK: - Independent of the order

extension HistoryChecker {
  /// Checks that values were written before they were seen, and completely.
  private mutating func checkValues(
    _ key: Int, _ operations: [HistoryOperation], _ observers: [ObservedEvents]
  ) {
    let writers = writers[key] ?? [:]
    for operation in operations where operation.kind == .read || operation.kind == .swap {
      if operation.old != operation.second {
        add(.torn, key, "\(operation.old) and \(operation.second) were read together")
      }
      guard operation.old != 0 else { continue }
      guard let writer = writers[operation.old] else {
        add(.invented, key, "\(operation.old) was read, but never written")
        continue
      }
      if writer.start > operation.end {
        add(.invented, key, "\(operation.old) was read before it was written")
      }
    }
    for observer in observers {
      for event in observer.events {
        if event.new != event.second {
          add(.torn, key, "\(event.new) and \(event.second) came with one event")
        }
        if event.new != 0, writers[event.new] == nil {
          add(
            .invented, key,
            "process \(observer.process) was notified of \(event.new), which was never written")
        }
      }
    }
  }

  private mutating func checkEvents(_ key: Int, _ observers: [ObservedEvents]) {
    for observer in observers {
      for (last, next) in zip(observer.events, observer.events.dropFirst())
      where last.new != next.old {
        add(
          .disconnected, key,
          "process \(observer.process) was notified of a change to \(last.new), "
            + "and next of one from \(next.old) to \(next.new)")
      }
      let stored = history.stored[key] ?? 0
      if let last = observer.events.last, last.new != stored {
        add(
          .wrongEnd, key,
          "process \(observer.process) was last notified of \(last.new), and \(stored) is stored")
      }
    }
  }

  private mutating func checkEnd(_ key: Int) {
    let stored = history.stored[key] ?? 0
    for (process, view) in history.views.enumerated() where (view[key] ?? 0) != stored {
      add(.wrongEnd, key, "process \(process) sees \(view[key] ?? 0), and \(stored) is stored")
    }
    if stored != 0, writers[key]?[stored] == nil {
      add(.invented, key, "\(stored) is stored, but was never written")
    }
  }
}
