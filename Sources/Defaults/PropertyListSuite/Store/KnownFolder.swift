/// What a process knows of the folder of its files, to notice that another folder has its path.
struct KnownFolder {
  /// The folder in which the files were last found or created; nil if it didn't exist.
  var version: FileVersion?
  /// The last logs that the process followed. If one of them is in another folder, a disk was
  /// mounted again, or the folder was copied.
  private var logs: [UInt64] = []

  private static let mostLogs = 1_000

  init(_ version: FileVersion?) { self.version = version }

  mutating func note(_ log: LogHeader) {
    logs = logs.filter { $0 != log.id }.suffix(Self.mostLogs - 1) + [log.id]
  }

  /// Returns whether another folder has the path.
  func isReplaced(at places: SuiteFiles) -> Bool {
    guard let version, let present = places.folder else { return false }
    return !present.isSameFile(as: version)
  }

  /// Returns whether another folder, without any files of the suite, has the path, and the followed
  /// log wasn't deleted. A disk isn't mounted, or a program hasn't yet filled a new folder.
  func isEmptyAndReplaced(
    at places: SuiteFiles, following log: FollowedLog?
  ) throws(SuiteError) -> Bool {
    guard isReplaced(at: places),
      places.file.fileSystem.statusIfVisible(of: places.file.path) == nil
    else { return false }
    return try log?.file.hasName() ?? true
  }

  /// Returns whether another folder has the path, with the files of another suite. If the followed
  /// log was deleted, a process has created the folder again, perhaps without knowing that log.
  func hasOtherSuite(than followed: LogFile, at places: SuiteFiles) throws(SuiteError) -> Bool {
    guard isReplaced(at: places), try followed.hasName() else { return false }
    guard let log = try LogFile.open(places.journal, failingAs: .unwritable) else {
      return places.file.fileSystem.statusIfVisible(of: places.file.path) != nil
    }
    let header = try log.bytes(from: 0, to: LogHeader.size).withUnsafeBytes { LogHeader($0) }
    return header.map { !logs.contains($0.id) } ?? false
  }
}
