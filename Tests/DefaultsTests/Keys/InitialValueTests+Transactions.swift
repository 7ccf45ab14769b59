import Defaults
import Foundation
import TestSupport
import Testing

// Reads of initial values beside transactions of other threads.

extension InitialValueTests {
  @Test(
    "A read of an initial value doesn't wait for a transaction of another thread",
    arguments: SuiteKind.allCases)
  func readBesideTransaction(kind: SuiteKind) throws {
    let sample = try Sample(kind)
    let suite = sample.suite
    func make(_ suite: some Defaults.Suite) -> Defaults.Key<UUID> {
      Defaults.Key("id", suite: suite, .generatedOnce) { UUID() }
    }
    let key = make(suite)
    let read = DispatchSemaphore(value: 0)
    let seen = Log<UUID>()
    try suite.transaction { _ in
      Thread.detachNewThread {
        seen.append(Defaults[key])
        read.signal()
      }
      #expect(read.wait(timeout: .now() + 600) == .success)
    }
    #expect(seen.all == [Defaults[key]])
    readUntilStored(key, in: suite)
  }

  @Test(
    "A read of an initial value doesn't wait for a transaction that begins during the computation",
    arguments: SuiteKind.allCases)
  func transactionDuringComputation(kind: SuiteKind) throws {
    let sample = try Sample(kind)
    let suite = sample.suite
    let (begun, read, ended) = (
      DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
    )
    let isReadFirst = Log<Bool>()
    func make(_ suite: some Defaults.Suite) -> Defaults.Key<Int> {
      Defaults.Key("id", suite: suite, .generatedOnce) {
        Thread.detachNewThread {
          try? suite.transaction { _ in
            begun.signal()
            isReadFirst.append(read.wait(timeout: .now() + 600) == .success)
          }
          ended.signal()
        }
        begun.wait()
        return 1
      }
    }
    let key = make(suite)
    #expect(Defaults[key] == 1)
    read.signal()
    ended.wait()
    #expect(isReadFirst.all == [true])
    #expect(Defaults[key] == 1)
    readUntilStored(key, in: suite)
  }

  @Test("A read of an initial value that is nil needs no lock of the file")
  func absentInitialValue() throws {
    let folder = try TemporaryFolder()
    let issues = IssueLog()
    let suite = try Defaults.PropertyListSuite(url: folder.url("a.plist")) { issues.append($0) }
    let key = Defaults.Key<String?>("id", suite: suite, .generatedOnce) { nil }
    try suite.set("once", for: key)
    key.reset()
    let journal = try StoredFile(path: folder["a.plist"]).place(beside: ".journal")
    let lock = try journal.fileSystem.open(journal.path, .update)
    #expect(try lock.tryLock())
    withExtendedLifetime(lock) { #expect(suite[key] == nil) }
    #expect(issues.codes.isEmpty)
  }
}
