import Foundation

/// A suite at its opening: the combined content of log and property list, read without a lock.
struct LoadedSuite {
  /// The state of the log or, without one, of the property list.
  private(set) var fold: LogState
  private(set) var log: FollowedLog?
  private(set) var isFromLog = false
  /// The fold with an external writer's changes of the property list, which the first commit merges
  /// into the log; nil without such changes.
  private var view: LogState?
  private(set) var format: Defaults.PropertyListFormat?
  private(set) var health = Defaults.Health.intact
  private(set) var propertyList = KnownFile()
  private(set) var folder = KnownFolder(nil)
  private(set) var problems: [SuiteError] = []

  /// Reads the log and the property list, again if they change meanwhile.
  ///
  /// - Throws: `unreadable`, `unsupportedLog` and, if damage must not be repaired, `malformed`.
  init(_ places: SuiteFiles, _ options: FileOptions) throws(SuiteError) {
    // Before the log: another folder may take the path meanwhile.
    let folder = places.file.fileSystem.statusIfVisible(of: places.file.folder)
    var log: LogFile?
    let (loaded, owner) = try Retry.upTo(100, orThrow: .restless(places.file.path)) {
      () throws(SuiteError) -> (Self, uid_t?)? in
      // Read the status of the property list first: an export is in the log before it is in place.
      let status = try places.file.status()
      // If the log is deleted meanwhile, its changes may exist nowhere else.
      log = try LogFile.open(places.journal, failingAs: .unreadable) ?? log
      return try Self.read(log, places, status, options).map { ($0, status?.owner) }
    }
    self = loaded
    self.folder.note(folder?.version, loaded.log?.header)
    let rights = try places.checkRights(owner: owner, journal: loaded.log?.file, folder: folder)
    if !rights.isWritable { health = .readOnly }
    problems += rights.problems
  }

  /// The entries for readers.
  var entries: Entries { view?.entries.present ?? fold.entries.present }

  private init(_ fold: LogState) { self.fold = fold }

  /// Reads both files. Returns nil if they changed meanwhile.
  private static func read(
    _ file: LogFile?, _ places: SuiteFiles, _ status: FileStatus?, _ options: FileOptions
  ) throws(SuiteError) -> Self? {
    guard let file else { return try read(places, status, withoutLog: options) }
    let path = places.journal.path
    let log = try LoadedLog.read(path) { () throws(SuiteError) in
      LoadedLog(try file.content(), path: path)
    }
    if log.start == .unwritten { return try read(places, status, withoutLog: options) }
    try log.checkVersion(at: path)
    if !log.fold.isComplete { return try Self(damaged: log, places, options) }
    var loaded = Self(log.fold)
    loaded.isFromLog = true
    loaded.log = log.followed(in: file)
    (loaded.problems, loaded.propertyList.joined) = (log.problems, log.changedAfterDamage)
    if log.hasGaps { loaded.fold.forgetSync() }
    if let status, let known = log.fold.file(status.version) {
      if known.form == .custom, options.custom == nil { throw .fileIsJSON(places.file.path) }
      loaded.format = known.form.format
      if case .newest = log.fold.finding(known), log.problems.isEmpty { return loaded }
    }
    return try loaded.compareWithPropertyList(places, options) ? loaded : nil
  }

  /// Reads a suite without a log. Returns nil if there is a log by now: a property list that was
  /// saved since its `status` may be its export, and a flush makes only the log durable.
  private static func read(
    _ places: SuiteFiles, _ status: FileStatus?, withoutLog options: FileOptions
  ) throws(SuiteError) -> Self? {
    let loaded = try Self(places, withoutLog: options)
    let found = loaded.fold.bases.last?.file?.stamp ?? loaded.propertyList.damage?.version
    if found == status?.version { return loaded }
    guard let log = try LogFile.open(places.journal, failingAs: .unreadable) else { return loaded }
    return try log.content().withUnsafeBytes { LogHeader.isUnwritten($0) } ? loaded : nil
  }

  /// Reads a suite without a log, whose property list has all entries.
  private init(_ places: SuiteFiles, withoutLog options: FileOptions) throws(SuiteError) {
    guard let content = try places.file.readWritten() else {
      self.init(LogState.empty)
      return
    }
    let file: DecodedFile
    do {
      file = try options.decode(content)
    } catch {
      try options.requireRepair(content.data, error, at: places.file.path)
      self.init(LogState.empty)
      let advice =
        options.custom == nil ? ". `defaults-file recover` reads what can be read of it" : ""
      noteDamage(content, error, "no settings were read from it" + advice, places)
      health = .startedEmpty
      return
    }
    self.init(LogState(file, now: places.file.fileSystem.now))
    format = file.identity.form.format
  }

  /// Reads a suite whose log has no complete checkpoint: the readable part of the log, and the
  /// property list.
  private init(
    damaged log: LoadedLog, _ places: SuiteFiles, _ options: FileOptions
  ) throws(SuiteError) {
    try self.init(places, withoutLog: options)
    problems += log.problems
    _ = fold.join(log.fold)
    fold.forgetSync()
  }

