/// What a process knows of the property list file, in addition to the state of the log.
struct KnownFile {
  /// Whether the file must be checked. Set if an external writer may have changed it, and before
  /// each step that depends on it, since the watcher may not have reported a change. A look at
  /// the stamp ends this if the stamp is known (`glanceAtFile`). Otherwise the file is checked
  /// under the lock of the log (`checkFile`).
  var mustCheck = true
  /// Whether readers have seen an external writer's changes that aren't in the log yet, at the
  /// opening or before the log was created. The file may have been replaced by the time it is
  /// merged.
  var isUnmerged = false
  /// A version that can't be parsed, whether its writer must repair it, and the quarantined path
  /// that an issue has named.
  var damage: (version: FileVersion, mustStay: Bool, named: String?)?
  /// A version with the content of a base, by its id, under another stamp: the file was copied or
  /// touched.
  var alias: (version: FileVersion, base: UInt64)?
  /// The changes since the last check that were joined or followed damage. A file that was saved
  /// earlier doesn't undo them.
  var joined: [String: LogVersion] = [:]
  /// nil if the file was there at the last check, or never existed.
  var absence: Absence?

  /// The state of the log when the file was found missing.
  struct Absence {
    /// The time, in ``MonotonicClock``.
    let start = MonotonicClock.now
    /// The latest version of all records. A deletion of the file doesn't undo later changes.
    let latest: LogVersion
    /// The version of the log at the property list that was missing.
    let placedVersion: LogVersion

    init(_ fold: LogState) {
      (latest, placedVersion) = (fold.horizon.latest, fold.placedVersion)
    }
  }
}
