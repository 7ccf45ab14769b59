extension Defaults {
  /// The result of an import: the entries that it changed, and the entries that it skipped.
  public struct ImportReport: Sendable {
    /// The reason that an entry was skipped.
    public enum Reason: Sendable, CustomStringConvertible {
      /// A name or key was listed, but nothing is stored for it.
      case missing
      /// The value is an argument, a registered default, or a setting of all programs.
      case notStoredThere
      /// The entry describes the suite in `UserDefaults`, such as the suite's version.
      case reserved
      /// An earlier import imported the entry, or its conflict rule rejected the entry.
      case importedBefore
      /// The suite had the same value.
      case same
      /// The suite has another value, which the rule kept.
      case kept
      /// The value isn't a property list, isn't of the key's type, or can't be stored by the suite.
      case unusable(SuiteError)

      /// The reason as a clause.
      @_documentation(visibility: internal)
      public var description: String {
        switch self {
        case .missing: "the other suite has no value"
        case .notStoredThere: "this program didn't store the value in UserDefaults"
        case .reserved: "the entry describes the other suite, such as its version"
        case .importedBefore: "the value was imported before"
        case .same: "the value is the same"
        case .kept: "the current value was kept"
        case .unusable(let error): error.reason
        }
      }
    }

    /// The names that had no entry before.
    public internal(set) var added: Set<String> = []
    /// The names whose entries have another value than before.
    public internal(set) var updated: Set<String> = []
    /// The names whose entries were removed.
    public internal(set) var removed: Set<String> = []
    /// The names that were found or listed but skipped, with the reasons.
    public internal(set) var skipped: [String: Reason] = [:]
    /// The changes by name, including rejected changes.
    package internal(set) var changes: [String: ImportDifference] = [:]

    /// The names whose entries were added or changed.
    public var taken: Set<String> { added.union(updated) }
  }
}

extension Defaults.ImportReport: CustomReflectable, CustomStringConvertible {
  /// The mirror for `dump` and failed tests: the description, which has no entries.
  @_documentation(visibility: internal)
  public var customMirror: Mirror {
    Mirror(self, children: ["report": "\(self)"], displayStyle: .struct)
  }

  /// One line per name, sorted.
  @_documentation(visibility: internal)
  public var description: String {
    var outcomes: [String: String] = [:]
    for name in taken { outcomes[name] = "taken" }
    for name in removed { outcomes[name] = "removed" }
    for (name, reason) in skipped { outcomes[name] = "skipped: \(reason)" }
    return outcomes.sortedByName.map { "\(escaped($0)): \(escapedMessage($1))" }
      .joined(separator: "\n")
  }
}
