import Foundation
import TestSupport
import Testing

@testable import Defaults

// Times after the year 2500.

extension FileStoreTests {
  @Test("Of two changes that wait and have the latest possible version, the second one is stored")
  func waitingAtLimit() throws {
    let places = SuiteFiles(try StoredFile(path: settings.path, on: LocalFileSystem()))
    try NewLog(LogState(["a": 1], of: nil, version: .limit, id: 1), places).addName()
    let process = try open()
    process.disk.fail(with: .ENOSPC)
    for number in 2...3 as ClosedRange<Int64> { process.set(.integer(number), "b") }
    process.disk.heal()
    try process.suite.flush()
    #expect(process.entries == ["a": 1, "b": 3])
    #expect(try open().entries == ["a": 1, "b": 3])
  }

  @Test("A property list from after the year 2500 doesn't make all versions equal")
  func fileAfterLimit() {
    let stamp = FileVersion(
      device: 1, inode: 1, size: 1, modified: FileTime(seconds: 20_000_000_000, nanoseconds: 0))
    let file = DecodedFile(
      entries: ["a": 1], identity: LogRecord.FileIdentity(stamp: stamp, checksum: 1))
    #expect(LogState(file, now: 5_000_000).horizon.latest == LogVersion(5_000_000))
  }
}
