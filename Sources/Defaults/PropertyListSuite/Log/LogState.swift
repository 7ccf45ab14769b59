/// What a log says: the entries, and which versions of the property list were made of them.
///
/// Folds one record after another, those of other processes too. No I/O, no lock, no clock: each
/// function depends on nothing but its arguments, so that the tests can enumerate what crashes leave.
///
/// There are two kinds of change. A *set* counts by its place in the log. A *joined* entry was
/// committed elsewhere, and counts if its version is newer; see ``LogRecord``.
package struct LogState: Sendable, Equatable {
  struct Entry: Sendable, Equatable {
    var edit: Defaults.Edit
    var version: LogVersion
    /// Breaks ties between equal versions.
    var writer: UInt64
  }

  /// What is known of all that the entries no longer show.
  struct Horizon: Sendable, Equatable {
    /// The latest version of all records.
    var latest = LogVersion.zero
    /// The latest version of the removals that were discarded. An entry that isn't there and is
    /// not newer than this may have been removed.
    var discarded = LogVersion.zero
  }

  /// The change of one name by a record.
  package struct Effect: Sendable, Equatable {
    var name: String
    var old: Defaults.Edit
    var new: Defaults.Edit
  }

  /// The entries, and the removals of the last day.
  private(set) var entries: [String: Entry] = [:]
  private(set) var horizon = Horizon()
  /// The versions of the property list, in the order in which their content was determined.
  var bases: [Base] = []
  /// Whether a sync of this log failed.
  private(set) var isDoubted = false
  /// Whether a process found that this log was deleted.
  private(set) var isAbandoned = false
  /// Whether the log is damaged before the next record.
  private(set) var isDamaged = false
  /// The number of checkpoint records so far; nil behind a complete checkpoint.
  private var checkpointCount: Int? = 0

  /// Whether the checkpoint that the log begins with is complete. A log without one is no log.
  var isComplete: Bool { checkpointCount == nil }

  package var values: [String: Defaults.PropertyListValue] {
    entries.compactMapValues(\.edit.entry)
  }

  /// The edit that restores the present entry.
  func current(_ name: String) -> Defaults.Edit { entries[name]?.edit ?? .remove }

  /// Applies a record of any process; returns the names whose entries changed.
  @discardableResult
  mutating func apply(_ record: LogRecord) -> [Effect] {
    var effects: [Effect] = []
    apply(record) { effects.append($0) }
    return effects
  }

  /// Applies a record of any process. `note`: called with each entry that changes.
  mutating func apply(_ record: LogRecord, _ note: (Effect) -> Void) {
    defer { horizon.latest = max(horizon.latest, record.version) }
    switch record.content {
    case .set(let changes):
      horizon.latest = LogVersion(clock: record.version, after: horizon.latest)
      for change in changes {
        put(
          change.name, Entry(edit: change.edit, version: horizon.latest, writer: record.writer),
          note)
      }
    case .joined(let changes):
      for change in changes { join(change, note) }
    case .exportBegan(let id, let name):
      add(
        Base(
          id: id, version: record.version, temporaryName: name, isAfterDamage: isDamaged))
    case .mergeBegan(let id):
      add(Base(id: id, version: record.version, isAfterDamage: isDamaged))
    case .exported(let id, let file):
      // One that a newer version overtook is never placed.
      if let index = announced(id), index == bases.count - 1 { bases[index].content = .file(file) }
    case .placed(let id):
      if let index = index(of: id) { bases[index].isPlaced = true }
    case .merged(let id, let file, let differences):
      guard let index = announced(id), !wasMerged(file) else { break }
      horizon.latest = LogVersion(clock: record.version, after: horizon.latest)
      merge(differences, of: file, from: index, writer: record.writer, note)
    case .doubt: isDoubted = true
    case .abandoned: isAbandoned = true
    case .checkpoint(let part):
      apply(part)
    }
  }

  /// Notes that records are missing at this place of the log, since they are damaged.
  mutating func noteDamage() { isDamaged = true }

  /// Whether an entry that was committed elsewhere counts here.
  func isNews(_ change: LogRecord.JoinedChange) -> Bool {
    guard let entry = entries[change.name] else { return change.version > horizon.discarded }
    return (change.version, change.writer) > (entry.version, entry.writer)
  }

  /// The entries of this state that another one lacks, or has in an older version: what is
  /// appended to a log that replaced a lost one, or that doesn't have what waits in memory.
  func missing(in other: Self) -> [LogRecord.JoinedChange] {
    entries.map { LogRecord.JoinedChange($0.key, $0.value) }.filter(other.isNews)
  }

  private mutating func join(_ change: LogRecord.JoinedChange, _ note: (Effect) -> Void) {
    horizon.latest = max(horizon.latest, change.version)
    guard isNews(change) else { return }
    put(
      change.name, Entry(edit: change.edit, version: change.version, writer: change.writer), note)
  }

  private mutating func put(_ name: String, _ entry: Entry, _ note: (Effect) -> Void) {
    let old = entries.updateValue(entry, forKey: name)?.edit ?? .remove
    guard old != entry.edit else { return }
    // What the newest version of the file has under this name; the versions before it are
    // described by what changed up to the next one.
    if let last = bases.indices.last, bases[last].changed[name] == nil {
      bases[last].changed[name] = old
    }
    note(Effect(name: name, old: old, new: entry.edit))
  }

  private mutating func merge(
    _ differences: [LogRecord.FileDifference], of file: LogRecord.FileIdentity?, from index: Int,
    writer: UInt64, _ note: (Effect) -> Void
  ) {
    for difference in differences {
      bases[index].differing[difference.name] = difference.edit
      // What was set since the merge began is newer than the file.
      guard difference.isEdited, !hasChanged(difference.name, since: index) else { continue }
      put(
        difference.name, Entry(edit: difference.edit, version: horizon.latest, writer: writer), note
      )
    }
    bases[index].content = file.map(Base.Content.file) ?? .absent
    bases[index].isPlaced = true
  }
}

