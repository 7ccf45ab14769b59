import Defaults
import Foundation

/// The lock timeout of processes in a campaign that stops the holder of the lock.
enum ShortPatience {
  /// Short enough for hundreds of tries.
  static let milliseconds = 200

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
