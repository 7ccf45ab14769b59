import Foundation
import Harness
import Synchronization

/// The folder for all files of a run, in the system's temporary folder.
final class Scratch: ScratchFolder, Sendable {
  let folder: URL
  private let isInterrupted = Atomic(false)

  init() throws {
    folder = FileManager.default.temporaryDirectory
      .appending(path: "StressTests-\(UUID().uuidString)").resolvingSymlinksInPath()
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }

  func removeAll() { remove(folder) }

  /// Removes the folder and ends the program at an interrupt. Must be called before threads or
  /// children exist, since they inherit the blocked signals.
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
      // This process has open suites, too, which may create their folders again.
      for _ in 0..<20 {
        removeAll()
        usleep(10_000)
      }
      _exit(128 + number)
    }
  }

  /// Waits for the end of an interrupted program, whose results would be meaningless.
  func requireNoInterrupt() {
    while isInterrupted.load(ordering: .relaxed) { sleep(1) }
  }
}
