import Foundation
import TestSupport
import Testing

@testable import Defaults

@Suite("The lock of a log", .timeLimit(.aHang))
struct LogLockTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try Data().write(to: folder.url("log"))
  }

  private func openFile() throws -> any OpenFile {
    try LocalFileSystem().open(folder["log"], .update)
  }

  @Test("A lock that is granted after every thread stopped waiting is offered, then released")
  func unclaimed() async throws {
    let (other, lock) = (try openFile(), LogLock(try openFile(), path: folder["log"]))
    #expect(try other.tryLock())
    #expect(try lock.take() == false)
    let offered = AsyncStream<Bool>.makeStream()
    let isWorthIt = try lock.wait(until: 0) { [probe = try openFile()] in
      // Still held while it is offered.
      offered.continuation.yield((try? probe.tryLock()) == false)
    }
    #expect(!isWorthIt)
    try other.unlock()
    for await isHeld in offered.stream {
      #expect(isHeld)
      break
    }
    // The release follows the offer.
    try other.lock()
  }
}
