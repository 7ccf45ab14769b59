extension Defaults {
  /// Which property list file a journal builds on: the very version, or that there is none.
  package struct FileBase: Hashable, Sendable {
    /// nil: there is no file.
    let version: FileVersion?
    /// nil where it isn't known yet: renaming a file changes this time.
    let changed: FileTime?

    /// There is no file.
    static let absent = Self(version: nil, changed: nil)

    init(version: FileVersion?, changed: FileTime?) {
      self.version = version
      self.changed = changed
    }

    init(_ content: StoredFile.Content?) {
      self.init(version: content?.version, changed: content?.changed)
    }

    init(_ status: FileStatus?) {
      self.init(version: status?.version, changed: status?.changed)
    }

    /// Whether a file that is there now, with all its times, is this one.
    func matches(_ present: Self) -> Bool {
      version == present.version && (changed == nil || changed == present.changed)
    }
  }
}
