import Foundation

/// Closes suites at normal exit, and keeps those alive until then whose changes aren't saved.
enum ExitFlush {
  private struct Entry {
    let table: ObjectIdentifier
    weak var suite: Defaults.StoredSuite?
    var unsaved: Defaults.StoredSuite?
  }

  /// Not a dictionary: the first one of a new kind of key costs a process 0.1 ms.
  private static let entries: Lock<[Entry]> = {
    atexit { ExitFlush.closeAll() }
    return Lock([])
  }()

  /// Closes the suite at exit, if it is there then.
  static func register(_ suite: Defaults.StoredSuite) {
    entries.withLock { $0.append(Entry(table: ObjectIdentifier(suite.table), suite: suite)) }
  }

  /// The suite went.
  static func forget(_ table: EntryTable) {
    entries.withLock { entries in
      guard let index = entries.firstIndex(where: { $0.table == ObjectIdentifier(table) }) else {
        return
      }
      entries.swapAt(index, entries.count - 1)
      entries.removeLast()
    }
  }

  /// Keeps the suite of a table until exit, or until it is released again.
  static func keep(_ table: EntryTable) {
    entries.withLock { entries in
      guard let index = entries.firstIndex(where: { $0.table == ObjectIdentifier(table) }) else {
        return
      }
      entries[index].unsaved = entries[index].suite
    }
  }

  /// The suite of a table has nothing unsaved anymore.
  static func release(_ table: EntryTable) {
    let suite = entries.withLock { entries -> Defaults.StoredSuite? in
      guard let index = entries.firstIndex(where: { $0.table == ObjectIdentifier(table) }) else {
        return nil
      }
      defer { entries[index].unsaved = nil }
      return entries[index].unsaved
    }
    // It may go with that, and is closed then: not under the locks of whoever has saved it.
    if let suite { table.support.releaseLater(suite) }
  }

  private static func closeAll() {
    for suite in entries.withLock({ $0.compactMap(\.suite) }) { suite.close() }
  }
}
