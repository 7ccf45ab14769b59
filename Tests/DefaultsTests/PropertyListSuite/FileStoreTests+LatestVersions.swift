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

  @Test(
    "A property list from after the year 2400 doesn't make all versions equal",
    arguments: [
      (13_569_465_599, LogVersion(13_569_465_599_000_000)),
      (13_569_465_600, LogVersion(5_000_000)),
      (16_725_225_599, LogVersion(5_000_000)),
      (20_000_000_000, LogVersion(5_000_000)),
    ])
  func fileAfterLimit(seconds: Int, latest: LogVersion) {
    let stamp = FileVersion(
      device: 1, inode: 1, size: 1, modified: FileTime(seconds: seconds, nanoseconds: 0))
    let file = DecodedFile(
      entries: ["a": 1], identity: LogRecord.FileIdentity(stamp: stamp, checksum: 1))
    #expect(LogState(file, now: 5_000_000).horizon.latest == latest)
  }
}
