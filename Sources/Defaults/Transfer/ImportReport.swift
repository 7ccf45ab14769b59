extension Defaults {
  /// What an import from `UserDefaults` took, and what it left, and why.
  public struct ImportReport: Sendable {
    /// Why a name wasn't taken.
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

    /// The names whose entries were added or changed.
    public internal(set) var taken: Set<String> = []
    /// All other names that were looked at, and why they weren't taken.
    public internal(set) var skipped: [String: Reason] = [:]
  }
}

extension Defaults.ImportReport: CustomStringConvertible {
  /// One line per name, sorted.
  public var description: String {
    let lines =
      taken.map { ($0, "taken") } + skipped.map { ($0.key, "skipped, \($0.value)") }
    return lines.sorted { $0.0 < $1.0 }.map { "\($0.0): \($0.1)" }.joined(separator: "\n")
  }
}
