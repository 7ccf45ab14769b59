/// A rule of the engine that the simulation's own tests leave out.
package enum EngineRule: String, CaseIterable, Sendable {
  /// A transaction runs again if a name that it read changed.
  case namesRead
  /// What other processes appended is folded before a record is appended.
  case foldBeforeAppend
  /// `exported` is on the disk before the new file gets its name.
  case syncBeforeRename
  /// The file that came out of an exchange of names is compared with the expected one.
  case exchangedFile
  /// `placed` is recorded when the new file's name is on the disk.
  case placed
  /// `mergeBegan` is recorded before the differences of a merge are computed.
  case mergeBegan
  /// A version is higher than all that are known, whatever the clock says.
  case versionMaximum
  /// What was appended since a compaction began is appended to the next log.
  case tailAtCompaction
  /// The folder is synced after a rename.
  case folderSync
}
