import Foundation

/// When this process exports the property list, and the steps under the lock of the log.
extension FileState {
  var isExportDue: Bool { hasRepairableDamage || exports.mustRewrite || fold.isExportDue }

  /// Arms the timer if an export is due. Returns the deadline, or nil if no timer must be started.
  mutating func armExport() -> UInt64? {
    BackgroundThreads.shared.startIfNeeded()
    // Most setters end here.
    if exports.schedule.isArmed(hasWaiting: !waiting.isEmpty), log?.isUrgent != true { return nil }
    // After an edit that is merged completely, only the log must be replaced at some time.
    guard options.isAutomatic, !waiting.isEmpty || isExportDue || log?.isOutgrown == true
    else { return nil }
    let failures =
      if waiting.isEmpty {
        exports.failures
      } else if fileHealth.lacksRights {
        max(1, exports.failures)
      } else {
        // Soon, since there may be room, or a free lock, at any time. But an attempt that writes
        // much takes the last room of the disk for a moment.
        1 + max(0, waiting.debt) >> 24
      }
    // Not during an export of this process either, which replaces the log afterwards.
    let isUrgent = log?.isUrgent == true && !exports.isRunning && !isRivalBusy
    return exports.schedule.arm(
      isOurs: exports.hasDuty || hasRepairableDamage, isUrgent: isUrgent,
      hasWaiting: !waiting.isEmpty, failures: failures)
  }

  /// Whether another process announced the last export, within the last second or, if exports take
  /// longer, twice the duration of an export. After its export, that process replaces an outgrown
  /// log.
  var isRivalBusy: Bool {
    guard let last = fold.bases.last(where: \.isExport),
      last.id != exports.announced
    else { return false }
    let time = max(.seconds(1), exports.schedule.cost * 2)
    return last.version.isRecent(at: places.file.fileSystem.now, within: time)
  }

  /// Ends the `hold` of the fold's entries. No entry changes, so the writer lock isn't required.
  mutating func release() {
    table.state.withLock { state in
      let isShared = state.entries.isCopy(of: fold.entries.present)
      if isShared { state.entries = .none }
      fold.release()
      if isShared { state.entries = fold.entries.present } else { state.entries.release() }
    }
  }

  /// Puts an exported file in place, under the lock of the log: appends `exported`, syncs the log,
  /// quarantines a damaged file, and exchanges the names.
  ///
  /// Returns false if the export must start again: there is no log, a sync of it failed, a newer
  /// export was announced, or the current file isn't known, must be repaired by its writer, isn't
  /// the one whose text was edited, or was replaced meanwhile.
  mutating func place(
    _ replacement: FileReplacement, _ content: WrittenFile, id: UInt64
  ) throws(SuiteError) -> Bool {
    // A sync may have failed since the export was announced; the next attempt replaces the log.
    guard let log, !isDoubted else { return false }
    let present = try places.file.status()
    guard isKnown(present) else { return false }
    let damage = propertyList.damage.flatMap { present?.version == $0.version ? $0 : nil }
    if damage?.mustStay == true { return false }
    // The new text is an edit of another version of the file than the present one.
    if content.form == .custom, present?.version != content.base { return false }
    updatePermissions(of: log)
    let identity = LogRecord.FileIdentity(
      content.data, stamp: replacement.version, form: content.form)
    try append(.exported(id: id, identity))
    guard fold.mayPlace(id) else { return false }
    let end = self.log?.offset ?? 0
    if !places.file.fileSystem.omits(rule: .syncBeforeRename) { try synchronizeLog() }
    var copy: String?
    if let damage, let content = try places.file.read() {
      // A person may have repaired the file since.
      guard content.version == damage.version else { return false }
      copy = try places.file.setAside(content)
      if copy == nil { return false }
    }
    guard try replacement.commit(replacing: present?.version) else {
      propertyList.mustCheck = true
      return false
    }
    if let copy, copy != damage?.named {
      // For the person who edited the file while the program ran.
      table.support.reportLater([
        SuiteError(
          .quarantined,
          "The damaged file is kept at \(copy), and replaced by the current settings. Repeat the "
            + "edit in the new file",
          path: places.file.path)
      ])
    }
    durability.advance(to: end)
    noteSound()
    (propertyList.alias, exports.mustRewrite) = (nil, false)
    propertyList.mustCheck = try places.file.status()?.version != replacement.version
    return true
  }

  /// Whether another process's recent export isn't placed yet. This process's entries will be in
  /// that export or in the next export.
  var isRivalExporting: Bool { isRivalBusy && fold.bases.last?.isPlaced == false }

  /// Gives access to the log to all users who may write the property list, since its permissions
  /// may have changed.
  private func updatePermissions(of log: FollowedLog) {
    do throws(Errno) {
      let rights = try places.file.fileSystem.permissionsIfPresent(of: places.file.path)
      if let rights { try log.file.descriptor.takePermissions(of: rights, forJournal: true) }
    } catch {
      // Only the owner can change permissions. The next export by one of the owner's processes
      // changes them.
    }
  }
}
