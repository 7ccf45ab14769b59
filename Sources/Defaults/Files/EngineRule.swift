/// A rule of the engine that the simulation's own tests can disable.
package enum EngineRule: String, CaseIterable, Sendable {
  /// A transaction runs again if a name that it read changed.
  case namesRead
  /// Records of other processes are folded before a record is appended.
  case foldBeforeAppend
  /// `exported` is durable before the new file gets its name.
  case syncBeforeRename
  /// The file that an exchange of names returns is compared with the expected file.
  case exchangedFile
  /// `placed` is recorded when the new file's name is durable.
  case placed
  /// `mergeBegan` is recorded before the differences of a merge are computed.
  case mergeBegan
  /// A version is higher than all known versions, independently of the clock.
  case versionMaximum
  /// Records that are appended during a compaction are appended to the next log.
  case tailAtCompaction
  /// The folder is synced after a rename.
  case folderSync
}
