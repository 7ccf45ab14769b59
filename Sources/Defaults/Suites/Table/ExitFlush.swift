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
  private final class Entry {
    let table: ObjectIdentifier
    weak var suite: (any ClosedAtExit)?
    /// The same suite, while it has changes that aren't saved.
    var unsaved: (any ClosedAtExit)?

    init(_ suite: some ClosedAtExit) {
      table = ObjectIdentifier(suite.table)
      self.suite = suite
    }
  }

  /// Not a dictionary: the first one of a new kind of key costs a process 0.1 ms.
  private static let entries: Lock<[Entry]> = {
    atexit { ExitFlush.closeAll() }
    return Lock([])
  }()

  /// Closes the suite at exit, if it hasn't been released by then.
  static func register(_ suite: some ClosedAtExit) {
    entries.withLock { $0.append(Entry(suite)) }
  }

  /// Called when the suite of a table is released.
  static func forget(_ table: EntryTable) {
    update(table) { entries, index in
      entries.swapAt(index, entries.count - 1)
      entries.removeLast()
    }
  }

  /// Keeps the suite of a table alive until exit, or until `release` is called.
  static func keep(_ table: EntryTable) {
    update(table) { entries, index in entries[index].unsaved = entries[index].suite }
  }

  /// Keeps the suite of a table no longer: all of its changes are saved.
  static func release(_ table: EntryTable) {
    var suite: (any ClosedAtExit)?
    update(table) { entries, index in
      suite = entries[index].unsaved
      entries[index].unsaved = nil
    }
    // If this is the last reference, the suite is closed when it is released, which takes locks that the
    // caller may hold.
    if let suite { table.support.releaseLater(suite) }
  }

  /// Changes the entries, if there is one of the table's suite.
  private static func update(_ table: EntryTable, _ body: (inout [Entry], Int) -> Void) {
    entries.withLock { entries in
      let index = entries.firstIndex { $0.table == ObjectIdentifier(table) }
      if let index { body(&entries, index) }
    }
  }

  private static func closeAll() {
    // What the parent has in memory, the parent stores.
    if Forking.isChild { return }
    for suite in entries.withLock({ $0.compactMap(\.suite) }) { suite.close() }
  }
}
