extension Defaults {
  /// What an import did to the entries of a suite.
  public struct ImportResult: Sendable, Hashable {
    /// The names that had no entry before.
    public internal(set) var added: Set<String> = []
    /// The names whose entries have another value now.
    public internal(set) var updated: Set<String> = []
    /// The names whose entries are gone.
    public internal(set) var removed: Set<String> = []
    /// The imported names whose entries are what they were: equal, or kept by the rule.
    public internal(set) var unchanged: Set<String> = []

    /// The names of all changed entries.
    public var changed: Set<String> { added.union(updated).union(removed) }
  }
}
