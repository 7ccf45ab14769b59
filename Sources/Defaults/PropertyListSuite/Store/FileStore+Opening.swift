import Foundation

/// Opening and closing the files of a suite.
extension FileStore {
  /// Opens a suite on a file.
  ///
  /// Without a format, the file keeps its own, and a new file is binary. `isAutomatic` is whether
  /// timers run and `watcher` watches the folder. `moved` is called under the writer lock when the
  /// suite continues with another file. Call `start` when no lock is held.
  ///
  /// - Throws: `unreadable`, `unsupportedLog`, `malformed`, and `unrepresentable` if the format
  ///   can't represent an entry.
  package static func open(
    _ file: StoredFile, format: Defaults.PropertyListFormat? = nil,
    custom: (any SuiteFileFormat)? = nil, isAutomatic: Bool = true,
    timeouts: LockTimeouts = .standard, repairsDamage: Bool = true,
    watcher: FolderWatcher = .shared,
    moved: @escaping @Sendable (StoredFile) -> Void = { _ in },
    onIssue: (@Sendable (Defaults.Issue) -> Void)? = nil
  ) throws(SuiteError) -> (suite: Defaults.StoredSuite, start: @Sendable () -> Void) {
    let places = SuiteFiles(file)
    var options = FileOptions(
      format: format ?? .binary, custom: custom, isReadOnly: file.isReadOnly,
      isAutomatic: isAutomatic, repairsDamage: repairsDamage, timeouts: timeouts)
    let loaded = try LoadedSuite(places, options)
    // A custom format can represent everything that a binary property list can.
    options.format = custom == nil ? format ?? loaded.format ?? .binary : .binary
    if options.format != loaded.format {
      for (name, value) in loaded.entries.all { try options.format.validate(value, named: name) }
    }
    let support = Defaults.SuiteSupport(label: file.path, onIssue: onIssue)
    let table = EntryTable(loaded.entries, support)
    let store = FileStore(places, options, loaded, table: table, watcher: watcher, moved: moved)
    store.add(route: file.route)
    support.reportLater(loaded.problems)
    return (Defaults.StoredSuite(table, store), { store.start() })
  }

  /// Does the work that remains after opening the suite.
  private func start() {
    table.support.deliver()
    if !options.isAutomatic { sweepTemporaries() }
    if state.withLock({ $0.hasRepairableDamage }), !options.isReadOnly {
      table.support.attempt { () throws(SuiteError) in try export() }
    }
    guard options.isAutomatic else { return }
    let deadline = state.withLock { state in
      state.exports.hasDuty = !options.isReadOnly && state.isFromLog && state.isExportDue
      // The process that made the changes may still export them first.
      return state.exports.hasDuty ? state.exports.schedule.arm(isOurs: false) : nil
    }
    if let deadline { scheduleExport(at: deadline) }
    // So that a short program merges an edit that it has read.
    if state.withLock({ $0.propertyList.isUnmerged }) { inBackground { $0.foldAndMerge() } }
    // Later, since ending a watch takes the system about 10 ms, which would delay the exit of a
    // short program, and since the folder may have many files. The watch begins with a check for
    // changes since the files were read.
    inBackground(after: Self.watchDelay) {
      $0.sweepTemporaries()
      $0.listen()
    }
  }

  package func close() {
    if options.isReadOnly { return }
    // Not during a commit. The changes in the log aren't lost.
    let attempts = max(1, Int(options.timeouts.exit / .milliseconds(1)))
    let isFree: Void? = table.writer.withLockIfFree(
      attempts: TransactionScope.isHoldingLock ? min(100, attempts) : attempts
    ) { _ in }
    guard isFree != nil else { return reportLost() }
    let isNeeded = state.withLock { state in
      !state.waiting.isEmpty || state.hasRepairableDamage
        || state.isExportDue && state.exports.hasDuty
    }
    if isNeeded {
      table.support.attempt { () throws(SuiteError) in
        do throws(SuiteError) {
          try export(within: options.timeouts.exit)
        } catch {
          // This process can't wait any longer for a log that another process should create.
          guard state.withLock({ $0.awaitedLog.take() }) != nil else { throw error }
          try commitNothing(.maintenance, within: options.timeouts.exit)
        }
      }
    } else {
      // An export in the background would leave its temporary file.
      _ = exporting.withLockIfFree(attempts: attempts) { _ in }
    }
    // A short-lived program hasn't done this yet.
    sweepTemporaries()
    reportLost()
  }

  /// Reports the changes that wait in memory again, since they can no longer be stored.
  private func reportLost() {
    // A commit that doesn't end may hold the lock.
    let names = state.withLockIfFree(attempts: 100) { $0.waiting.byName.keys.inByteOrder }
    guard let names, !names.isEmpty else { return }
    table.support.report(
      SuiteError(
        .unwritable,
        "The latest changes couldn't be stored and are lost, since this process closes the suite: "
          + names.prefix(10).map { "\"\($0)\"" }.joined(separator: ", ")
          + (names.count > 10 ? " and \(names.count - 10) more" : ""),
        path: file.path))
  }

  /// Removes leftovers of killed processes once, but not while another process commits.
  func sweepTemporaries() {
    guard !options.isReadOnly, !Forking.isChild else { return }
    hasTriedSweep.withLock { hasTriedSweep in
      if hasTriedSweep { return }
      hasTriedSweep = true
      if places.temporaries.isEmpty { return }
      do throws(SuiteError) {
        if try places.journal.status() == nil {
          state.withLock { $0.sweep() }
        } else {
          try withLog(.maintenance, within: .zero) { state throws(SuiteError) in
            state.sweep()
          }
        }
      } catch {
        // The leftovers are harmless, and the next process that opens the suite removes them.
      }
    }
    table.support.deliverExternal()
  }
}
