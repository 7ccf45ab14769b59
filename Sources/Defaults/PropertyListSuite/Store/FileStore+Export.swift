import Foundation

/// Exporting the entries to the property list.
///
/// The order of the steps makes a crash at any time safe. `exportBegan` is in the log before the
/// entries are held. The new file is durable before `exported` describes it. That record is
/// durable before the file gets its name, and the name is durable before `placed` is appended.
extension FileStore {
  /// Exports the entries if the property list lacks any.
  ///
  /// `timeout` is the timeout for each wait for a lock; by default the timeout of exact commits. If
  /// it `isOptional`, nothing is exported while another process exports. The caller must then call
  /// it again later.
  func export(
    within timeout: Duration? = nil, isOptional: Bool = false
  ) throws(SuiteError) {
    let attempts = timeout.map { max(1, Int($0 / .milliseconds(1))) } ?? .max
    let done: Void? = try exporting.withLockIfFree(attempts: attempts) { _ throws(SuiteError) in
      state.withLock { $0.exports.isRunning = true }
      defer { state.withLock { $0.exports.isRunning = false } }
      let isPlaced: Bool
      do throws(SuiteError) {
        isPlaced = try exportUntilPlaced(within: timeout, isOptional: isOptional)
      } catch {
        do throws(SuiteError) {
          // So that the log doesn't grow while the property list can't be saved.
          if error.code != .locked { try compactIfDue(within: timeout) }
        } catch let second {
          table.support.reportLater([second])
        }
        throw error
      }
      try compactIfDue(within: timeout)
      state.withLock { state in
        if isPlaced, state.exports.failures > 0 { state.forgetIssues() }
        if isPlaced || !state.isExportDue { state.exports.failures = 0 }
      }
    }
    guard done != nil else {
      throw SuiteError(
        .locked, "Another thread is saving the file, and waits for the lock",
        path: file.path)
    }
  }

  /// Writes the file again, in the format with which the suite was opened.
  func rewrite() throws(SuiteError) {
    state.withLock { $0.exports.mustRewrite = true }
    try export()
  }

  /// Exports until an export of this process is placed, or one of another process that has as much.
  /// Returns whether this process has placed a file.
  private func exportUntilPlaced(
    within timeout: Duration?, isOptional: Bool
  ) throws(SuiteError) -> Bool {
    let isNeeded = state.withLock { state in
      if state.log != nil { state.propertyList.mustCheck = true }
      return state.log != nil || state.isFromLog || !state.waiting.isEmpty || state.isExportDue
    }
    guard isNeeded else { return false }
    let start = ContinuousClock.now
    var firstBegan: LogVersion?
    // The pauses take several seconds, and the wait for another process's export about one.
    for round in 0..<100 {
      if round > 0, options.isAutomatic {
        let longest = UInt64(1) << min(round, 7)
        _ = Alarm().wait(until: MonotonicClock.now + .random(in: 0...longest) * 1_000_000)
      }
      let step: Step
      do throws(SuiteError) {
        step = try plan(after: firstBegan, within: timeout, isOptional: isOptional)
      } catch {
        // Another program may be writing the file in place.
        if error.code == .unreadable, round < 8 { continue }
        throw error
      }
      switch step {
      case .nothing: return false
      case .wait: continue
      case .write(let plan):
        defer { state.withLock { $0.release() } }
        firstBegan = firstBegan ?? plan.began
        let attemptStart = ContinuousClock.now
        let isPlaced = try finish(plan, within: timeout)
        state.withLock {
          $0.exports.schedule.note(ContinuousClock.now - (isPlaced ? start : attemptStart))
        }
        if isPlaced { return true }
      }
    }
    throw SuiteError(
      .unwritable,
      "Other processes keep replacing the file, so it lags behind. The library tries again",
      path: file.path)
  }

  private struct Plan {
    let id: UInt64
    /// The version of the announcement, which is also the file's modification time; see
    /// ``LogState/Base/announces(_:)``.
    let began: LogVersion
    let entries: [String: PropertyListValue]
    let replacement: FileReplacement
  }

  private enum Step {
    case nothing
    /// Another process is exporting, or it is still unknown whether the file was deleted.
    case wait
    case write(Plan)
  }

