import Foundation
import TestSupport
import Testing

@testable import Defaults

@Suite("Manual repair of damaged files")
struct DamageRepairTests {
  let settings: SettingsFolder
  let issues = IssueLog()

  init() throws { settings = try SettingsFolder() }

  private func open() throws -> Defaults.PropertyListSuite {
    try Defaults.PropertyListSuite(
      url: settings.folder.url(SettingsFolder.file), repairsDamage: false,
      onIssue: { [issues] in issues.append($0) })
  }

  private static let text = """
    <?xml version="1.0" encoding="UTF-8"?>
    <plist version="1.0"><dict>
      <key>volume</key><integer>seven</integer>
    </dict></plist>
    """

  @Test("With repairsDamage off, opening a damaged file throws with line and column")
  func opening() throws {
    try settings.folder.write(Self.text, to: SettingsFolder.file)
    let error = #expect(throws: Defaults.SuiteError.self) { try open() }
    #expect(error?.code == .malformed)
    #expect(error?.path == settings.path)
    #expect(error?.reason.contains("line 3, column ") == true)
    #expect(try settings.folder.names() == [SettingsFolder.file])
    #expect(try settings.folder.text(of: SettingsFolder.file) == Self.text)
    #expect(issues.count == 0)
  }

  @Test("With repairsDamage off, opening a damaged file with a sound journal throws")
  func openingWithJournal() throws {
    try settings.run {
      $0.set(1, "volume")
      try $0.flush(.snapshot)
    }
    try settings.overwrite(with: Self.text)
    let error = #expect(throws: Defaults.SuiteError.self) { try open() }
    #expect(error?.code == .malformed)
    #expect(try settings.folder.text(of: SettingsFolder.file) == Self.text)
    #expect(try settings.setAside() == [])
  }

  @Test("With repairsDamage off, opening a damaged binary file throws with the byte")
  func binary() throws {
    try settings.folder.write("bplist00 and nothing that belongs there", to: SettingsFolder.file)
    let error = #expect(throws: Defaults.SuiteError.self) { try open() }
    #expect(error?.reason.contains("byte") == true || error?.reason.contains("bytes") == true)
  }

  @Test(
    "With repairsDamage off, a running program leaves a damaged file until it is repaired")
  func running() async throws {
    let (told, report) = AsyncStream.makeStream(of: Defaults.Issue.self)
    let suite = try Defaults.PropertyListSuite(
      url: settings.folder.url(SettingsFolder.file), repairsDamage: false,
      onIssue: { report.yield($0) })
    suite.set(5, forKey: "volume")
    try await suite.flush(.snapshot)
    try settings.overwrite(with: Self.text)
    suite.set(6, forKey: "other")
    try await suite.flush()
    for await issue in told where issue.code == .malformed { break }
    #expect(suite.integer(forKey: "volume") == 5)
    let error = await #expect(throws: Defaults.SuiteError.self) {
      try await suite.flush(.snapshot)
    }
    #expect(error?.code == .malformed)
    #expect(try settings.folder.text(of: SettingsFolder.file) == Self.text)
    #expect(try settings.setAside() == [])
    try settings.overwrite(
      with: Self.text.replacingOccurrences(of: "seven", with: "7"))
    try await suite.flush(.snapshot)
    #expect(try settings.entries() == ["volume": 7, "other": 6])
  }
}
