import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A journal that is open: one file, which is also the lock of its suite.
final class LogFile: Sendable {
  let file: any OpenFile
  let place: StoredFile
  /// Which file it is.
  let version: FileVersion
  /// Without it, records of other processes can be read, and none be written.
  let isWritable: Bool
  let lock: LogLock

  /// A journal that was opened; `isLocked`: by this process, in a commit.
  init(
    _ file: any OpenFile, at place: StoredFile, isWritable: Bool, isLocked: Bool = false
  ) throws(POSIXError) {
    self.file = file
    self.place = place
    lock = LogLock(file, path: place.path, isTaken: isLocked)
    self.isWritable = isWritable
    version = try file.status().version
  }

  /// The journal next to a settings file; nil if there is none, or if it isn't meant for
  /// us: we may neither read it nor write the settings.
  ///
  /// A symbolic link, what is no regular file, and a file that another user may have put there
  /// (see `StoredFile.sibling`) is an error with this code; so is a file of our own with a second
  /// name that has no journal in it, because then it is something else of ours.
  static func open(
    _ place: StoredFile, failingAs code: SuiteError.Code
  ) throws(SuiteError) -> LogFile? {
    let problem =
      code == .unreadable ? "The journal can't be read" : SuiteError.journalProblem

    func explaining<Result>(_ body: () throws(POSIXError) -> Result) throws(SuiteError) -> Result {
      try SuiteError.explaining(code, problem, path: place.path, body)
    }
    // Looked at before it is opened too: opening a FIFO or a device is an act of its own.
    let there = try explaining { () throws(POSIXError) in
      try place.fileSystem.statusIfPresent(of: place.path, followingLinks: false)
    }
    guard let there else { return nil }
    try place.requireOwn(there, code)
    guard let opened = try explaining({ () throws(POSIXError) in try open(place) }) else {
      return nil
    }
    let status = try explaining { () throws(POSIXError) in try opened.file.status() }
    try place.requireOwn(status, code)
    let begin = try explaining { () throws(POSIXError) in
      status.names > 1 ? try opened.read(from: 0, to: LogHeader.magic.count) : nil
    }
    if let begin, begin != LogHeader.magic, !place.isTemporary(status) {
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

  /// How large it is, and how many names it has; nil if it isn't the file at its path anymore.
  func extentInPlace() throws(SuiteError) -> FileExtent? {
    try place.readingLog { () throws(POSIXError) in
      let extent = try place.fileSystem.extent(of: place.path)
      return extent.flatMap { $0.isOf(version) ? $0 : nil }
    }
  }

  /// How large it is; nil if it isn't the file at its path anymore.
  func sizeInPlace() throws(SuiteError) -> Int? { try extentInPlace()?.size }

  /// How large it is, wherever it lies.
  func size() throws(SuiteError) -> Int {
    try place.readingLog { () throws(POSIXError) in try file.extent().size }
  }

  /// Makes empty room of everything from an offset on. The size stays, by which other writers
  /// notice that another process wrote.
  func empty(from offset: Int, to size: Int) throws(SuiteError) {
    try place.writing { () throws(POSIXError) in
      try file.truncate(to: offset)
      try file.truncate(to: max(offset, size))
    }
  }

  /// The first eight bytes at an offset: length and checksum of a record, or 0 in empty room.
  func prefix(at offset: Int) throws(SuiteError) -> UInt64 {
    try place.readingLog { () throws(POSIXError) in
      var prefix: UInt64 = 0
      _ = try withUnsafeMutableBytes(of: &prefix) { bytes throws(POSIXError) in
        try file.readAll(into: bytes, at: offset)
      }
      return prefix
    }
  }

  /// The bytes from an offset up to another one, or as many of them as there are.
  func bytes(from offset: Int, to end: Int) throws(SuiteError) -> [UInt8] {
    try place.readingLog { () throws(POSIXError) in try read(from: offset, to: end) }
  }

  /// All bytes; throws `unreadable`.
  func content() throws(SuiteError) -> [UInt8] {
    try SuiteError.explaining(.unreadable, "The journal can't be read", path: place.path) {
      () throws(POSIXError) in try read()
    }
  }

  private func read() throws(POSIXError) -> [UInt8] {
    try read(from: 0, to: file.status().version.size)
  }

  /// Throws EOVERFLOW for more than the limit: bytes that are left out would look like the end of
  /// the journal, and what is behind the end is cut off.
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
}

extension StoredFile {
  /// Whether the second name of a file that is here is that of a temporary: a process was killed
  /// between the two steps that gave it this name.
  fileprivate func isTemporary(_ status: FileStatus) -> Bool {
    temporaries.contains { name in
      let other = fileSystem.statusIfVisible(
        of: location.sibling(named: name), followingLinks: false)
      return other?.version.isSameFile(as: status.version) ?? false
    }
  }

  /// Runs system calls on a journal; throws `unwritable`.
  func writing<Result: ~Copyable>(
    _ body: () throws(POSIXError) -> Result
  ) throws(SuiteError) -> Result {
    try SuiteError.explaining(.unwritable, SuiteError.journalProblem, path: path, body)
  }

  /// Runs system calls that read a journal, for a change; throws `unwritable`, since the change can't
  /// be stored then.
  func readingLog<Result: ~Copyable>(
    _ body: () throws(POSIXError) -> Result
  ) throws(SuiteError) -> Result {
    try SuiteError.explaining(.unwritable, SuiteError.journalReadingProblem, path: path, body)
  }
}
