import Foundation
import Synchronization

/// An open journal: a file that is also the lock of its suite. If another program overwrites it, it
/// counts as another file.
final class LogFile: Sendable {
  let descriptor: any OpenFile
  let place: StoredFile
  /// The status at the opening, or when the log was found overwritten.
  let status: FileStatus
  /// The version that identifies the file.
  var version: FileVersion { status.version }
  /// The error of the opening for writing; nil if records can be written. Otherwise, the records of
  /// other processes can still be read.
  let refusal: Errno?
  /// The number of calls of ``synchronizeContent(evenAfterFailure:)``.
  private let requests = Atomic(0)
  /// Held during each sync.
  private let syncs = Lock(Syncs())

  private struct Syncs {
    /// The syncs that succeeded include what was written before this many requests.
    var finished = 0
    /// Whether a sync failed.
    var hasFailed = false
  }

  init(
    _ descriptor: any OpenFile, at place: StoredFile, refusal: Errno? = nil
  ) throws(Errno) {
    self.descriptor = descriptor
    self.place = place
    self.refusal = refusal
    status = try descriptor.status()
  }

  /// Opens the journal next to a settings file. Returns nil if there is none, or if this user may
  /// neither read it nor write the settings.
  ///
  /// Throws an error with this code for a symbolic link, for anything but a regular file, for an
  /// untrusted file of another user (see `requireOwn`), and for a hard link to a file of
  /// this user that isn't a journal, since it belongs to another program.
  static func open(
    _ place: StoredFile, failingAs code: SuiteError.Code
  ) throws(SuiteError) -> LogFile? {
    let problem = code == .unreadable ? "The journal can't be read" : SuiteError.journalProblem

    func explaining<Result>(_ body: () throws(Errno) -> Result) throws(SuiteError) -> Result {
      try SuiteError.explaining(code, problem, path: place.path, body)
    }
    // Check the status first, since opening a FIFO or a device may have effects.
    let there = try explaining { () throws(Errno) in
      try place.fileSystem.statusIfPresent(of: place.path, followingLinks: false)
    }
    guard let there else { return nil }
    try place.requireOwn(there, code)
    let opened = try explaining { () throws(Errno) in try open(place) }
    guard let opened else { return nil }
    try place.requireOwn(opened.status, code)
    let begin = try explaining { () throws(Errno) in
      opened.status.names > 1 ? try opened.read(from: 0, to: LogHeader.magic.count) : nil
    }
    if let begin, !LogHeader.isOfAnyVersion(begin), !place.isTemporary(opened.status) {
      throw SuiteError(
        code, "This is a hard link to a file that isn't a journal. Remove it", path: place.path)
    }
    return opened
  }

  private static func open(_ place: StoredFile) throws(Errno) -> LogFile? {
    let fileSystem = place.fileSystem
    do throws(Errno) {
      do throws(Errno) {
        return try LogFile(fileSystem.open(place.path, .update), at: place)
      } catch {
        guard [.EACCES, .EPERM, .EROFS].contains(error.code) else { throw error }
        return try LogFile(fileSystem.open(place.path, .readNoFollow), at: place, refusal: error)
      }
    } catch {
      if error.code == .ENOENT { return nil }
      guard error.code == .EACCES, let main = place.main else { throw error }
      do throws(Errno) {
        try fileSystem.checkAccess(.write, to: main.string)
      } catch let refusal {
        if [.EACCES, .EROFS].contains(refusal.code) { return nil }
      }
      throw error
    }
  }

  /// Takes the lock if no other process holds it, and returns whether it was free. Requires the
  /// writer lock, since all threads of a process share the lock of the file.
  func takeLock() throws(SuiteError) -> Bool {
    try place.writing { () throws(Errno) in try descriptor.tryLock() }
  }

  /// Returns the size and number of names; nil if this is no longer the file at its path.
  func extentInPlace() throws(SuiteError) -> FileExtent? {
    try place.readingLog { () throws(Errno) in
      let extent = try place.fileSystem.extent(of: place.path)
      return extent.flatMap { $0.isOf(version) ? $0 : nil }
    }
  }

  /// Returns the size; nil if this is no longer the file at its path.
  func sizeInPlace() throws(SuiteError) -> Int? { try extentInPlace()?.size }

