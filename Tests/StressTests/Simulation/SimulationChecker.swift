/// Finds violations in the record of a run.
struct SimulationChecker {
  let schedule: SimulationSchedule
  let record: SimulationRecord
  /// The finally stored values, by setting.
  let stored: [Int: Int]
  /// The final values of each live process.
  var views: [[Int: Int]] = []
  /// The processes that are alive at the end.
  var live: Set<Int> = []

  /// The violations of a run whose processes have finished.
  func violations() -> [String] {
    var history = History(
      operations: operations, observers: observers, stored: stored, views: views)
    history.isRewound = schedule.bringsBack
    // A process doesn't notice that a log was truncated if another one immediately writes there.
    if schedule.cutsLog { (history.views, history.observers) = ([], []) }
    return HistoryChecker.violations(in: history).map(\.description) + returns + edits + undone
      + restored
  }

  /// The returned or effective operations, for the history checker.
  var operations: [HistoryOperation] {
    let seen = seen
    return record.deeds.compactMap { deed in
      switch deed.kind {
      case .refusal, .flush: return nil
      case .read where deed.end == nil || !deed.hasRead: return nil
      case .swap where deed.hasThrown || !deed.hasRead: return nil
      case .swap where deed.end == nil && !seen.contains(Sight(deed.key, deed.new)): return nil
      default: break
      }
      return HistoryOperation(
        kind: deed.kind, process: deed.process, key: deed.key, old: deed.old, new: deed.new,
        second: deed.second, isFresh: deed.isFresh, start: deed.start, end: certainEnd(of: deed))
    }
  }

  /// The time from which a deed has certainly taken effect; the largest number if that is unknown.
  private func certainEnd(of deed: SimulatedDeed) -> Int {
    guard let end = deed.end else { return .max }
    guard deed.kind == .set || deed.kind == .remove else { return end }
    if deed.hasRecord, !schedule.losesLog, !hasFaults(deed.process) { return end }
    // A change that waits in memory takes effect when its process stores it, if it is the newest.
    let isDropped = record.drops.contains {
      $0.process == deed.process && $0.key == deed.key && $0.step >= end
    }
    if isDropped { return .max }
    let flushes = record.deeds.lazy.filter {
      $0.kind == .flush && $0.process == deed.process && !$0.hasThrown && $0.start >= end
    }
    return flushes.compactMap(\.end).min() ?? .max
  }

  func hasFaults(_ process: Int) -> Bool { schedule.faults.contains { $0.process == process } }

  /// The values that remained although their own process replaced them, after a log was truncated
  /// or replaced by an older copy. Each process still knows its changes, so none is undone, unless
  /// a text editor saves the old value later: a process that doesn't know the version that the
  /// editor read takes that value for an edit.
  private var undone: [String] {
    guard schedule.bringsBack else { return [] }
    return Dictionary(grouping: operations.filter(\.isWrite), by: \.key).sorted { $0.key < $1.key }
      .compactMap { key, writes in
        let value = stored[key] ?? 0
        let isLatest = writes.contains { write in
          write.new == value
            && !writes.contains { later in
              later.process == write.process && later.start > write.end && later.end < .max
                && !record.saves.contains { $0.step > later.start && $0.values[key] ?? 0 == value }
            }
        }
        let isUnchanged = writes.allSatisfy { $0.end == .max }
        // See `restored`.
        let isRestored = record.restorations.contains { $0.values[key] ?? 0 == value }
        if isLatest || isUnchanged || isRestored { return nil }
        return "undone: setting \(key): \(value) is stored, which was replaced"
      }
  }

  struct Sight: Hashable {
    let key: Int
    let value: Int

    init(_ key: Int, _ value: Int) { (self.key, self.value) = (key, value) }
  }

  /// All values that were seen anywhere.
  private var seen: Set<Sight> {
    var seen = Set(stored.map { Sight($0.key, $0.value) })
    for view in views { seen.formUnion(view.map { Sight($0.key, $0.value) }) }
    for deed in record.deeds where deed.hasRead { seen.insert(Sight(deed.key, deed.old)) }
    for (observer, events) in record.events {
      seen.formUnion(events.map { Sight(observer.key, $0.new) })
    }
    return seen
  }

  private var observers: [ObservedEvents] {
    record.events.sorted { ($0.key.process, $0.key.key) < ($1.key.process, $1.key.key) }
      .map { observer, events in
        var events = events
        // An ended process wasn't notified of later changes.
        if !live.contains(observer.process), let last = events.last {
          let end = stored[observer.key] ?? 0
          events.append(ObservedEvents.Event(old: last.new, new: end, second: end))
        }
        return ObservedEvents(process: observer.process, key: observer.key, events: events)
      }
  }

  /// The values that came back in a process after another value had replaced them.
  private var returns: [String] {
    if schedule.bringsBack { return [] }
    return record.events.sorted { ($0.key.process, $0.key.key) < ($1.key.process, $1.key.key) }
      .flatMap { observer, events -> [String] in
        var seen: Set<Int> = []
        return events.compactMap { event in
          if mayReturn(event.new, observer, first: events.first?.new) { return nil }
          guard event.new != 0, !seen.insert(event.new).inserted else { return nil }
          return "return: setting \(observer.key): \(event.new) came back in process "
            + "\(observer.process)"
        }
      }
  }

  /// Whether a value saved by a text editor, or an initial one, may come back for a moment,
  /// according to the engine's design.
  private func mayReturn(
    _ value: Int, _ observer: SimulationRecord.Observer, first: Int?
  ) -> Bool {
    let isEdit = record.deeds.contains {
      $0.process == SimulatedDeed.editor && $0.new == value
    }
    guard isEdit, !schedule.edits.isEmpty else { return false }
    // A suite opens to an editor's changes as merged in the log, after an earlier save.
    if value == first { return true }
    // A process may read the file before it finds the log that another one made of an older file.
    let savesInPlace = schedule.edits.contains { $0.saving == .inPlace }
    if !schedule.hasLogAtStart || savesInPlace { return true }
    // The version of a merge may be later than that of a change that waited in memory meanwhile.
    return record.drops.contains { $0.process == observer.process && $0.key == observer.key }
  }

  /// The changes of a text editor that are missing.
  var edits: [String] {
    if schedule.bringsBack { return [] }
    var violations: [String] = []
    if let last = record.edits.last, last.isCertain {
      let value = stored[SimulatedSettings.edited] ?? 0
      if value != last.value {
        violations.append("edit: the text editor saved \(last.value), and \(value) is stored")
      }
    }
    // If both files were deleted, the processes restore both.
    let deleted = schedule.losesLog ? [:] : record.deleted
    for (key, value) in deleted.sorted(by: { $0.key < $1.key })
    where stored[key] == value {
      violations.append("edit: the file was removed, and setting \(key) still is \(value)")
    }
    return violations
  }
}
