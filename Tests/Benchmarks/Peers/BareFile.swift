import Foundation
import Harness

/// A file written directly: the minimum cost of the disk and the system.
final class BareFile {
  private let descriptor: CInt
  private let path: String
  private let folder: CInt
  private var offset = 0
  /// As long as a journal record of a small entry.
  private let record = [UInt8](repeating: 0x55, count: 80)

  init(in folder: URL) throws {
    path = folder.appending(path: "bare").path
    descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    self.folder = open(folder.path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0, self.folder >= 0 else {
      throw HarnessError("\(path) can't be made")
    }
  }

  deinit {
    close(descriptor)
    close(folder)
  }

  /// Appends a record. Starts again from the beginning after a megabyte.
  func append() throws {
    let count = pwrite(descriptor, record, record.count, off_t(offset))
    guard count == record.count else { throw HarnessError("\(path) can't be written") }
    offset = offset > 1 << 20 ? 0 : offset + count
  }

  /// Writes a record as processes that share a file must: with the file's lock, and only if the
  /// path still leads to the file.
  func commit() throws {
    var status = stat()
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, stat(path, &status) == 0 else {
      throw HarnessError("\(path) can't be locked")
    }
    try append()
    guard flock(descriptor, LOCK_UN) == 0 else { throw HarnessError("\(path) stays locked") }
  }

  /// Syncs the written data to the disk.
  func synchronize() throws {
    #if canImport(Darwin)
      let status = fsync(descriptor)
    #else
      let status = fdatasync(descriptor)
    #endif
    guard status == 0 else { throw HarnessError("\(path) can't be synced") }
  }

  /// Replaces a file so that it is complete after a power loss.
  func replace(with bytes: Data) throws {
    let temporary = path + ".new"
    let new = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    defer { close(new) }
    let count = bytes.withUnsafeBytes { pwrite(new, $0.baseAddress, $0.count, 0) }
    guard count == bytes.count, fsync(new) == 0, rename(temporary, path + ".replaced") == 0,
      fsync(folder) == 0
    else { throw HarnessError("\(path) can't be replaced") }
  }
}
