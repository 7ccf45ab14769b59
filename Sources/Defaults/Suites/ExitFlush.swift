import Foundation

/// Closes suites at normal exit, and keeps those alive until then whose changes aren't saved.
enum ExitFlush {
  private struct Entry {
    weak var suite: Defaults.StoredSuite?
    var unsaved: Defaults.StoredSuite?
  }

  /// By the tables of the suites.
  private static let entries: Lock<[ObjectIdentifier: Entry]> = {
    atexit { ExitFlush.closeAll() }
    return Lock([:])
  }()

  /// Closes the suite at exit, if it is there then.
  static func register(_ suite: Defaults.StoredSuite) {
    entries.withLock { $0[ObjectIdentifier(suite.table)] = Entry(suite: suite) }
  }

  /// The suite went.
  static func forget(_ table: EntryTable) {
    _ = entries.withLock { $0.removeValue(forKey: ObjectIdentifier(table)) }
  }

  /// Keeps the suite of a table until exit, or until it is released again.
  static func keep(_ table: EntryTable) {
    entries.withLock { entries in
      let suite = entries[ObjectIdentifier(table)]?.suite
      entries[ObjectIdentifier(table)]?.unsaved = suite
    }
  }

  /// The suite of a table has nothing unsaved anymore.
  static func release(_ table: EntryTable) {
    let suite = entries.withLock { entries in
      let suite = entries[ObjectIdentifier(table)]?.unsaved
      entries[ObjectIdentifier(table)]?.unsaved = nil
      return suite
    }
    // It may go with that, and is closed then: not under the locks of whoever has saved it.
    if let suite { table.support.releaseLater(suite) }
  }

  private static func closeAll() {
    for suite in entries.withLock({ $0.values.compactMap(\.suite) }) { suite.close() }
  }
}
