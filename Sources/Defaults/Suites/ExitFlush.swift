import Foundation

/// Closes suites at normal exit, and keeps those alive until then whose changes aren't saved.
enum ExitFlush {
  private struct Entry {
    weak var suite: Defaults.StoredSuite?
    var unsaved: Defaults.StoredSuite?
  }

  private static let entries: Lock<[ObjectIdentifier: Entry]> = {
    atexit { ExitFlush.closeAll() }
    return Lock([:])
  }()

  /// Closes the suite at exit, if it is there then.
  static func register(_ suite: Defaults.StoredSuite) {
    entries.withLock { $0[ObjectIdentifier(suite)] = Entry(suite: suite) }
  }

  /// The suite went.
  static func forget(_ suite: ObjectIdentifier) {
    _ = entries.withLock { $0.removeValue(forKey: suite) }
  }

  /// Keeps a suite until exit, or until it is released again.
  static func keep(_ suite: Defaults.StoredSuite) {
    entries.withLock { $0[ObjectIdentifier(suite)] = Entry(suite: suite, unsaved: suite) }
  }

  /// The suite has nothing unsaved anymore.
  static func release(_ suite: Defaults.StoredSuite) {
    entries.withLock { $0[ObjectIdentifier(suite)] = Entry(suite: suite) }
  }

  private static func closeAll() {
    for suite in entries.withLock({ $0.values.compactMap(\.suite) }) { suite.close() }
  }
}
