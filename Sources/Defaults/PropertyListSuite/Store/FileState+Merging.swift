import Foundation

/// Merging a property list that an external writer changed.
extension FileState {
  /// Checks the property list and merges changes by an external writer. The caller holds the lock
  /// of the log.
  mutating func checkFile() throws(SuiteError) {
    // If this throws, the file must still be checked.
    propertyList.mustCheck = try !mergeIfEdited()
    if propertyList.mustCheck { return }
    propertyList.joined = [:]
    guard propertyList.isUnmerged else { return }
    propertyList.isUnmerged = false
    publishAll()
  }

  /// Merges the file if an external writer changed it. Returns whether the result is final; false
  /// if the file must be checked again.
  private mutating func mergeIfEdited() throws(SuiteError) -> Bool {
    guard let status = try places.file.status() else { return try checkAbsence() }
    propertyList.absence = nil
    if status.version == propertyList.damage?.version { return true }
    if let known = fold.file(status.version) {
      noteSound()
      if fold.finding(known) == .outdated { requestExport() }
      return true
    }
    if isAlias(status.version) {
      noteSound()
      return true
    }
    guard let content = try places.file.readWritten() else { return false }
    let found: DecodedFile
    do {
      found = try options.decode(content)
    } catch {
      noteDamage(content, error)
      return true
    }
    noteSound()
    switch fold.finding(found.identity) {
    case .external:
      guard try merge(found.entries, found.identity) else { return false }
    case .outdated: requestExport()
    case .newest(let id): propertyList.alias = (content.version, id)
    }
    // The file may have been replaced since it was read.
    return try places.file.status()?.version == content.version
  }

  /// Makes an export due, since an export that was overtaken is in place.
  private mutating func requestExport() { (exports.mustRewrite, exports.hasDuty) = (true, true) }

  private mutating func checkAbsence() throws(SuiteError) -> Bool {
    if !isKnown(nil) {
      // Until the file counts as deleted, it is checked again.
      guard noteAbsence(), try merge([:], nil) else { return false }
    }
    noteSound()
    propertyList.absence = nil
    return true
  }

  /// Records that the property list is missing, and returns whether it counts as deleted.
  mutating func noteAbsence() -> Bool {
    propertyList.absence = propertyList.absence ?? .init(fold)
    return isDeleted
  }

  /// Whether the missing property list counts as deleted.
  var isDeleted: Bool {
    guard options.isAutomatic, let start = propertyList.absence?.start else { return true }
    return MonotonicClock.now >= start + FileOptions.settlingTime
  }

  /// Commits the changes of an external writer. Returns false if the file, or its folder, was
  /// removed since it was read, so that it must be checked again.
  private mutating func merge(
    _ entries: [String: PropertyListValue], _ identity: LogRecord.FileIdentity?
  ) throws(SuiteError) -> Bool {
    let fileSystem = places.file.fileSystem
    // Otherwise a power loss could restore an older file, which would look like an edit.
    let synced: Void? = try SuiteError.explaining(
      .unwritable, "The change by another program can't be synced", path: places.file.path
    ) { () throws(Errno) in
      try Errno.ifFound { () throws(Errno) in
        if identity != nil { try fileSystem.open(places.file.path, .read).synchronizeContent() }
        try fileSystem.synchronizeFolder(places.file.folder)
      }
    }
    if synced == nil { return false }
    let id = fileSystem.randomNumber()
    if !fileSystem.omits(rule: .mergeBegan) { try append(.mergeBegan(id: id)) }
    var newer: Set<String> = []
    if let identity {
      newer = propertyList.joined.names(after: identity, now: fileSystem.now)
    } else if let absence = propertyList.absence, absence.placedVersion == fold.placedVersion {
      // If a file was merged since the property list was found missing, that file was deleted.
      newer = fold.names(after: absence.latest)
    }
    var dropped: [String] = []
    let appended = try places.journal.readingLog { () throws(Errno) in
      try log?.file.descriptor.status().version
    }
    let merged = fold.mergeRecord(
      entries, identity, id: id, at: fileSystem.now(atMost: appended), keeping: newer
    ) { dropped.append($0) }
    guard let merged else { return true }
    publish(try append(merged))
    // The entry that XML can't represent may have been removed.
    if fileHealth.isSavedAsBinary { exports.mustRewrite = true }
    for name in dropped {
      noteDrop(
        "A change of \"\(escaped(name))\" in the file was dropped: the setting was changed later")
    }
    return true
  }

  private mutating func noteDamage(_ content: StoredFile.Content, _ error: any Error) {
    let mustStay = !options.repairs(content.data)
    propertyList.damage = (content.version, mustStay, named: nil)
    let problem = SuiteError(
      .malformed,
      "An external writer damaged the file (\(error)), so the settings are unchanged. "
        + (mustStay
          ? "Repair the file; it isn't saved until then"
          : "The next save keeps it under another name"),
      path: places.file.path, underlying: error)
    table.support.reportLater([problem])
  }

  /// Whether the property list is damaged and may be replaced without waiting for a repair.
  var hasRepairableDamage: Bool { propertyList.damage?.mustStay == false }
}