  /// Reads the property list. After damage, recovers entries from an export. Shows readers an
  /// external edit. Returns false if a file changes meanwhile.
  private mutating func compareWithPropertyList(
    _ places: SuiteFiles, _ options: FileOptions
  ) throws(SuiteError) -> Bool {
    guard let content = try places.file.readWritten() else {
      return try showAbsence(places, options)
    }
    let file: DecodedFile
    do {
      file = try options.decode(content)
    } catch {
      try options.requireRepair(content.data, error, at: places.file.path)
      let isIntact = problems.isEmpty
      let state = isIntact ? "has all settings" : "is also damaged"
      noteDamage(content, error, "the journal \(state)", places)
      health = isIntact ? .recoveredFromJournal : .startedEmpty
      return true
    }
    format = file.identity.form.format
    switch fold.finding(file.identity) {
    case .newest(let id):
      let lost = fold.recovering(file.entries, of: id)
      guard !lost.isEmpty else { return true }
      fold.apply(LogRecord(writer: 0, version: fold.horizon.latest, content: .joined(lost)))
      return true
    case .outdated: return true
    case .external: break
    }
    // If an export was placed since the log was read, the log knows it by now.
    if try isBehind(places) { return false }
    let fileSystem = places.file.fileSystem
    let newer = propertyList.joined.names(after: file.identity, now: fileSystem.now)
    let now = fileSystem.now(atMost: log?.file.version)
    showMerged(file.entries, file.identity, at: now, keeping: newer)
    return true
  }

  /// Shows readers a property list that isn't merged into the log yet.
  private mutating func showMerged(
    _ content: [String: PropertyListValue], _ identity: LogRecord.FileIdentity?, at now: UInt64,
    keeping newer: Set<String> = []
  ) {
    view = fold
    view?.preview(content, identity, at: now, keeping: newer)
    propertyList.isUnmerged = true
  }

  /// Shows readers that the property list was deleted, if it had its name before and is still
  /// missing after the settling time. Returns false if it is back.
  private mutating func showAbsence(
    _ places: SuiteFiles, _ options: FileOptions
  ) throws(SuiteError) -> Bool {
    guard fold.finding(nil) == .external else { return true }
    let absence = KnownFile.Absence(fold)
    propertyList.absence = absence
    if options.isAutomatic {
      _ = Alarm().wait(until: absence.start + FileOptions.settlingTime)
      if try places.file.status() != nil { return false }
    }
    showMerged([:], nil, at: places.file.fileSystem.now)
    return true
  }

  /// Returns whether the log has grown or was replaced since it was read.
  private func isBehind(_ places: SuiteFiles) throws(SuiteError) -> Bool {
    guard var log else { return false }
    guard let size = try log.file.sizeInPlace() else { return try places.journal.status() != nil }
    switch try log.compare(size: size) {
    case .upToDate: return false
    case .overwritten: return true
    case .hasRecords:
      // An incomplete record is ignored.
      let bytes = try log.file.bytes(from: log.offset, to: size)
      return bytes.withUnsafeBytes { LogDecoder.record($0, at: 0, log: log.header.id) } != nil
    }
  }

  private mutating func noteDamage(
    _ content: StoredFile.Content, _ error: any Error, _ start: String, _ places: SuiteFiles
  ) {
    // Quarantined now, so that the issue can name the copy. The file also stays in place.
    var aside: String?
    do throws(SuiteError) {
      aside = try places.file.setAside(content)
    } catch {
      // The issue names the file's own path. The next export tries again and reports why it fails.
    }
    propertyList.damage = (content.version, mustStay: false, named: aside)
    // The next export keeps the format, so that a person can repeat an edit.
    let wasXML = fold.bases.last(where: \.isPlaced)?.file?.form == .xml
    if wasXML || content.data.first == UInt8(ascii: "<") { format = .xml }
    problems.append(
      SuiteError(
        .quarantined,
        "The file is damaged (\(error)) and kept at \(aside ?? "its place"); \(start)",
        path: places.file.path, underlying: error))
  }
}

extension LogState {
  /// Removes the mark of a synced suite, since settings may be lost that are older than the mark:
  /// with it, the sync would remove them on all devices.
  mutating func forgetSync() {
    let isAbandoned = isAbandoned
    let removal = LogRecord.Change(name: Defaults.syncName, edit: .remove)
    apply(LogRecord(writer: 0, version: horizon.latest, content: .set([removal])))
    self.isAbandoned = isAbandoned
  }

  /// The time in microseconds, in the year 2400, after which a modification time says nothing about
  /// the clocks that wrote the file. A log needs many later versions below ``LogVersion/limit``.
  private static let latestTime = LogVersion(13_569_465_600_000_000)

  /// Creates the state of a suite without a log, whose property list has all entries. `now` is the
  /// time in microseconds.
  init(_ file: DecodedFile, now: UInt64) {
    let time = file.identity.stamp.time
    self.init(
      file.entries, of: file.identity, version: min(time, LogVersion(now)),
      latest: time < Self.latestTime ? time : .zero, id: 1)
  }
}
