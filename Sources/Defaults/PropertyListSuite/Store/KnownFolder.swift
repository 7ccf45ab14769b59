/// What a process knows of the folder of its files, to notice that another folder has its path.
struct KnownFolder {
  /// The folder in which the files were last found or created; nil if it didn't exist.
  var version: FileVersion?
  /// The last logs that the process followed. If one of them is in another folder, a disk was
  /// mounted again, or the folder was copied.
  private var logs: [UInt64] = []

  private static let mostLogs = 1_000

  init(_ version: FileVersion?) { self.version = version }

  /// Records that the files are in this folder, and that the process follows this log.
  mutating func note(_ version: FileVersion?, _ log: LogHeader?) {
    self.version = version
    guard let log else { return }
    logs = logs.filter { $0 != log.id }.suffix(Self.mostLogs - 1) + [log.id]
  }

  /// Returns whether this folder, which has the path now, is another one.
  func isReplaced(by present: FileVersion?) -> Bool {
    guard let version, let present else { return false }
    return !present.isSameFile(as: version)
  }

  /// Returns whether another folder has the path, with the files of another suite. If the followed
  /// log was deleted, a process has created the folder again, perhaps without knowing that log.
  func hasOtherSuite(than followed: LogFile, at places: SuiteFiles) throws(SuiteError) -> Bool {
    guard isReplaced(by: places.folderVersion), try followed.hasName() else { return false }
    guard let log = try LogFile.open(places.journal, failingAs: .unwritable) else {
      return places.file.fileSystem.statusIfVisible(of: places.file.path) != nil
    }
    let header = try log.bytes(from: 0, to: LogHeader.size).withUnsafeBytes { LogHeader($0) }
    return header.map { !logs.contains($0.id) } ?? false
  }
}
