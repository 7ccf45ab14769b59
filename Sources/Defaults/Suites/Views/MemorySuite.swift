extension Defaults {
  /// A suite in memory, whose entries are discarded when it is released.
  ///
  /// Use it for tests, previews, and settings that last as long as the process. It fulfills the
  /// same requirements as a suite with a file, but also accepts values that a file can't have, such
  /// as larger ones.
  public final class MemorySuite: StoredSuiteView {
    /// The suite that holds the entries.
    @_documentation(visibility: internal)
    public let storage: StoredSuite

    /// Creates a suite in memory.
    ///
    /// - Parameters:
    ///   - entries: The initial entries.
    ///   - label: The suite's name in errors and issues.
    ///   - onIssue: Replaces ``Defaults/issueHandler`` for the suite's issues.
    public init(
      _ entries: [String: PropertyListValue] = [:], label: String = "memory",
      onIssue: (@Sendable (Issue) -> Void)? = nil
    ) {
      storage = StoredSuite(inMemory: entries, SuiteSupport(label: label, onIssue: onIssue))
    }
  }
}

extension Defaults.StoredSuite {
  /// Creates a suite in memory. Flushing throws the obstacle, the reason that the suite has no
  /// file.
  convenience init(
    inMemory entries: [String: PropertyListValue], _ support: Defaults.SuiteSupport,
    because obstacle: SuiteError? = nil
  ) {
    let table = EntryTable(entries, support)
    self.init(table, NoPersistence(table, obstacle))
  }
}