extension LogState {
  /// The state of a suite without a log: its property list (nil: there is none) has all entries.
  ///
  /// `version`: when the file was modified, at most now. `latest`: the same, also where the clock of
  /// this process is behind: what is set here is newer than the file for processes with a right clock.
  init(
    _ content: [String: Defaults.PropertyListValue], of file: LogRecord.FileIdentity?,
    version: LogVersion, latest: LogVersion = .zero, writer: UInt64, id: UInt64
  ) {
    entries = content.mapValues { Entry(edit: .set($0), version: version, writer: writer) }
    horizon.latest = max(version, latest)
    checkpointCount = nil
    guard let file else { return }
    bases = [Base(id: id, version: version, content: .file(file), isPlaced: true)]
  }
}

// MARK: - Checkpoints

extension LogState {
  /// How long a removal is remembered, so that an older entry that is joined doesn't restore it.
  private static let memory: UInt64 = 86_400_000_000
  /// How many removals are remembered at most.
  private static let removals = 10_000

  /// This state as readers of a new log find it: without the removals that are too old, and without
  /// the damage, the failed sync and the deletion, which were those of the old log.
  var inNewLog: Self {
    var new = self
    (new.isDamaged, new.isDoubted, new.isAbandoned) = (false, false, false)
    let removed = entries.filter { $0.value.edit == .remove }.mapValues(\.version)
    let byAge = removed.values.sorted(by: >)
    let horizonOfMemory = LogVersion(horizon.latest.microseconds.subtracting(Self.memory))
    let oldest = max(horizonOfMemory, byAge.count > Self.removals ? byAge[Self.removals] : .zero)
    for (name, version) in removed where version <= oldest {
      new.horizon.discarded = max(new.horizon.discarded, version)
      new.entries[name] = nil
    }
    return new
  }

  /// What a new log begins with, of which a reader makes ``inNewLog``. `partSize` bounds the entries
  /// of one record, in bytes, unless one entry is larger. `past`: earlier changes, which the log
  /// carries on.
  func checkpoint(
    partSize: Int = 65_536, past: [LogRecord.PastChange] = []
  ) -> [LogRecord.CheckpointPart] {
    let new = inNewLog
    var parts: [LogRecord.CheckpointPart] = []
    var (part, size) = ([LogRecord.JoinedChange](), 0)
    for (name, entry) in new.entries {
      let entrySize = name.utf8.count + (entry.edit.entry?.encodedSize ?? 0)
      if size + entrySize > partSize, !part.isEmpty {
        parts.append(.entries(part))
        (part, size) = ([], 0)
      }
      part.append(LogRecord.JoinedChange(name, entry))
      size += entrySize
    }
    if !part.isEmpty { parts.append(.entries(part)) }
    parts += new.bases.map { .base($0) }
    if !past.isEmpty { parts.append(.past(past)) }
    parts.append(.end(count: parts.count, new.horizon))
    return parts
  }

  private mutating func apply(_ part: LogRecord.CheckpointPart) {
    guard let count = checkpointCount else { return }
    checkpointCount = count + 1
    switch part {
    case .entries(let changes):
      for change in changes {
        entries[change.name] = Entry(
          edit: change.edit, version: change.version, writer: change.writer)
      }
    case .base(let base):
      bases.append(base)
    case .past: break
    case .end(let expected, let horizon):
      self.horizon = horizon
      if expected == count { checkpointCount = nil }
    }
  }
}

extension LogRecord.JoinedChange {
  fileprivate init(_ name: String, _ entry: LogState.Entry) {
    self.init(name: name, edit: entry.edit, version: entry.version, writer: entry.writer)
  }
}

extension UInt64 {
  /// The difference, or 0 where it would be negative.
  fileprivate func subtracting(_ other: UInt64) -> UInt64 { self > other ? self - other : 0 }
}
