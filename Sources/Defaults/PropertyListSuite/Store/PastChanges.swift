/// The changes in a log, the oldest first.
package struct PastChanges {
  /// The maximum number of bytes of earlier changes that a new log keeps.
  static let size = 65_536

  package private(set) var all: [LogRecord.PastChange] = []

  package init() {}

  /// Adds the changes of a record.
  package mutating func add(_ record: LogRecord, _ effects: [LogState.Effect]) {
    if case .checkpoint(.past(let changes)) = record.content { all += changes }
    all += effects.map {
      LogRecord.PastChange(name: $0.name, old: $0.old, new: $0.new, version: record.version)
    }
  }

  /// The latest changes, as many as a new log keeps.
  var latest: [LogRecord.PastChange] {
    var size = 0
    let changes = all.reversed().prefix { change in
      size += 2 * change.name.utf8.count + 18
      size += (change.old.entry?.encodedSize ?? 0) + (change.new.entry?.encodedSize ?? 0)
      return size <= Self.size
    }
    return changes.reversed()
  }
}
