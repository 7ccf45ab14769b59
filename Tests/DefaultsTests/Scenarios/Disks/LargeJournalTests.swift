import Foundation
import TestSupport
import Testing

@testable import Defaults

@Suite("Journals above the size limit")
struct LargeJournalTests {
  let settings: SettingsFolder

  init() throws { settings = try SettingsFolder() }

  /// Makes the journal larger than the limit without using space on the disk or in memory.
  private func inflate() throws -> Int {
    let size = Defaults.SizeLimit.readableJournal + LogHeader.size + 100_000
    #expect(truncate(settings.folder[SettingsFolder.journal], off_t(size)) == 0)
    return size
  }

  private func expectSize(_ size: Int) throws {
    let status = try LocalFileSystem().status(of: settings.folder[SettingsFolder.journal])
    #expect(status.version.size == size)
  }

  @Test("Opening a journal above the size limit throws an error and keeps the journal")
  func opening() throws {
    try settings.run { $0.set(1, "x") }
    let size = try inflate()
    let error = #expect(throws: Defaults.SuiteError.self) { try settings.open() }
    #expect(error?.code == .unreadable)
    #expect(error?.path == settings.folder[SettingsFolder.journal])
    #expect(error?.reason.contains("that large") == true)
    try expectSize(size)
  }

  @Test("A running program keeps changes in memory if its journal exceeds the size limit")
  func running() throws {
    let process = try settings.open()
    process.set(1, "x")
    let end = try settings.endOfRecords()
    let size = try inflate()
    // A partial record of a killed process, which the next writer would cut off.
    try settings.flip(byte: end + 2, of: SettingsFolder.journal)
    process.set(2, "x")
    #expect(process.entries == ["x": 2])
    process.expectFailure(at: settings.folder[SettingsFolder.journal])
    try expectSize(size)
  }

  @Test(
    "A short file in the journal's place is quarantined, not overwritten",
    arguments: ["notes", "n"])
  func shortFile(text: String) throws {
    try settings.folder.write(text, to: SettingsFolder.journal)
    let process = try settings.open()
    process.set(1, "x")
    let aside = try #require(try settings.setAside(of: SettingsFolder.journal).first)
    #expect(try settings.folder.text(of: aside) == text)
    try process.flush(.snapshot)
    #expect(try settings.entries() == ["x": 1])
  }
}
