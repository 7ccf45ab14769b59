import Foundation

/// A suite that is closed at normal exit, or when it is released.
protocol ClosedAtExit: AnyObject, Sendable {
  /// The entries of the suite; two suites never have the same.
  var table: EntryTable { get }

  /// Stores what can be stored without waiting for a transaction.
  func close()
}

/// Closes suites at normal exit, and keeps suites with unsaved changes alive until then.
enum ExitFlush {
  private struct Entry {
    weak var suite: (any ClosedAtExit)?
    /// The same suite, while it has changes that aren't saved.
    var unsaved: (any ClosedAtExit)?
  }

  /// By the tables of the suites.
  private static let entries: Lock<[ObjectIdentifier: Entry]> = {
    atexit { ExitFlush.closeAll() }
    return Lock([:])
  }()

  /// Closes the suite at exit, if it hasn't been released by then.
  static func register(_ suite: some ClosedAtExit) {
    entries.withLock { $0[ObjectIdentifier(suite.table)] = Entry(suite: suite) }
  }

  /// Called when the suite of a table is released.
  static func forget(_ table: EntryTable) {
    _ = entries.withLock { $0.removeValue(forKey: ObjectIdentifier(table)) }
  }

  /// Keeps the suite of a table alive until exit, or until `release` is called.
  static func keep(_ table: EntryTable) {
    entries.withLock { entries in
      let suite = entries[ObjectIdentifier(table)]?.suite
      entries[ObjectIdentifier(table)]?.unsaved = suite
    }
  }

  /// Keeps the suite of a table no longer: all of its changes are saved.
  static func release(_ table: EntryTable) {
    let suite = entries.withLock { entries in
      let suite = entries[ObjectIdentifier(table)]?.unsaved
      entries[ObjectIdentifier(table)]?.unsaved = nil
      return suite
    }
    // If nobody else has the suite, it is closed when it is released, which takes locks that the
    // caller may hold.
    if let suite { table.support.releaseLater(suite) }
  }

  private static func closeAll() {
    for suite in entries.withLock({ $0.values.compactMap(\.suite) }) { suite.close() }
  }
}
