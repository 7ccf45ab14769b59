import Foundation
import TestSupport
import Testing

@testable import Defaults

// Logs that another program replaces in place by an older copy.

extension FileStoreTests {
  /// What finds out that the log lacks changes.
  enum Check: CaseIterable { case flush, update, export, sets }

  @Test("An older copy of a log that grew to the same size is noticed", arguments: Check.allCases)
  func olderCopyOfSameSize(check: Check) throws {
    let journal = settings.folder.url(SettingsFolder.journal)
    let (process, other) = (try open(), try open())
    other.set(1, "c")
    process.set(1, "a")
    try other.suite.refresh()
    let old = try Data(contentsOf: journal)
    process.set(2, "b")
    let size = try settings.size(of: SettingsFolder.journal)
    try old.write(to: journal)
    other.set(2, "c")
    try #require(try settings.size(of: SettingsFolder.journal) == size)
    // These rely on the size.
    for number in 1...4 { process.set(.integer(Int64(number)), "d") }
    switch check {
    case .flush: try process.suite.flush()
    case .update:
      try process.suite.update(Defaults.Key("d", default: 0, suite: process.suite)) { $0 = -$0 }
    case .export: try process.suite.flush(.snapshot)
    case .sets: for number in 1...2_000 { process.set(.integer(Int64(number)), "d") }
    }
    let value: Defaults.PropertyListValue =
      switch check {
      case .flush, .export: 4
      case .update: -4
      case .sets: 2_000
      }
    #expect(process.entries == ["a": 1, "b": 2, "c": 2, "d": value])
    #expect(try open().entries == process.entries)
  }
}
