import Defaults
import Foundation
import TestSupport
import Testing

@Suite("Health of a suite", .prompt)
struct HealthTests {
  let settings: SettingsFolder
  let issues = IssueLog()
  var folder: TemporaryFolder { settings.folder }

  init() throws { settings = try SettingsFolder() }

  private func open() throws -> Defaults.PropertyListSuite {
    try Defaults.PropertyListSuite(
      url: folder.url(SettingsFolder.file), onIssue: { [issues] in issues.append($0) })
  }

  /// Two versions of the file.
  private func prepare() throws {
    try settings.run { process in
      for number in 1...2 {
        process.set(.integer(Int64(number)), "x")
        try process.flush(.snapshot)
      }
    }
  }

  @Test("Health is intact for a missing file and for an intact one")
  func intact() throws {
    #expect(try open().health == .intact)
    try prepare()
    let suite = try open()
    #expect(suite.health == .intact)
    suite.set(3, forKey: "x")
    try suite.flush(.snapshot)
    #expect(suite.health == .intact)
    #expect(issues.count == 0)
  }

  @Test("Health is recoveredFromJournal while the suite is open, then intact")
  func recoveredFromJournal() throws {
    try prepare()
    try settings.overwrite(with: "damaged")
    do {
      let suite = try open()
      #expect(suite.health == .recoveredFromJournal)
      #expect(suite.entries == ["x": 2])
      suite.set(3, forKey: "x")
      try suite.flush(.snapshot)
      #expect(suite.health == .recoveredFromJournal)
    }
    // Not `open()`, which joins the state that the library may still be using.
    #expect(try settings.open().health == .intact)
  }

  @Test("Health is startedEmpty without an intact journal", arguments: [nil, "damaged"])
  func startedEmpty(journal: String?) throws {
    try prepare()
    try settings.overwrite(with: "damaged")
    if let journal {
      try settings.overwrite(SettingsFolder.journal, with: journal)
    } else {
      try settings.remove(SettingsFolder.journal)
    }
    let suite = try open()
    #expect(suite.health == .startedEmpty)
    #expect(suite.entries == [:])
    #expect(issues.codes.contains(.quarantined))
  }

  @Test("Health is readOnly if nothing can be stored from the start, then intact after a save")
  func readOnly() async throws {
    try prepare()
    await #expect(processExitsWith: .success) { [path = folder.path as String] in
      becomeOrdinaryUser(owning: path)
      chmod(path, 0o500)
      let suite = try Defaults.PropertyListSuite(
        url: URL(filePath: path + "/suite.plist"), onIssue: { _ in })
      #expect(suite.health == .readOnly)
      #expect(suite.integer(forKey: "x") == 2)
      chmod(path, 0o700)
      suite.set(3, forKey: "x")
      try suite.flush(.snapshot)
      #expect(suite.health == .intact)
    }
    #expect(try settings.entries() == ["x": 3])
  }

  @Test("Health is readOnly while a change can't be stored, then intact")
  func readOnlyForAWhile() throws {
    try prepare()
    let process = try settings.open()
    process.disk.fail(with: .ENOSPC) { $0.operation == .write }
    process.set(3, "x")
    #expect(process.health == .readOnly)
    process.disk.heal()
    try process.flush()
    #expect(process.health == .intact)
  }

  @Test("Health is inMemory for .standard if there is no location for a file")
  func inMemory() async throws {
    try folder.write("in the way", to: "config")
    await #expect(processExitsWith: .success) { [path = folder["config"] as String] in
      setenv("XDG_CONFIG_HOME", path, 1)
      Defaults.issueHandler = { #expect($0.code == .inMemory) }
      let suite = Defaults.PropertyListSuite.standard
      #expect(suite.health == .inMemory)
      suite.set(1, forKey: "x")
      #expect(suite.integer(forKey: "x") == 1)
      let error = #expect(throws: Defaults.SuiteError.self) { try suite.fileSizes() }
      #expect(error?.code == .inMemory)
      #expect(error?.suite == suite.label)
    }
  }

  @Test("An XML file that was damaged while no program ran stays XML", arguments: [true, false])
  func damagedXML(hasJournal: Bool) throws {
    try Defaults.PropertyListFormat.xml.encode([:]).write(to: folder.url(SettingsFolder.file))
    try settings.run { process in
      process.set(1, "x")
      try process.flush(.snapshot)
    }
    if !hasJournal { try settings.remove(SettingsFolder.journal) }
    try settings.overwrite(with: "<?xml version=\"1.0\"?><plist><dict>")
    let process = try settings.open()
    process.set(2, "y")
    try process.flush(.snapshot)
    #expect(try settings.folder.text(of: SettingsFolder.file).hasPrefix("<?xml"))
    #expect(try settings.entries() == (hasJournal ? ["x": 1, "y": 2] : ["y": 2]))
  }
}
