extension Defaults.PropertyListSuite {
  /// How many bytes the files of a suite have on the disk.
  public struct Size: Sendable, Hashable {
    /// The property list; 0 before the first snapshot.
    public let file: Int
    /// The changes since then.
    public let journal: Int
    /// The previous generation of the file.
    public let backup: Int

    /// All of them together.
    public var total: Int { file + journal + backup }
  }

  /// The present size of the files; a file that isn't there has none. Throws `unreadable` if the
  /// system doesn't say, and `inMemory` for a ``Suite/standard`` that has no file.
  public func size() throws(Defaults.SuiteError) -> Size {
    guard let files = storage.persistence as? Defaults.JournaledFile else {
      throw Defaults.SuiteError(.inMemory, "The suite has no file", suite: label)
    }
    return Size(
      file: try files.file.status()?.version.size ?? 0,
      journal: try files.journalPlace.status()?.version.size ?? 0,
      backup: try files.backup.status()?.version.size ?? 0)
  }
}
