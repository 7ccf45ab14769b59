import Synchronization

/// The changes in a log, the oldest first.
package struct PastChanges {
  /// Whether this process records earlier changes; see ``Defaults/PropertyListSuite/keepsHistory``.
  static let areKept = Atomic(true)

  /// The maximum numbers of bytes and of earlier changes that a new log keeps.
  static let (size, count) = (65_536, 1_000)
  /// The number of bytes at the end of a log that usually have as many changes. Before these bytes,
  /// several changes of an entry in a row may be one.
  static let fullyKeptSize = 262_144

  package private(set) var all: [LogRecord.PastChange] = []
  /// The names that any writer declared secret.
  var secrets: Set<String> = []
  /// The programs of the writers.
  private var programs: [UInt64: String] = [:]
  /// The origin of the next record.
  private var origin = ""
  /// The sources of the next earlier changes.
  private var sources: [LogRecord.Source] = []

  package init() {}

  package mutating func add(_ record: LogRecord, _ changes: [EntryChange]) {
    var source = LogRecord.Source(program: programs[record.writer] ?? "", origin: origin)
    // The writer has only merged the edit of another program.
    if case .merged = record.content { source = LogRecord.Source() }
    origin = ""
    switch record.content {
    case .note(.signature(let program, let names)):
      programs[record.writer] = program
      secrets.formUnion(names)
    case .note(.origin(let text)): origin = text
    case .note(.sources(let list)): sources = list
    case .checkpoint(.past(var earlier)):
      for (index, source) in zip(earlier.indices, sources) { earlier[index].source = source }
      all += earlier
    default:
      for change in changes where change.name != Defaults.syncName {
        all.append(
          LogRecord.PastChange(
            name: change.name, old: Edit(entry: change.old), new: Edit(entry: change.new),
            version: record.version, source: source))
      }
    }
  }

  /// Keeps only the secrets and the programs.
  mutating func forgetChanges() { all = [] }

  /// Returns whether the values of a change must not be shown.
  package func isSecret(_ change: LogRecord.PastChange) -> Bool {
    change.old == change.new
      || !secrets.isEmpty && secrets.contains(Defaults.settingName(of: change.name))
  }

  /// The latest changes, as many as a new log keeps, without the values of secrets.
  ///
  /// A transaction that doesn't fit is left out, with all changes before it. If the last one alone
  /// doesn't fit, the result is empty.
  var latest: [LogRecord.PastChange] {
    var (latest, size) = ([LogRecord.PastChange](), 0)
    for var change in all.suffix(Self.count).reversed() {
      if isSecret(change) { (change.old, change.new) = (.remove, .remove) }
      size += 2 * change.name.utf8.count + 26
      size += change.source.program.utf8.count + change.source.origin.utf8.count
      size += (change.old.entry?.encodedSize ?? 0) + (change.new.entry?.encodedSize ?? 0)
      if size > Self.size { break }
      latest.append(change)
    }
    // With only some of the changes of a transaction, an undo would reverse only these.
    if let cut = all.dropLast(latest.count).last?.version {
      while latest.last?.version == cut { latest.removeLast() }
    }
    latest.reverse()
    return latest
  }

  /// Returns the notes before `latest` in a new log.
  func notes(before latest: [LogRecord.PastChange]) -> [LogRecord] {
    if all.isEmpty, secrets.isEmpty { return [] }
    return [.signature(program: "", secrets: Array(secrets)), .sources(latest.map(\.source))].map {
      LogRecord(writer: 0, version: .zero, content: .note($0))
    }
  }

  /// The signatures of these writers.
  func signatures(of writers: Set<UInt64>) -> [LogRecord] {
    programs.filter { writers.contains($0.key) }.map { writer, program in
      LogRecord(
        writer: writer, version: .zero, content: .note(.signature(program: program, secrets: [])))
    }
  }
}