  /// Returns whether the file has a name, perhaps in another folder.
  func hasName() throws(SuiteError) -> Bool {
    try place.readingLog { () throws(Errno) in try descriptor.extent().names > 0 }
  }

  /// Returns the size, even if the file is no longer at its path.
  func size() throws(SuiteError) -> Int {
    try place.readingLog { () throws(Errno) in try descriptor.extent().size }
  }

  /// Replaces everything after an offset with empty room up to a size, which other writers know. If
  /// another program has cut the file before the offset, it stays as it is: they notice that by the
  /// size.
  func clear(from offset: Int, to size: Int) throws(SuiteError) {
    try place.writing { () throws(Errno) in
      guard try descriptor.extent().size >= offset else { return }
      try descriptor.truncate(to: offset)
      if size > offset { try descriptor.truncate(to: size) }
    }
  }

  /// Syncs what was written before the call. Threads that wait here share one sync.
  ///
  /// After a failure, all calls fail: the system may have dropped data, and reports that only once,
  /// to one of the threads. `evenAfterFailure` is for the removal of a log's tail, without which
  /// nothing could be appended; the log stays suspect.
  func synchronizeContent(evenAfterFailure: Bool = false) throws(Errno) {
    let request = requests.add(1, ordering: .sequentiallyConsistent).newValue
    try syncs.withLock { syncs throws(Errno) in
      if syncs.hasFailed, !evenAfterFailure { throw Errno(.EIO) }
      if syncs.finished >= request { return }
      let included = requests.load(ordering: .sequentiallyConsistent)
      do throws(Errno) {
        try descriptor.synchronizeContent()
      } catch {
        syncs.hasFailed = true
        throw error
      }
      syncs.finished = included
    }
  }

  /// Returns the bytes between two offsets, or as many of them as exist.
  func bytes(from offset: Int, to end: Int) throws(SuiteError) -> [UInt8] {
    try place.readingLog { () throws(Errno) in try read(from: offset, to: end) }
  }

  /// Returns all bytes. Throws `unreadable`.
  func content() throws(SuiteError) -> [UInt8] {
    try SuiteError.explaining(.unreadable, "The journal can't be read", path: place.path) {
      () throws(Errno) in try read(from: 0, to: descriptor.status().version.size)
    }
  }

  /// Reads bytes. Throws EOVERFLOW beyond the limit, since omitted bytes would look like the end of
  /// the journal, after which everything is removed.
  private func read(from offset: Int, to end: Int) throws(Errno) -> [UInt8] {
    let count = max(0, end - offset)
    guard count <= Defaults.SizeLimit.readableJournal else { throw Errno(.EOVERFLOW) }
    // With a capacity of 0, Swift would write the count to the empty array that all threads share.
    guard count > 0 else { return [] }
    var problem: Errno?
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      do throws(Errno) {
        initialized = try descriptor.readAll(
          into: UnsafeMutableRawBufferPointer(buffer), at: offset)
      } catch {
        problem = error
      }
    }
    if let problem { throw problem }
    return bytes
  }
}

extension StoredFile {
  /// Returns whether the second name of this file is the name of a temporary file: a process was
  /// killed between the two steps that gave it its name.
  func isTemporary(_ status: FileStatus) -> Bool {
    temporaries.contains { name in
      let other = fileSystem.statusIfVisible(
        of: location.sibling(named: name), followingLinks: false)
      return other?.version.isSameFile(as: status.version) ?? false
    }
  }

  /// Runs system calls that change a journal. Throws `unwritable`.
  func writing<Result: ~Copyable>(
    _ body: () throws(Errno) -> Result
  ) throws(SuiteError) -> Result {
    try SuiteError.explaining(.unwritable, SuiteError.journalProblem, path: path, body)
  }

  /// Runs system calls that read a journal for a change. Throws `unwritable`, since the change
  /// can't be stored if they fail.
  func readingLog<Result: ~Copyable>(
    _ body: () throws(Errno) -> Result
  ) throws(SuiteError) -> Result {
    try SuiteError.explaining(.unwritable, SuiteError.journalReadingProblem, path: path, body)
  }
}
