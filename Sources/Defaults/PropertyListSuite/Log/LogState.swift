/// The state after the records of a log: the entries, and the property lists that it knows.
///
/// Folds one record after another, including records of other processes. It uses no I/O, lock or
/// clock: each function depends only on its arguments, so that tests can enumerate the results of
/// crashes.
package struct LogState: Sendable, Equatable {
  /// The versions of records and removals that the entries no longer show.
  struct Horizon: Sendable, Equatable {
    /// The latest version of all records.
    var latest = LogVersion.zero
    /// The latest version of the discarded removals. A missing entry that isn't newer may have been
    /// removed.
    var discarded = LogVersion.zero
  }

  /// The entries and removals. A new log omits removals that are older than a day.
  private(set) var entries = LogEntries(.none, version: .zero, writer: 0)
  private(set) var horizon = Horizon()
  /// The property lists, in the order in which their exports or merges began.
  var bases: [Base] = []
  /// Whether a sync of this log failed.
  private(set) var isDoubted = false
  /// Whether the last record says that there was a next log. A log that was moved away and back has
  /// later records.
  var isAbandoned = false
  /// Whether the log is damaged before the next record.
  private(set) var isDamaged = false
  /// The number of checkpoint records so far; nil after a complete checkpoint.
  private var checkpointCount: Int? = 0

  /// Creates the state before the first record of a log.
  package init() {}

  /// Whether the checkpoint at the beginning is complete. A log without a complete checkpoint is
  /// invalid.
  var isComplete: Bool { checkpointCount == nil }

  package var values: [String: Defaults.PropertyListValue] { entries.present.all }

  /// Returns the edit that restores the current entry.
  func current(_ name: String) -> Defaults.Edit { Defaults.Edit(entry: entries.present[name]) }

  /// Returns the last change of an entry, or its removal.
  mutating func lastChange(of name: String) -> LogRecord.JoinedChange? { entries[name] }

  /// Returns all entries for an export, during which changes take no longer than usual.
  mutating func hold() -> [String: Defaults.PropertyListValue] { entries.present.hold() }

  /// Ends a `hold`, after its result was released.
  mutating func release() { entries.present.release() }

  /// Returns this state with the stamps of equal entries of an earlier state. A property list has
  /// only one time for all entries, but doesn't show that all were changed at that time.
  func keepingStamps(of earlier: Self) -> Self {
    var (new, earlier) = (self, earlier)
    for change in earlier.entries.changes where change.edit == new.current(change.name) {
      _ = new.entries.update(change.edit.entry, named: change.name, at: change.stamp)
    }
    return new
  }

  /// Returns the names that changed after a version.
  mutating func names(after version: LogVersion) -> Set<String> {
    Set(entries.changes.lazy.filter { $0.version > version }.map(\.name))
  }

  /// Replaces the entries with equal ones, so that both are stored only once.
  mutating func share(_ equal: Entries) {
    assert(entries.present == equal)
    entries.present = equal
  }

  /// Applies a record of any process and returns its changes.
  @discardableResult
  mutating func apply(_ record: LogRecord) -> [EntryChange] {
    var changes: [EntryChange] = []
    apply(record) { changes.append($0) }
    return changes
  }

  /// Applies a record of any process and calls `note` with each change.
  mutating func apply(_ record: LogRecord, _ note: (EntryChange) -> Void) {
    // A switch over the record itself would copy all of it.
    let content = record.content
    // A note changes no state, not even `isAbandoned`.
    if case .note = content { return }
    isAbandoned = false
    switch content {
    case .note: break
    case .set(let changes):
      horizon.latest = LogVersion(clock: record.version, after: horizon.latest)
      let stamp = LogEntries.Stamp(version: horizon.latest, writer: record.writer)
      for change in changes { put(change.edit.entry, named: change.name, at: stamp, note) }
    case .joined(let changes):
      for change in changes { join(change, note) }
    case .exportBegan(let id, let name):
      add(
        Base(
          id: id, version: record.version, temporaryName: name, isAfterDamage: isDamaged))
    case .mergeBegan(let id):
      add(Base(id: id, version: record.version, isAfterDamage: isDamaged))
    case .exported(let id, let file):
      // An export that was overtaken by a newer one is never placed.
      if let index = announced(id), index == bases.count - 1 { bases[index].content = .file(file) }
    case .placed(let id):
      if let index = index(of: id) { bases[index].isPlaced = true }
    case .merged(let id, let file, let differences):
      guard let index = announced(id), !wasMerged(file) else { break }
      // If the clock is behind, a version says nothing about the time of its change.
      let hasTime = record.version.microseconds > horizon.latest.microseconds + 1
      horizon.latest = LogVersion(clock: record.version, after: horizon.latest)
      let time = hasTime ? min(file?.stamp.time ?? .limit, horizon.latest) : horizon.latest
      merge(differences, of: file, from: index, at: time, writer: record.writer, note)
    case .doubt: isDoubted = true
    case .abandoned: isAbandoned = true
    case .checkpoint(let part):
      apply(part)
    }
    horizon.latest = max(horizon.latest, record.version)
  }

  /// Applies a commit whose only entry is superseded by the next record.
  mutating func applySuperseded(_ version: LogVersion, _ name: String) {
    horizon.latest = LogVersion(clock: version, after: horizon.latest)
    noteChange(of: name) { $0.entries.present[name] }
  }

  /// Records that the log is damaged at this position, so that records are missing.
  mutating func noteDamage() { isDamaged = true }

  /// Returns whether an entry that was committed elsewhere applies here.
  mutating func isNewer(_ change: LogRecord.JoinedChange) -> Bool {
    guard let entry = entries[change.name] else { return change.version > horizon.discarded }
    return (change.version, change.writer) > (entry.version, entry.writer)
  }

  /// Returns the entries of this state that another state lacks or has in an older version. They
  /// are appended to a log that replaced a lost log or that lacks changes in memory.
  func missing(in other: Self) -> [LogRecord.JoinedChange] {
    var (entries, other) = (entries, other)
    return entries.changes.filter { other.isNewer($0) }
  }

  /// Adds the changes of another state that this state lacks, and returns them.
  mutating func join(_ other: Self) -> [LogRecord.JoinedChange] {
    let changes = other.missing(in: self)
    for change in changes { join(change) { _ in } }
    horizon.latest = max(horizon.latest, other.horizon.latest)
    return changes
  }

  private mutating func join(
    _ change: LogRecord.JoinedChange, _ note: (EntryChange) -> Void
  ) {
    horizon.latest = max(horizon.latest, change.version)
    guard isNewer(change) else { return }
    put(change.edit.entry, named: change.name, at: change.stamp, note)
  }

  private mutating func put(
    _ new: Defaults.PropertyListValue?, named name: String, at stamp: LogEntries.Stamp,
    _ note: (EntryChange) -> Void
  ) {
    let old = entries.update(new, named: name, at: stamp)
    guard old != new else { return }
    noteChange(of: name) { _ in old }
    note(EntryChange(name: name, old: old, new: new))
  }

  /// Records in the newest base the entry that the name had there, unless an earlier change did.
  /// For an older base, `entries(at:)` adds the entries that later bases recorded.
  private mutating func noteChange(
    of name: String, from old: (Self) -> Defaults.PropertyListValue?
  ) {
    guard let last = bases.indices.last, bases[last].changed[name] == nil else { return }
    let edit = Defaults.Edit(entry: old(self))
    bases[last].changed[name] = edit
  }

  /// Applies the differences of a property list. Their versions are the time at which the file was
  /// saved, if possible, since changes after that may be known elsewhere, if this log lost its end.
  private mutating func merge(
    _ differences: [LogRecord.FileDifference], of file: LogRecord.FileIdentity?, from index: Int,
    at time: LogVersion, writer: UInt64, _ note: (EntryChange) -> Void
  ) {
    for difference in differences {
      bases[index].differing[difference.name] = difference.edit
      // Changes since the beginning of the merge are newer than the file.
      guard difference.isEdited, !hasChanged(difference.name, since: index) else { continue }
      let replaced = entries[difference.name]?.version ?? horizon.discarded
      let version = LogVersion(clock: time, after: replaced)
      let stamp = LogEntries.Stamp(version: version, writer: writer)
      put(difference.edit.entry, named: difference.name, at: stamp, note)
    }
    bases[index].content = file.map(Base.Content.file) ?? .absent
    bases[index].isPlaced = true
  }
}

