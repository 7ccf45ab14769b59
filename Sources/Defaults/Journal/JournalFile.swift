import Foundation

extension Defaults {
  /// A journal that is open: one file, which is also the lock of its suite.
  final class JournalFile: Sendable {
    let file: any OpenFile
    /// Which file it is.
    let version: FileVersion
    /// Without it, records of others can be read, and none be written.
    let isWritable: Bool
    /// Whether its name is on the disk, as far as this process knows.
    let isNameDurable = Lock(false)

    init(_ file: any OpenFile, isWritable: Bool) throws(POSIXError) {
      self.file = file
      self.isWritable = isWritable
      version = try file.status().version
    }

    /// The journal at a path; nil if there is none.
    static func open(
      _ path: String, on fileSystem: any FileSystem
    ) throws(POSIXError) -> JournalFile? {
      do throws(POSIXError) {
        let status = try fileSystem.status(of: path)
        // Opening a FIFO or a device is an act of its own.
        guard status.kind == .file else { throw POSIXError(.EEXIST) }
        do throws(POSIXError) {
          return try JournalFile(fileSystem.open(path, .update), isWritable: true)
        } catch {
          guard [.EACCES, .EPERM, .EROFS].contains(error.code) else { throw error }
          return try JournalFile(fileSystem.open(path, .read), isWritable: false)
        }
      } catch {
        guard error.code == .ENOENT else { throw error }
        return nil
      }
    }

    /// The bytes from an offset up to another one, or as many of them as there are.
    func bytes(from offset: Int, to end: Int) throws(POSIXError) -> [UInt8] {
      let count = min(max(0, end - offset), FileReading.sizeLimit)
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

    /// Whether there is a record at an offset, or what is left of one, rather than empty room.
    func hasRecord(at offset: Int) throws(POSIXError) -> Bool {
      var prefix: UInt64 = 0
      _ = try withUnsafeMutableBytes(of: &prefix) { bytes throws(POSIXError) in
        try file.readAll(into: bytes, at: offset)
      }
      return prefix != 0
    }

    /// All bytes.
    func bytes() throws(POSIXError) -> [UInt8] {
      try bytes(from: 0, to: file.status().version.size)
    }

    /// Takes the lock, waiting for its holder for so long; false if the time is over.
    ///
    /// A holder has it for microseconds, or for the body of a transaction. The system frees the
    /// lock of a process that dies, so only one that was stopped can have it forever.
    func lock(within patience: Duration) throws(POSIXError) -> Bool {
      if try file.tryLock() { return true }
      let clock = ContinuousClock()
      let end = clock.now + patience
      var pause: UInt32 = 20
      while clock.now < end {
        usleep(pause)
        if try file.tryLock() { return true }
        pause = min(2 * pause, 2_000)
      }
      return false
    }

    /// Returns when everything in the journal is on the disk, and its name.
    func synchronize(
      folder: String, on fileSystem: any FileSystem
    ) throws(POSIXError) {
      try file.synchronizeContent()
      if isNameDurable.withLock({ $0 }) { return }
      try fileSystem.synchronizeFolder(folder)
      isNameDurable.withLock { $0 = true }
    }
  }
}