  /// Announces an export and holds the entries.
  ///
  /// - Parameter firstBegan: The version of this call's first announcement; nil before it.
  ///   If another process places an export of this version or a later one, nothing remains to
  ///   export. Another announcement would overtake that export.
  private func plan(
    after firstBegan: LogVersion?, within timeout: Duration?, isOptional: Bool
  ) throws(SuiteError) -> Step {
    // A missing file isn't exported until it is known whether it was deleted.
    if options.isAutomatic, let absence = state.withLock({ $0.propertyList.absence }) {
      _ = Alarm().wait(until: absence.start + FileOptions.settlingTime)
    }
    return try withLog(.maintenance, within: timeout) { state throws(SuiteError) -> Step in
      try state.sweepBeforeExport()
      if state.propertyList.mustCheck, state.propertyList.absence == nil {
        // Throws again why the file can't be read, instead of writing one that can't be placed.
        try state.checkFile()
        if state.propertyList.mustCheck { return .wait }
      }
      guard state.isExportDue else { return state.propertyList.absence == nil ? .nothing : .wait }
      if isOptional, firstBegan == nil, state.isRivalExporting { return .nothing }
      if let firstBegan, options.isAutomatic {
        if state.fold.hasExport(since: firstBegan), !state.exports.mustRewrite { return .nothing }
        if state.isRivalExporting { return .wait }
      }
      let placed = state.fold.bases.last(where: \.isPlaced)?.file
      if options.custom == nil, placed?.form == .custom {
        throw .fileIsJSON(state.places.file.path)
      }
      if state.propertyList.damage?.mustStay == true {
        throw SuiteError(
          .malformed, "The file is damaged, and isn't saved until it is repaired",
          path: state.places.file.path)
      }
      // The log must become durable before the file gets its name.
      try state.replaceDoubtedLog()
      let replacement = try FileReplacement(of: state.places.file)
      let id = state.places.file.fileSystem.randomNumber()
      try state.append(.exportBegan(id: id, temporaryName: replacement.temporaryName))
      state.exports.announced = id
      let plan = Plan(
        // Waiting changes aren't in the log, so they aren't exported.
        id: id, began: state.fold.horizon.latest, entries: state.fold.hold(),
        replacement: replacement)
      return .write(plan)
    }
  }

  /// Writes the file and puts it in place. Returns false if another process changed it meanwhile.
  private func finish(_ plan: Plan, within timeout: Duration?) throws(SuiteError) -> Bool {
    let content = try content(of: plan.entries)
    try plan.replacement.write(content.data, modified: FileTime(plan.began))
    state.withLock { $0.propertyList.mustCheck = true }
    let isPlaced = try withLog(.maintenance, within: timeout) { state throws(SuiteError) in
      guard try state.place(plan.replacement, content, id: plan.id) else { return false }
      let wasSavedAsBinary = state.fileHealth.isSavedAsBinary
      state.fileHealth.isSavedAsBinary = content.form == .binary && options.format == .xml
      if let problem = content.problem, !(wasSavedAsBinary && state.fileHealth.isSavedAsBinary) {
        table.support.reportLater([problem])
      }
      return true
    }
    guard isPlaced else { return false }
    try plan.replacement.synchronizeFolder()
    try withLog(.maintenance, within: timeout) { state throws(SuiteError) in
      if !state.places.file.fileSystem.omits(rule: .placed) {
        try state.append(.placed(id: plan.id))
      }
      state.exports.hasDuty = state.isExportDue
      if state.fileHealth.failures > 0 || state.fileHealth.health == .readOnly {
        state.noteStored()
      }
    }
    return true
  }

  /// Returns the content of the file with these entries. A custom format edits the current text.
  ///
  /// - Throws: `unrepresentable`, also if the file would be too large to be read again.
  private func content(of entries: [String: PropertyListValue]) throws(SuiteError) -> WrittenFile {
    let content: WrittenFile
    if let custom = options.custom {
      let base = try file.read()
      let isDamaged = state.withLock { $0.propertyList.damage?.version == base?.version }
      let (data, problem) = try custom.encode(
        entries, replacing: isDamaged ? nil : base?.data, path: file.path,
        about: table.support.about)
      content = WrittenFile(data: data, form: .custom, base: base?.version, problem: problem)
    } else {
      content = try WrittenFile(entries, as: options.format, path: file.path)
    }
    let limit = Defaults.SizeLimit.file
    guard content.data.count > limit else { return content }
    throw SuiteError(
      .unrepresentable,
      "The file can't be written: it would have \(content.data.count >> 20) MiB, more than the "
        + "limit of \(limit >> 20)",
      path: file.path)
  }
}
