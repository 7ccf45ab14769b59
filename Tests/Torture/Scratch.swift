import Foundation
import Harness
import Synchronization

/// The folder that all files of a run lie in, under the system's temporary folder.
final class Scratch: ScratchFolder, Sendable {
  let folder: URL
  private let isInterrupted = Atomic(false)

  init() throws {
    folder = FileManager.default.temporaryDirectory
      .appending(path: "Torture-\(UUID().uuidString)").resolvingSymlinksInPath()
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }

  func removeAll() { remove(folder) }

  /// Removes it, and ends the program, when that is interrupted. To be called before there are
  /// threads or children: they inherit that the signals are blocked, so that this comes first.
  func removeAtInterrupt() {
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGINT)
    sigaddset(&signals, SIGTERM)
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    Thread.detachNewThread { [self, signals] in
      var (signals, number) = (signals, CInt(0))
      sigwait(&signals, &number)
      isInterrupted.store(true, ordering: .relaxed)
      Child.killAllForGood()
      // This process has suites open, too, which make their folders anew.
      for _ in 0..<20 {
        removeAll()
        usleep(10_000)
      }
      _exit(128 + number)
    }
  }

  /// Waits for the end of the program if that is interrupted: what is found then means nothing.
  func requireNoInterrupt() {
    while isInterrupted.load(ordering: .relaxed) { sleep(1) }
  }
}
