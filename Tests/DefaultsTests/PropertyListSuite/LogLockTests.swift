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

  @Test("After the system had no thread for the queue, the lock can be waited for and taken again")
  func noThread() async throws {
    await #expect(processExitsWith: .success) { [path = folder.path as String] in
      becomeOrdinaryUser(owning: path, user: 65_531)
      let (other, own) = (try Self.openLog(in: path), try Self.openLog(in: path))
      let lock = LogLock(own, path: path + "/log")
      try #require(try other.tryLock())
      let resource = __rlimit_resource_t(__RLIMIT_NPROC.rawValue)
      var limit = rlimit()
      try #require(getrlimit(resource, &limit) == 0)
      var none = rlimit(rlim_cur: 0, rlim_max: limit.rlim_max)
      try #require(setrlimit(resource, &none) == 0)
      let error = #expect(throws: Defaults.SuiteError.self) {
        try lock.wait(until: 0) { Issue.record("Nothing was granted.") }
      }
      try #require(setrlimit(resource, &limit) == 0)
      #expect((error?.underlying as? POSIXError)?.code == .EAGAIN)
      // The lock is offered only if no thread is counted as waiting.
      let offered = AsyncStream<Bool>.makeStream()
      func wait() throws -> Bool {
        let end = AtEnd { offered.continuation.yield(false) }
        return try lock.wait(until: 0) {
          withExtendedLifetime(end) { _ = offered.continuation.yield(true) }
        }
      }
      // Required, since without a thread in the queue there is no offer to wait for.
      let isWorthIt = try wait()
      try #require(!isWorthIt)
      try other.unlock()
      var offers = offered.stream.makeAsyncIterator()
      try #require(await offers.next() == true)
      // The thread of the queue has ended.
      #expect(await offers.next() == false)
      #expect(try lock.take())
    }
  }

  private static func openLog(in folder: String) throws -> any OpenFile {
    try LocalFileSystem().open(folder + "/log", .update)
  }
}

/// Calls a closure when the last reference to this object is released.
private final class AtEnd: Sendable {
  private let body: @Sendable () -> Void

  init(_ body: @escaping @Sendable () -> Void) { self.body = body }

  deinit { body() }
}
