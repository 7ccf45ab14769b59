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

  /// How a suite's file is, and how the suite got its entries.
  public enum Health: Sendable, Hashable {
    /// The file was read, or there was none; changes can be stored.
    case intact
    /// The file was damaged and is set aside; the suite started with the previous generation of it
    /// and the changes in the journal.
    case recoveredFromBackup
    /// The file was damaged and is set aside, and there was no previous generation: the suite
    /// started with the changes in the journal alone.
    case startedEmpty
    /// Nothing can be stored at present: the file or its folder may not be written, or the disk is
    /// full. Memory has all changes, and they are stored as soon as that works again.
    case readOnly
    /// There is no file; nothing of this run will be kept.
    case inMemory
  }
}
