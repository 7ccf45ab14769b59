import Foundation

/// An open log: one file, which is also the lock of its suite.
final class LogFile: Sendable {
  let file: any OpenFile
  let place: StoredFile
  /// Which file it is.
  let version: FileVersion
  /// Whether records can be appended, too.
  let isWritable: Bool
  let lock: JournalLock

  /// A log that was opened; `isLocked`: by this process, in a commit.
  init(
    _ file: any OpenFile, at place: StoredFile, isWritable: Bool, isLocked: Bool = false
  ) throws(POSIXError) {
    self.file = file
    self.place = place
    lock = JournalLock(file, path: place.path, isTaken: isLocked)
    self.isWritable = isWritable
    version = try file.status().version
  }

  /// The log beside a settings file; nil if there is none, or if this user may neither read it nor
  /// write the settings.
  ///
  /// Throws this code for a symbolic link, for what is no regular file, and for a file that another
  /// user may have created (see ``StoredFile``).
  static func open(
    _ place: StoredFile, failingAs code: SuiteError.Code
  ) throws(SuiteError) -> LogFile? {
    func explaining<Result>(_ body: () throws(POSIXError) -> Result) throws(SuiteError) -> Result {
      try SuiteError.explaining(
        code, code == .unreadable ? "The journal can't be read" : SuiteError.journalProblem,
        path: place.path, body)
    }
    // Its status comes first: to open a FIFO or a device has effects.
    let present = try explaining { () throws(POSIXError) in
      try place.fileSystem.statusIfPresent(of: place.path, followingLinks: false)
    }
    guard let present else { return nil }
    try place.requireOwn(present, code)
    guard let opened = try explaining({ () throws(POSIXError) in try open(place) }) else {
      return nil
    }
    let status = try explaining { () throws(POSIXError) in try opened.file.status() }
    try place.requireOwn(status, code)
    let begin = try explaining { () throws(POSIXError) in
      status.names > 1 ? try opened.read(from: 0, to: LogHeader.magic.count) : nil
    }
    if let begin, begin != LogHeader.magic {
      throw SuiteError(
        code, "This is a hard link to a file that isn't a journal. Remove it", path: place.path)
    }
    return opened
  }

  private static func open(_ place: StoredFile) throws(POSIXError) -> LogFile? {
    let files = place.fileSystem
    do throws(POSIXError) {
      do throws(POSIXError) {
        return try LogFile(files.open(place.path, .update), at: place, isWritable: true)
      } catch {
        guard [.EACCES, .EPERM, .EROFS].contains(error.code) else { throw error }
        return try LogFile(files.open(place.path, .readNoFollow), at: place, isWritable: false)
      }
    } catch {
      if error.code == .ENOENT { return nil }
      guard error.code == .EACCES, let main = place.main else { throw error }
      do throws(POSIXError) {
        try files.checkAccess(.write, to: main.string)
      } catch let refusal {
        if [.EACCES, .EROFS].contains(refusal.code) { return nil }
      }
      throw error
    }
  }

  /// The size of the log; nil if another file has its path now, or none.
  func sizeInPlace() throws(SuiteError) -> Int? {
    try writing { () throws(POSIXError) in
      guard let extent = try place.fileSystem.extent(of: place.path), extent.isOf(version) else {
        return nil
      }
      return extent.size
    }
  }

  /// The size of the log, whatever its path is now.
  func size() throws(SuiteError) -> Int {
    try writing { () throws(POSIXError) in try file.extent().size }
  }

  /// Overwrites everything from an offset on with zeros.
  func clear(from offset: Int) throws(POSIXError) {
    let size = try file.extent().size
    try file.truncate(to: offset)
    try file.truncate(to: max(offset, size))
  }

  /// The bytes of a range, or as many of them as there are.
  func bytes(from offset: Int, to end: Int) throws(SuiteError) -> [UInt8] {
    try writing { () throws(POSIXError) in try read(from: offset, to: end) }
  }

  /// All bytes; throws `unreadable`.
  func content() throws(SuiteError) -> [UInt8] {
    try SuiteError.explaining(.unreadable, "The journal can't be read", path: place.path) {
      () throws(POSIXError) in try read(from: 0, to: file.status().version.size)
    }
  }

  /// Throws EOVERFLOW for more than the limit: bytes that are left out would look like the end.
  private func read(from offset: Int, to end: Int) throws(POSIXError) -> [UInt8] {
    let count = max(0, end - offset)
    guard count <= Defaults.SizeLimit.readableJournal else { throw POSIXError(.EOVERFLOW) }
    // Without room Swift would write the count to the one empty array that all threads share.
    guard count > 0 else { return [] }
    var problem: POSIXError?
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      do throws(POSIXError) {
        initialized = try file.readAll(into: UnsafeMutableRawBufferPointer(buffer), at: offset)
      } catch {
        problem = error
      }
    }
    if let problem { throw problem }
    return bytes
  }

  /// Runs system calls on the log; throws `unwritable`.
  func writing<Result>(_ body: () throws(POSIXError) -> Result) throws(SuiteError) -> Result {
    try SuiteError.explaining(.unwritable, SuiteError.journalProblem, path: place.path, body)
  }
}

/// The log that a process follows, and how far its records are folded.
struct FollowedLog {
  let file: LogFile
  let header: LogHeader
  /// Everything before this offset is folded.
  var offset: Int
  /// The last record before the offset.
  var last: LogMark?
  /// Where the checkpoint ends that the log begins with.
  var checkpointEnd: Int
  /// The size of the file when this process had its lock: records and room.
  var size = 0
  /// Whether a part of it is damaged.
  var isDamaged = false

  enum News {
    case none
    /// There are records that aren't folded.
    case records
    /// The log was cut or overwritten: it isn't a continuation of what was folded.
    case overwritten
  }

  /// What the file has that isn't folded.
  ///
  /// One read tells both: the last record's first bytes, and the first bytes behind it.
  func news(size: Int, includingHeader: Bool = false) throws(SuiteError) -> News {
    guard size >= offset else { return .overwritten }
    if includingHeader {
      let start = try file.bytes(from: 0, to: LogHeader.size)
      guard start.withUnsafeBytes({ LogHeader($0) }) == header else { return .overwritten }
    }
    guard let last else { return .records }
    let length = offset - last.offset
    if length <= 1_016 {
      return try file.writing { () throws(POSIXError) in
        try withUnsafeTemporaryAllocation(byteCount: 1_024, alignment: 8) { memory in
          Result { () throws(POSIXError) -> News in
            let bytes = UnsafeMutableRawBufferPointer(rebasing: memory[..<(length + 8)])
            let count = try file.file.readAll(into: bytes, at: last.offset)
            guard count >= length, bytes.loadUnaligned(as: UInt64.self) == last.prefix else {
              return .overwritten
            }
            return JournalRoom.isEmpty(UnsafeRawBufferPointer(rebasing: bytes[length..<count]))
              ? .none : .records
          }
        }.get()
      }
    }
    let prefix = try file.bytes(from: last.offset, to: last.offset + 8)
    guard prefix.count == 8,
      prefix.withUnsafeBytes({ $0.loadUnaligned(as: UInt64.self) }) == last.prefix
    else { return .overwritten }
    let next = try file.bytes(from: offset, to: min(size, offset + 8))
    return next.withUnsafeBytes({ JournalRoom.isEmpty($0) }) ? .none : .records
  }
}
