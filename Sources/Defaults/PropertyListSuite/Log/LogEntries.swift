/// The entries of a log with the stamps of their last changes, and the stamps of removals.
///
/// A suite's entries usually come from one file or record, and so have the same stamp. Only other
/// stamps are stored by name.
struct LogEntries: Sendable {
  /// The time and the writer of a change.
  struct Stamp: Equatable {
    let version: LogVersion
    let writer: UInt64
  }

  /// The entries without their stamps.
  var present: Entries
  /// The stamp of the entries that `stamps` lacks.
  private var common: Stamp
  /// The other stamps of entries, and the stamps of removals, except for those in `recent`.
  private var stamps: [String: Stamp] = [:]
  /// The stamps of the latest changes. Of several stamps of a name, the last one applies. They move
  /// to `stamps` before a stamp is read, since looking up their names takes a third of the time to
  /// fold a record.
  private var recent: [(name: String, stamp: Stamp)] = []

  /// The maximum number of recent stamps.
  private static let mostRecent = 16_384
  /// The maximum number of recent stamps that are searched for the name of a change, since programs
  /// often change the same few entries. If there are more, only the last one is compared.
  private static let mostSearched = 8

  /// Creates entries that were changed at the same time.
  init(_ entries: Entries, version: LogVersion, writer: UInt64) {
    present = entries
    common = Stamp(version: version, writer: writer)
  }

  /// The entry of a name, or its removal.
  subscript(name: String) -> LogRecord.JoinedChange? {
    mutating get {
      mergeRecent()
      let value = present[name]
      guard let stamp = stamps[name] ?? value.map({ _ in common }) else { return nil }
      return Self.change(name, value, stamp)
    }
  }

  /// Changes an entry, or removes it, and returns the old one.
  mutating func update(
    _ new: PropertyListValue?, named name: String, at stamp: Stamp
  ) -> PropertyListValue? {
    setStamp(stamp, of: name, isRemoval: new == nil)
    return present.update(new, named: name)
  }

  private mutating func setStamp(_ stamp: Stamp, of name: String, isRemoval: Bool) {
    if stamps.isEmpty, recent.isEmpty {
      if present.isEmpty { common = stamp }
      if stamp == common, !isRemoval { return }
    }
    let searched = recent.count <= Self.mostSearched ? Self.mostSearched : 1
    for index in (max(0, recent.count - searched)..<recent.count).reversed()
    where recent[index].name == name {
      recent[index].stamp = stamp
      return
    }
    if recent.count == Self.mostRecent { mergeRecent() }
    recent.append((name, stamp))
  }

  /// Moves the recent stamps to `stamps`.
  private mutating func mergeRecent() {
    if recent.isEmpty { return }
    for (name, stamp) in recent {
      stamps[name] = stamp == common && present[name] != nil ? nil : stamp
    }
    recent = []
  }

  /// All entries and removals. Entries with the common stamp come first, so that a reader of these
  /// changes uses the same common stamp.
  var changes: [LogRecord.JoinedChange] {
    mutating get {
      mergeRecent()
      let (values, common, stamps) = (present.all, common, stamps)
      let usual = values.lazy.filter { stamps[$0.key] == nil }
      return usual.map { Self.change($0, $1, common) }
        + stamps.map { Self.change($0, values[$0], $1) }
    }
  }

  private static func change(
    _ name: String, _ value: PropertyListValue?, _ stamp: Stamp
  ) -> LogRecord.JoinedChange {
    LogRecord.JoinedChange(
      name: name, edit: Defaults.Edit(entry: value), version: stamp.version, writer: stamp.writer)
  }

  /// The removed names with the versions of their removals.
  var removals: [String: LogVersion] {
    mutating get {
      mergeRecent()
      let present = present
      return stamps.filter { present[$0.key] == nil }.mapValues(\.version)
    }
  }

  /// Discards the stamp of a removal.
  mutating func forget(removalOf name: String) {
    mergeRecent()
    stamps[name] = nil
  }
}

extension LogRecord.JoinedChange {
  var stamp: LogEntries.Stamp { LogEntries.Stamp(version: version, writer: writer) }
}

extension LogEntries: Equatable {
  /// Returns whether all entries, removals and their stamps are equal.
  static func == (left: Self, right: Self) -> Bool {
    var (left, right) = (left, right)
    let names = Set(left.changes.map(\.name))
    return names == Set(right.changes.map(\.name)) && names.allSatisfy { left[$0] == right[$0] }
  }
}
