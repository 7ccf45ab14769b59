import Foundation

/// A suite that stores its changes when it closes.
protocol ClosedAtExit: AnyObject, Sendable {
  func close()
}

/// Closes suites at normal exit, and retains suites with unsaved changes until then.
enum ExitFlush {
  private struct Entry {
    let table: ObjectIdentifier
    weak var suite: (any ClosedAtExit)?
    /// A strong reference to the suite while it has unsaved changes.
    var unsaved: (any ClosedAtExit)?
  }

  /// An array, since the first dictionary with a new key type costs a process 0.1 ms.
  private static let entries: Lock<[Entry]> = {
    atexit { ExitFlush.closeAll() }
    return Lock([])
  }()

  /// Closes the suite of a table at exit, if it hasn't been released by then.
  static func register(_ suite: any ClosedAtExit, of table: EntryTable) {
    entries.withLock { $0.append(Entry(table: ObjectIdentifier(table), suite: suite)) }
  }

  /// Removes a suite's registration. Called when the suite of a table is released.
  static func forget(_ table: EntryTable) {
    update(table) { entries, index in
      entries.swapAt(index, entries.count - 1)
      entries.removeLast()
    }
  }

  /// Retains the suite of a table until exit or until `release` is called.
  static func keep(_ table: EntryTable) {
    update(table) { entries, index in entries[index].unsaved = entries[index].suite }
  }

  /// Ends `keep` for the suite of a table: all of its changes are saved.
  static func release(_ table: EntryTable) {
    var suite: (any ClosedAtExit)?
    update(table) { entries, index in
      suite = entries[index].unsaved
      entries[index].unsaved = nil
    }
    // Releasing the last reference closes the suite, which takes locks that the caller may hold.
    if let suite { table.support.releaseLater(suite) }
  }

  /// Changes the entries if the table's suite is registered.
  private static func update(_ table: EntryTable, _ body: (inout [Entry], Int) -> Void) {
    entries.withLock { entries in
      let index = entries.firstIndex { $0.table == ObjectIdentifier(table) }
      if let index { body(&entries, index) }
    }
  }

  private static func closeAll() {
    // Only the parent stores the changes in memory.
    if Forking.isChild { return }
    for suite in entries.withLock({ $0.compactMap(\.suite) }) { suite.close() }
  }
}
