import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A journal that is open: one file, which is also the lock of its suite.
final class JournalFile: Sendable {
  let file: any OpenFile
  let place: StoredFile
  /// Which file it is.
  let version: FileVersion
  /// Without it, records of others can be read, and none be written.
  let isWritable: Bool
  let lock: JournalLock

  /// A journal that was opened; `isLocked`: by this process, in a commit.
  init(
    _ file: any OpenFile, at place: StoredFile, isWritable: Bool, isLocked: Bool = false
  ) throws(POSIXError) {
    self.file = file
    self.place = place
    lock = JournalLock(file, path: place.path, isTaken: isLocked)
    self.isWritable = isWritable
    version = try file.status().version
  }

  /// The journal that lies beside a settings file; nil if there is none, or if it isn't meant for
  /// us: we may neither read it nor write the settings.
  ///
  /// A symbolic link, what is no regular file, and a file that somebody else may have put there
  /// (see `StoredFile.sibling`) is an error with this code; so is a file of our own with a second
  /// name that has no journal in it, because then it is something else of ours.
  static func open(
    _ place: StoredFile, magic: [UInt8] = JournalEncoder.magic, failingAs code: SuiteError.Code
  ) throws(SuiteError) -> JournalFile? {
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
      status.names > 1 ? try opened.read(from: 0, to: magic.count) : nil
    }
    if let begin, begin != magic {
      throw SuiteError(
        code, "This is a hard link to a file that isn't a journal. Remove it", path: place.path)
    }
    return opened
  }

  private static func open(_ place: StoredFile) throws(POSIXError) -> JournalFile? {
    let files = place.fileSystem
    do throws(POSIXError) {
      do throws(POSIXError) {
        return try JournalFile(files.open(place.path, .update), at: place, isWritable: true)
      } catch {
        guard [.EACCES, .EPERM, .EROFS].contains(error.code) else { throw error }
        return try JournalFile(files.open(place.path, .readNoFollow), at: place, isWritable: false)
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

  /// How large it is; nil if it isn't the file at its path anymore.
  func sizeInPlace() throws(SuiteError) -> Int? {
    do throws(POSIXError) {
      guard let extent = try place.fileSystem.extent(of: place.path), extent.isOf(version) else {
        return nil
      }
      return extent.size
    } catch {
      throw .unwritableJournal(place.path, error)
    }
  }

  /// How large it is, wherever it lies.
  func size() throws(SuiteError) -> Int {
    try place.writing { () throws(POSIXError) in try file.extent().size }
  }

  /// Makes empty room of everything from an offset on. The size stays, by which other writers
  /// notice that somebody else wrote.
  func empty(from offset: Int, to size: Int) throws(SuiteError) {
    try place.writing { () throws(POSIXError) in
      try file.truncate(to: offset)
      try file.truncate(to: max(offset, size))
    }
  }

  /// The first eight bytes at an offset: length and checksum of a record, or 0 in empty room.
  func prefix(at offset: Int) throws(SuiteError) -> UInt64 {
    try place.writing { () throws(POSIXError) in
      var prefix: UInt64 = 0
      _ = try withUnsafeMutableBytes(of: &prefix) { bytes throws(POSIXError) in
        try file.readAll(into: bytes, at: offset)
      }
      return prefix
    }
  }

  /// Where another file begins to differ from this one.
  func commonPrefix(with other: JournalFile) throws(SuiteError) -> Int {
    try place.writing { () throws(POSIXError) in
      zip(try read(), try other.read()).prefix { $0 == $1 }.count
    }
  }

  /// The bytes from an offset up to another one, or as many of them as there are.
  func bytes(from offset: Int, to end: Int) throws(SuiteError) -> [UInt8] {
    try place.writing { () throws(POSIXError) in try read(from: offset, to: end) }
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
  /// Runs system calls on a journal; throws `unwritable`.
  func writing<Result: ~Copyable>(
    _ body: () throws(POSIXError) -> Result
  ) throws(SuiteError) -> Result {
    try SuiteError.explaining(.unwritable, SuiteError.journalProblem, path: path, body)
  }
}

/// What a new journal begins with, and where that lies.
struct JournalStart {
  let header: JournalHeader
  let records: [(record: JournalRecord, end: Int)]
  let last: LogMark?
  let end: Int
  /// Where the room behind the records ends.
  let size: Int
}

extension OpenFile {
  /// Writes the beginning of a journal. The header last: without it nothing in a journal counts. A
  /// header alone in one step with the room: a part of it, with nothing behind, is known to be no
  /// damage (see `JournalHeader.isUnwritten`).
  func begin(
    _ header: JournalHeader, with records: [JournalRecord]
  ) throws(POSIXError) -> JournalStart {
    let encoder = JournalEncoder()
    // The bytes that it gives are in its memory.
    defer { withExtendedLifetime(encoder) {} }
    let start = JournalEncoder.headerSize
    guard !records.isEmpty else {
      let size = try writeAll(encoder.encode(header), withRoomAt: 0)
      return JournalStart(header: header, records: [], last: nil, end: start, size: size)
    }
    var (bytes, last): ([UInt8], LogMark?) = ([], nil)
    var placed: [(record: JournalRecord, end: Int)] = []
    for record in records {
      let encoded = encoder.encode(record, journal: header.id)
      last = LogMark(of: encoded, at: start + bytes.count)
      bytes += encoded
      placed.append((record, start + bytes.count))
    }
    let size = try bytes.withUnsafeBytes { bytes in
      Result { () throws(POSIXError) in try writeAll(bytes, withRoomAt: start) }
    }.get()
    try writeAll(encoder.encode(header), at: 0)
    return JournalStart(
      header: header, records: placed, last: last, end: start + bytes.count, size: size)
  }
}

/// The zeros behind the records of a journal, which the next ones are written over.
///
/// Where a file doesn't grow, its size needn't get to the disk with its content: a record made
/// durable costs 95 µs instead of 145. No record begins with a zero length, so that zeros are
/// told from records.
enum JournalRoom {
  /// How many bytes are added when a record doesn't fit; some 150 small records.
  static let size = 16_384

  /// Whether there are zeros and nothing else.
  static func isEmpty(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard let start = bytes.baseAddress, bytes.count > 0 else { return true }
    // Each byte equals the one before it.
    return bytes[0] == 0 && memcmp(start, start + 1, bytes.count - 1) == 0
  }
}

extension OpenFile {
  /// Writes bytes at an offset and room behind them, or if there is no space for that (the disk may
  /// be full) the bytes alone; returns where the file ends then.
  func writeAll(_ bytes: UnsafeRawBufferPointer, withRoomAt offset: Int) throws(POSIXError) -> Int {
    let padded = UnsafeMutableRawBufferPointer.allocate(
      byteCount: bytes.count + JournalRoom.size, alignment: 1)
    defer { padded.deallocate() }
    padded.copyMemory(from: bytes)
    UnsafeMutableRawBufferPointer(rebasing: padded[bytes.count...])
      .initializeMemory(as: UInt8.self, repeating: 0)
    do throws(POSIXError) {
      try writeAll(UnsafeRawBufferPointer(padded), at: offset)
      return offset + padded.count
    } catch {
      try writeAll(bytes, at: offset)
      return offset + bytes.count
    }
  }
}
