/// Checking the files without the lock of the log.
extension FileState {
  /// The result of checking the files without the lock of the log: whether the rest requires the
  /// lock, and the number of new records, of which the rest counts as one.
  typealias Look = (records: Int, mustLock: Bool)

  /// Returns whether everything that other processes wrote is known, by a quick check.
  mutating func isUpToDate() throws(SuiteError) -> Bool {
    guard let size = try log?.file.sizeInPlace(),
      try log?.compare(size: size) == FollowedLog.Comparison.upToDate
    else { return false }
    try glanceAtFile()
    return !propertyList.mustCheck
  }

  /// The number of bytes that a check folds without the lock of the log, since it may run on the
  /// watcher's thread, which serves all suites.
  private static let mostBytes = 1 << 18

  /// Folds the records of other processes as far as that requires no lock, then checks the property
  /// list, which may be an export that these records announce. The caller holds the writer lock.
  mutating func foldWithoutLock() -> Look {
    var look = (records: 1, mustLock: true)
    do throws(SuiteError) {
      if let size = try log?.file.sizeInPlace() {
        switch try log?.compare(size: size) {
        case .upToDate?, nil: look = (0, false)
        case .overwritten: break
        case .hasRecords:
          let found = try foldRecords(upTo: size, most: Self.mostBytes)
          // An incomplete record at the end is still being written.
          look = (found.count + (found.hasRest ? 1 : 0), found.hasRest)
        }
      }
      if propertyList.mustCheck { try glanceAtFile() }
    } catch {
      // The check under the lock reports the error.
      return (1, true)
    }
    return propertyList.mustCheck ? (max(1, look.records), true) : look
  }

  /// Determines whether the property list must be checked under the lock of the log.
  mutating func glanceAtFile() throws(SuiteError) {
    if propertyList.isUnmerged {
      propertyList.mustCheck = true
      return
    }
    let status = try places.file.status()
    if status != nil { propertyList.absence = nil }
    let known = status.flatMap { fold.file($0.version) }
    // An export that was overtaken is replaced by a new one.
    propertyList.mustCheck = !isKnown(status) || known.map(fold.finding) == .outdated
    if propertyList.mustCheck { return }
    propertyList.absence = nil
    if status?.version != propertyList.damage?.version { noteSound() }
  }

  /// Reads everything again and publishes the differences, if this user may not take the lock of
  /// the log.
  mutating func reload() throws(SuiteError) {
    let loaded = try LoadedSuite(places, options)
    if !loaded.isFromLog {
      if let damage = loaded.propertyList.damage {
        // An editor may still be writing the file.
        if propertyList.damage?.version != damage.version {
          table.support.reportLater(loaded.problems)
        }
        propertyList.damage = damage
        return
      }
      // A folder that was removed doesn't mean that all settings were removed.
      if isFromLog, loaded.entries.isEmpty { return }
      if loaded.format == nil, !noteAbsence() { return }
    }
    // The time of a property list doesn't show that waiting changes are older than its entries.
    fold = loaded.isFromLog ? loaded.fold : loaded.fold.keepingStamps(of: fold)
    // The failed sync of the same log may be recorded nowhere else.
    let keepsDoubt =
      durability.isDoubted
      && log.flatMap { loaded.log?.file.version.isSameFile(as: $0.file.version) } == true
    (log, isFromLog, changesForNextRoute) = (loaded.log, loaded.isFromLog, nil)
    folder = loaded.folder
    durability.begin()
    if keepsDoubt { durability.doubt() }
    (candidate, awaitedLog) = (nil, nil)
    if loaded.propertyList.damage != nil {
      table.support.reportLater(loaded.problems)
    } else {
      noteSound()
    }
    propertyList = loaded.propertyList
    publishAll(loaded.entries.all)
  }
}
