import Defaults

/// The suite's side of a pass.
extension SyncEngine {
  /// The maximum number of levels of a synced value, which has some around it in a file.
  private static let mostLevels = PropertyListValue.maximumDepth - 6

  /// Returns the suite's mark, or gives it one.
  func mark(until deadline: UInt64) throws(SuiteError) -> SuiteMark {
    if case .string(let text)? = setup.suite.entry(named: Defaults.syncName) {
      return SuiteMark(text)
    }
    let mark = SuiteMark(id: setup.newID())
    try write(mark, until: deadline)
    return mark
  }

  /// Writes and flushes a mark, together with all changes before it.
  func write(_ mark: SuiteMark, until deadline: UInt64) throws(SuiteError) {
    try transaction(until: deadline) {
      try $0.setEntry(.string(mark.text), named: Defaults.syncName)
    }
    try setup.suite.flush()
  }

  /// Makes a transaction of the sync. Throws `locked` if another process holds the lock of the
  /// suite at the deadline.
  private func transaction(
    until deadline: UInt64, _ body: (inout Defaults.Draft) throws -> Void
  ) throws(SuiteError) {
    let now = MonotonicClock.now
    do {
      try TaskContext.marking("sync", isOfOtherDevice: true) {
        try setup.suite.stored?.commit(
          .exact, within: .nanoseconds(max(deadline, now) - now), body)
      }
    } catch {
      throw SuiteError(wrapping: error, .unwritable, suite: setup.suite.label)
    }
  }

  /// Returns the current entries of the synced settings.
  func observe(
    _ keys: [String: SyncedKey], _ report: inout Report
  ) throws(SuiteError) -> [String: LocalState.Observed] {
    let suite = setup.suite
    var observed: [String: LocalState.Observed] = [:]
    let before = versions(of: keys)
    for (name, synced) in keys {
      let entry = synced.key.entry(in: suite)
      if let entry, entry.isDeeper(than: Self.mostLevels) {
        report.problems.append(
          SuiteError(
            .unrepresentable,
            "The setting isn't synced: it has more than \(Self.mostLevels) levels",
            suite: suite.label, key: name))
        continue
      }
      observed[name] = LocalState.Observed(edit: Edit(entry: entry), version: before[name])
    }
    // An entry that changed meanwhile may not be that of its time. The next pass records it.
    let after = versions(of: keys)
    for name in keys.keys where before[name] != after[name] {
      observed[name] = nil
      report.mustRepeat = true
    }
    return observed
  }

  /// Returns the times of the entries. An entry may still have a previous name of its key.
  private func versions(of keys: [String: SyncedKey]) -> [String: UInt64] {
    let names = keys.values.flatMap(\.key.allNames)
    let versions = setup.suite.stored?.versions(of: names) ?? [:]
    return keys.compactMapValues { synced in
      let name = synced.key.allNames.first { setup.suite.entry(named: $0) != nil }
      return versions[name ?? synced.key.name]
    }
  }

  /// Applies new values to the suite, in one transaction, and records that.
  mutating func apply(
    _ wanted: [String: Edit], _ observed: [String: LocalState.Observed],
    _ keys: [String: SyncedKey], _ report: inout Report, until deadline: UInt64
  ) throws(SuiteError) {
    var valid: [(synced: SyncedKey, edit: Edit)] = []
    for (name, edit) in wanted.sorted(by: { $0.key < $1.key }) {
      guard let synced = keys[name] else { continue }
      if let entry = edit.entry, let problem = synced.key.problem(with: entry) {
        report.problems.append(invalid(name, problem))
      } else {
        valid.append((synced, edit))
      }
    }
    guard !valid.isEmpty, var new = local else { return }
    new.mark = new.mark.next
    var (applied, problems, mustRepeat) = (Set<String>(), [SuiteError](), false)
    let mark = new.mark
    try transaction(until: deadline) { draft in
      (applied, problems, mustRepeat) = ([], [], false)
      for (synced, edit) in valid {
        let name = synced.key.name
        // A change since the beginning of the pass is recorded by the next one first.
        guard Edit(entry: synced.key.entry(in: draft)) == observed[name]?.edit else {
          mustRepeat = true
          continue
        }
        do throws(SuiteError) {
          if let entry = edit.entry { try draft.setEntry(entry, named: name) }
          synced.key.write(edit, in: &draft)
          applied.insert(name)
        } catch {
          problems.append(invalid(name, error))
        }
      }
      if applied.isEmpty { return }
      try draft.setEntry(.string(mark.text), named: Defaults.syncName)
    }
    report.problems += problems
    report.applied = applied
    report.mustRepeat = report.mustRepeat || mustRepeat
    guard !applied.isEmpty else { return }
    try setup.suite.flush()
    for name in applied { new.applied[name] = .value }
    try save(new)
  }

  /// Returns the error about a value of another device that isn't valid here.
  private func invalid(_ name: String, _ problem: SuiteError) -> SuiteError {
    let source = local?.state.source(of: name)?.change.device
    let device = source.flatMap { local?.state.devices[$0]?.name } ?? "another device"
    var error = problem
    error.code = .invalid
    error.reason = "The value from \(device) isn't applied: \(problem.reason)"
    error.suite = setup.suite.label
    error.key = name
    return error
  }
}
