extension Defaults {
  /// What a suite does about a property list file that can't be parsed.
  public enum DamageResponse: Sendable, Hashable {
    /// Quarantines the file as `<name>.corrupt-<date>`, and continues with the journal, which has
    /// all settings.
    case recover
    /// Leaves the file as it is, for a person to repair. Opening throws `malformed` with the place
    /// of the damage. A running program keeps the settings that it has, and doesn't save the file
    /// before it is repaired.
    case `throw`
  }
}

/// The property list of a suite, and the log next to it.
struct SuiteFiles {
  let file: StoredFile
  let journal: StoredFile

  /// Reads nothing: opening a log does.
  init(_ file: StoredFile) {
    self.file = file
    journal = file.place(beside: ".journal")
  }
}
