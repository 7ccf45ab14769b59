extension Defaults {
  /// What a suite does about a property list file that can't be parsed.
  public enum DamageResponse: Sendable, Hashable {
    /// Keeps the file as `<name>.corrupt-<date>`, and goes on with the previous generation and the
    /// journal.
    case recover
    /// Leaves the file as it is, for a person to mend: opening throws `malformed` with the place,
    /// and a running program keeps the entries that it has, and doesn't write the file before it is
    /// mended.
    case `throw`
  }
}
