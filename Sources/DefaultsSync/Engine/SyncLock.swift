import Defaults
import Foundation

/// The lock between the processes that sync one suite: a file next to the suite's.
enum SyncLock {
  /// Takes the lock. Release it with `letGo()`: a child process that was forked meanwhile has the
  /// file, too, and would keep the lock after this process has closed the file.
  ///
  /// - Throws: `locked` after the deadline, `unwritable` if the file can't be opened.
  static func take(
    beside file: StoredFile, until deadline: UInt64
  ) throws(SuiteError) -> any OpenFile {
    let place = file.place(beside: ".sync-lock")
    let (path, files) = (place.path, place.fileSystem)
    do throws(Errno) {
      let lock = try open(path, in: place.folder, on: files)
      while try !lock.tryLock() {
        guard MonotonicClock.now < deadline else {
          throw Errno(.EAGAIN)
        }
        let pause = Monitor(false)
        pause.wait(until: MonotonicClock.now(plus: .milliseconds(5)), for: { $0 }) { _, _ in }
      }
      return lock
    } catch {
      if error.code == .EAGAIN {
        throw SuiteError(
          .locked,
          "Another process holds the lock of the sync too long. Check that process, or try again",
          path: path)
      }
      throw SuiteError(.unwritable, "The lock of the sync can't be opened", path: path, error)
    }
  }

  private static func open(
    _ path: String, in folder: String, on files: any FileSystem
  ) throws(Errno) -> any OpenFile {
    while true {
      do throws(Errno) {
        return try files.open(path, .update)
      } catch {
        guard error.code == .ENOENT else { throw error }
      }
      // The suite creates its folder with its first entry, which may come from another device.
      try files.makeFolders(folder)
      do throws(Errno) {
        return try files.open(path, .create)
      } catch {
        guard error.code == .EEXIST else { throw error }
      }
    }
  }
}