extension LogState {
  /// The state of a new suite.
  static var empty: Self { Self([:], of: nil, version: .zero, id: 0) }

  /// Creates the state of a suite without a log, whose property list (nil if there is none) has all
  /// entries.
  ///
  /// `version` is the file's modification time, at most now. `latest` is that time even if this
  /// process's clock is behind, so that changes here are newer than the file for other processes.
  init(
    _ content: [String: Defaults.PropertyListValue], of file: LogRecord.FileIdentity?,
    version: LogVersion, latest: LogVersion = .zero, id: UInt64
  ) {
    entries = LogEntries(Entries(content), version: version, writer: 0)
    horizon.latest = max(version, latest)
    checkpointCount = nil
    guard let file else { return }
    bases = [Base(id: id, version: version, content: .file(file), isPlaced: true)]
  }
}

// MARK: - Checkpoints

extension LogState {
  /// The time in microseconds for which removals are kept, so that an older joined entry doesn't
  /// undo them.
  private static let memory: UInt64 = 86_400_000_000
  /// The maximum number of removals that are kept, and of the bytes of their names.
  private static let removals = 10_000
  private static let bytesOfRemovals = 1 << 20

  /// This state at the beginning of a new log: without old removals, and without the old log's
  /// damage, failed sync and deletion.
  var inNewLog: Self {
    var new = self
    (new.isDamaged, new.isDoubted, new.isAbandoned) = (false, false, false)
    let byAge = new.entries.removals.sorted { $0.value > $1.value }
    let latest = horizon.latest.microseconds
    var bytes = 0
    let surplus = byAge.dropFirst(Self.removals).first
    let long = byAge.first { name, _ in
      bytes += name.utf8.count
      return bytes > Self.bytesOfRemovals
    }
    let oldest = max(
      LogVersion(latest - min(latest, Self.memory)), surplus?.value ?? .zero, long?.value ?? .zero)
    for (name, version) in byAge where version <= oldest {
      new.horizon.discarded = max(new.horizon.discarded, version)
      new.entries.forget(removalOf: name)
    }
    return new
  }

  /// Returns the checkpoint of a new log, from which a reader gets ``inNewLog``. `partSize` limits
  /// the bytes of entries per record, except for one larger entry. `past` are earlier changes that
  /// the log continues to keep.
  func checkpoint(
    partSize: Int = 65_536, past: [LogRecord.PastChange] = []
  ) -> [LogRecord.CheckpointPart] {
    var new = inNewLog
    var parts: [LogRecord.CheckpointPart] = []
    var (part, size) = ([LogRecord.JoinedChange](), 0)
    for change in new.entries.changes {
      let entrySize = change.name.utf8.count + (change.edit.entry?.encodedSize ?? 0)
      if size + entrySize > partSize, !part.isEmpty {
        parts.append(.entries(part))
        (part, size) = ([], 0)
      }
      part.append(change)
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
        _ = entries.update(change.edit.entry, named: change.name, at: change.stamp)
      }
    case .base(let base):
      // A log of this library has a few. Each later file is compared with all of them.
      if bases.count < 1_000 { bases.append(base) }
    case .past: break
    case .end(let expected, let horizon):
      self.horizon = horizon
      if expected == count { checkpointCount = nil }
    }
  }
}
