extension Defaults {
  /// A suite that keeps its entries in memory, and forgets them when it is released.
  ///
  /// For tests, previews, and settings that are to live as long as the process. It obeys the same
  /// requirements as a suite on a file, and refuses the same values.
  public final class MemorySuite: StoredSuiteView {
    /// What holds the entries.
    @_documentation(visibility: internal)
    public let storage: StoredSuite

    /// A suite with these entries. `label` is what it is called in errors and issues; `onIssue`
    /// takes its issues in place of ``Defaults/issueHandler``.
    public init(
      _ entries: [String: PropertyListValue] = [:], label: String = "memory",
      onIssue: (@Sendable (Issue) -> Void)? = nil
    ) {
      storage = StoredSuite(inMemory: entries, SuiteSupport(label: label, onIssue: onIssue))
    }
  }
}

extension Defaults.StoredSuite {
  /// A suite in memory; one that should have a file, and has an obstacle, isn't flushed.
  convenience init(
    inMemory entries: [String: PropertyListValue], _ support: Defaults.SuiteSupport,
    because obstacle: SuiteError? = nil
  ) {
    let table = EntryTable(entries, support)
    self.init(table, NoPersistence(table, obstacle))
  }
}
