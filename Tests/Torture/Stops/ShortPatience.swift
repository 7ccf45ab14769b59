import Defaults
import Foundation

/// How long the processes of a campaign wait for a lock, where somebody who has it is stopped.
enum ShortPatience {
  /// Short enough for hundreds of tries.
  static let milliseconds = 200

  /// Opens a file as programs do, but for that; 0: with the library's own patience.
  static func open(_ file: URL, milliseconds: Int) throws -> Defaults.StoredSuite {
    if milliseconds == 0 { return try Defaults.PropertyListSuite(url: file).storage }
    let time = Duration.milliseconds(milliseconds)
    let (suite, start) = try FileStore.open(
      StoredFile(path: file.path),
      patience: .init(setter: time, exact: time, exit: time * 5))
    start()
    return suite
  }
}
