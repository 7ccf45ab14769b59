/// The entries of a log with the stamps of their last changes, and the stamps of removals.
///
/// A suite's entries usually come from one file or record, and so have the same stamp. Only other
/// stamps are stored by name.
struct LogEntries: Sendable {
  /// The time and the writer of a change.
  private struct Stamp: Equatable {
    let version: LogVersion
    let writer: UInt64
  }

  /// The entries without their stamps.
  var present: Entries
  /// The stamp of the entries that `stamps` lacks.
  private var common: Stamp
  /// The other stamps of entries, and the stamps of removals.
  private var stamps: [String: Stamp] = [:]

  /// Creates entries that were changed at the same time.
  init(_ entries: Entries, version: LogVersion, writer: UInt64) {
    present = entries
    common = Stamp(version: version, writer: writer)
  }

  /// The entry of a name, or its removal.
  subscript(name: String) -> LogRecord.JoinedChange? {
    let value = present[name]
    guard let stamp = stamps[name] ?? value.map({ _ in common }) else { return nil }
    return change(name, value, stamp)
  }

  /// Changes an entry, and returns the old one.
  mutating func apply(_ change: LogRecord.JoinedChange) -> PropertyListValue? {
    let value = change.edit.entry
    let stamp = Stamp(version: change.version, writer: change.writer)
    if stamps.isEmpty, present.isEmpty { common = stamp }
    if stamp != common || value == nil {
      stamps[change.name] = stamp
    } else if !stamps.isEmpty {
      stamps[change.name] = nil
    }
    return present.update(value, named: change.name)
  }

  /// All entries and removals. Entries with the common stamp come first, so that a reader of these
  /// changes uses the same common stamp.
  var changes: [LogRecord.JoinedChange] {
    let values = present.all
    let usual = values.lazy.filter { stamps[$0.key] == nil }
    return usual.map { change($0, $1, common) } + stamps.map { change($0, values[$0], $1) }
  }

  private func change(
    _ name: String, _ value: PropertyListValue?, _ stamp: Stamp
  ) -> LogRecord.JoinedChange {
    LogRecord.JoinedChange(
      name: name, edit: Defaults.Edit(entry: value), version: stamp.version, writer: stamp.writer)
  }

  /// The removed names with the versions of their removals.
  var removals: [String: LogVersion] {
    stamps.filter { present[$0.key] == nil }.mapValues(\.version)
  }

  /// Discards the stamp of a removal.
  mutating func forget(removalOf name: String) { stamps[name] = nil }
}

extension LogEntries: Equatable {
  /// Returns whether all entries, removals and their stamps are equal.
  static func == (left: Self, right: Self) -> Bool {
    let names = Set(left.changes.map(\.name))
    return names == Set(right.changes.map(\.name)) && names.allSatisfy { left[$0] == right[$0] }
  }
}
