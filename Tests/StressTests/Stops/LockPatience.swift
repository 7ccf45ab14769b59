import Defaults
import Foundation

/// The lock timeouts of processes, in milliseconds.
enum LockPatience {
  /// Short enough for hundreds of tries, where a campaign stops the holder of the lock.
  static let short = 200
  /// Longer than the syncs of a slow disk, where nothing stops the holder.
  static let long = 60_000

  /// Opens a file as programs do, but with this timeout; 0 selects the library's own timeout.
  static func open(_ file: URL, milliseconds: Int) throws -> Defaults.StoredSuite {
    if milliseconds == 0 { return try Defaults.PropertyListSuite(url: file).storage }
    let time = Duration.milliseconds(milliseconds)
    let (suite, start) = try FileStore.open(
      StoredFile(path: file.path),
      timeouts: .init(setter: time, exact: time, exit: time * 5))
    start()
    return suite
  }
}
