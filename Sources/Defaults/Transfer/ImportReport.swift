extension Defaults {
  /// What an import did to the entries of a suite, and what it left, and why.
  public struct ImportReport: Sendable {
    /// Why an entry wasn't taken.
    public enum Reason: Sendable, CustomStringConvertible {
      /// A name or key was listed, and nothing is stored for it there.
      case missing
      /// It isn't this program's: an argument, a registered default, or a setting of all programs.
      case notStoredThere
      /// It's about a suite that was kept there, such as its version.
      case reserved
      /// An earlier import took it or left it.
      case importedBefore
      /// The suite had the same value already.
      case same
      /// The suite has another value, which the rule kept.
      case kept
      /// It isn't a property list, not a value of the key's type, or the suite can't keep it.
      case unusable(SuiteError)

      /// The reason in a clause.
      @_documentation(visibility: internal)
      public var description: String {
        switch self {
        case .missing: "there is none"
        case .notStoredThere: "it isn't stored there by this program"
        case .reserved: "it belongs to the suite that was kept there"
        case .importedBefore: "it was imported before"
        case .same: "it is the same"
        case .kept: "the present value was kept"
        case .unusable(let error): error.reason
        }
      }
    }

    /// The names that had no entry before.
    public internal(set) var added: Set<String> = []
    /// The names whose entries have another value now.
    public internal(set) var updated: Set<String> = []
    /// The names whose entries are gone.
    public internal(set) var removed: Set<String> = []
    /// The names that were found or listed, and not taken, and why.
    public internal(set) var skipped: [String: Reason] = [:]

    /// The names whose entries were added or changed.
    public var taken: Set<String> { added.union(updated) }
  }
}

extension Defaults.ImportReport: CustomStringConvertible {
  /// One line per name, sorted.
  @_documentation(visibility: internal)
  public var description: String {
    var outcomes: [String: String] = [:]
    for name in taken { outcomes[name] = "taken" }
    for name in removed { outcomes[name] = "removed" }
    for (name, reason) in skipped { outcomes[name] = "skipped, \(reason)" }
    return outcomes.sortedByName.map { "\(escaped($0)): \(escapedMessage($1))" }
      .joined(separator: "\n")
  }
}
