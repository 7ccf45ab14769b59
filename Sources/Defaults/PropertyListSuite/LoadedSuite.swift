import Foundation

extension Defaults {
  /// What a suite does about a property list file that can't be parsed.
  public enum DamageResponse: Sendable, Hashable {
    /// Keeps the file as `<name>.corrupt-<date>`, and goes on with the previous generation and the
    /// journal.
    case recover
    /// Leaves the file as it is, for a person to mend: opening throws `malformed` with the place,
    /// and a running program keeps the entries that it has, and doesn't write the file before it is
    /// mended.
    case `throw`
  }
}

/// The file of a suite and what lies beside it.
struct SuiteFiles {
  let file: StoredFile
  let journal: StoredFile
  /// The previous generation of the file; found when it is needed.
  var backup: StoredFile { get throws(SuiteError) { try file.sibling(".backup") } }

  /// Looks at nothing: opening a journal does.
  init(_ file: StoredFile) {
    self.file = file
    journal = file.place(beside: ".journal")
  }
}

/// What the file and the journal say together, read without a lock.
struct LoadedSuite {
  var entries: [String: PropertyListValue]
  var format: Defaults.PropertyListFormat?
  var journal: JournalFile?
  /// nil if there is no journal, or one without a header: nothing in it counts then.
  var header: JournalHeader?
  /// Where the journal's records end.
  var offset: Int
  /// The last of them.
  var last: LogMark?
  var history: JournalHistory
  /// Whether somebody else wrote the file.
  var isForeign = false
  /// The version of the file, if it is damaged.
  var damaged: FileVersion?
  var health = Defaults.Health.intact
  var problems: [SuiteError] = []
}

extension LoadedSuite {
  /// Reads the file and its journal, again if they were exchanged meanwhile. Throws `unreadable`.
  init(_ places: SuiteFiles, onDamage: Defaults.DamageResponse = .recover) throws(SuiteError) {
    for _ in 0..<100 {
      if let loaded = try Self.read(places, onDamage) {
        self = loaded
        return
      }
    }
    throw .restless(places.file.path)
  }

  /// nil: the journal isn't the one of this file, because both were replaced in between.
  private static func read(
    _ places: SuiteFiles, _ onDamage: Defaults.DamageResponse
  ) throws(SuiteError) -> Self? {
    let journal = try JournalFile.open(
      places.journal, failingAs: .unreadable)
    // The file first: whoever writes a new one says so in the journal before.
    let content = try places.file.readWritten()
    let base = FileBase(content)
    var loaded = Self(
      entries: [:], journal: journal, offset: 0, history: JournalHistory(base: base))
    try loaded.replay(places, on: base)
    let isForeign = !loaded.history.isKnown(base)
    loaded.isForeign = isForeign
    if isForeign {
      let now = try places.journal.status()
      guard now.map({ journal?.version.isSameFile(as: $0.version) ?? false }) ?? (journal == nil)
      else { return nil }
    }
    try loaded.take(content, isForeign: isForeign, places, onDamage)
    let rights = try places.checkRights(owner: content?.owner, journal: journal)
    if !rights.isWritable { loaded.health = .readOnly }
    loaded.problems += rights.problems
    return loaded
  }

  /// Takes in the journal.
  ///
  /// A writer may be at it: one page is read before a record is there, and the next one after the
  /// record behind it, which looks like damage. So that counts only if the next reading finds the
  /// same.
  private mutating func replay(_ places: SuiteFiles, on base: FileBase) throws(SuiteError) {
    var before: [String] = []
    for _ in 0..<100 {
      header = nil
      offset = 0
      last = nil
      history = JournalHistory(base: base)
      let found = try replay(journal?.content() ?? [], places)
      let reasons = found.map(\.reason)
      if reasons == before {
        problems += found
        return
      }
      before = reasons
    }
    throw .restless(places.file.path)
  }

  /// Takes in the journal, of which these are all the bytes; returns what is to be said about them.
  private mutating func replay(
    _ bytes: [UInt8], _ places: SuiteFiles
  ) throws(SuiteError) -> [SuiteError] {
    var isNewer = bytes.withUnsafeBytes { JournalDecoder.isNewer($0) }
    let problems: [SuiteError] = bytes.withUnsafeBytes { bytes in
      guard let header = JournalDecoder.header(bytes) else {
        return JournalHeader.isUnwritten(bytes)
          ? [] : [.damagedHeader(at: places.journal.path)]
      }
      self.header = header
      let start = JournalEncoder.headerSize
      let scan = JournalScan(
        UnsafeRawBufferPointer(rebasing: bytes[start...]), from: start, journal: header.id)
      if scan.hasNewerRecord { isNewer = true }
      history = JournalHistory(base: header.base)
      for (record, end) in zip(scan.records, scan.ends) { history.apply(record, end: end) }
      offset = scan.end
      last = scan.last
      return scan.problems(at: places.journal.path)
    }
    if isNewer { throw .newerJournal(at: places.journal.path) }
    return problems
  }

  /// Takes in the file, or what there is in place of a damaged one, and lays the journal over it.
  private mutating func take(
    _ content: StoredFile.Content?, isForeign: Bool,
    _ places: SuiteFiles, _ onDamage: Defaults.DamageResponse
  ) throws(SuiteError) {
    guard let content else {
      // Who deletes the file means all of it.
      history.forgetGenerations()
      entries = history.entries(over: [:], isForeign: isForeign)
      return
    }
    do {
      let (file, format) = try Defaults.PropertyListFormat.decode(content.data)
      self.format = format
      if isForeign, content.isPutBack(after: history, previous: try? places.backup) {
        history.forgetGenerations()
      }
      entries = history.entries(over: file, isForeign: isForeign)
    } catch  where onDamage == .throw {
      throw .damaged(error, content.data, at: places.file.path)
    } catch {
      let previous = try places.backup.read().flatMap {
        try? Defaults.PropertyListFormat.decode($0.data)
      }
      damaged = content.version
      format = previous?.format
      entries = history.entries(over: previous?.entries ?? [:], isForeign: false)
      health = previous == nil ? .startedEmpty : .recoveredFromBackup
      let start =
        previous == nil
        ? "starting with what the journal has"
        : "starting with the previous generation, \(try places.backup.path), and the journal"
      // It is linked now, so that the issue can name it; it stays in its place, too.
      let aside = try? places.file.setAside(content)
      problems.append(
        SuiteError(
          .setAside,
          "The file is damaged (\(error)) and kept at \(aside ?? "its place"); \(start)",
          path: places.file.path, underlying: error))
    }
  }
}

extension StoredFile.Content {
  /// Whether somebody put the previous generation in the file's place. A snapshot that was cut
  /// short has only given our own file another name.
  func isPutBack(after history: JournalHistory, previous: @autoclosure () -> StoredFile?) -> Bool {
    !history.isOwn(version) && (try? previous()?.read()?.data) == data
  }
}
