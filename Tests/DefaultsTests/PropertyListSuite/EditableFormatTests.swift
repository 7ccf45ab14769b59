import DefaultsLayers
import DefaultsText
import Foundation
import TestSupport
import Testing

@testable import Defaults

@Suite("A suite in a file of JSON with comments", .timeLimit(.aHang))
struct EditableFormatTests {
  static let name = "settings.jsonc"
  static let text = """
    // Of the team.
    {
      // --- Sound ---

      "sound.volume": 5, // not too loud
      "theme": "dark",
    }

    """

  let folder: TemporaryFolder
  let issues = IssueLog()

  init() throws { folder = try TemporaryFolder() }

  /// Opens the file in this process; only one suite of it at a time is in use.
  func suite(
    repairsDamage: Bool = true, readOnly: Bool = false
  ) throws -> Defaults.PropertyListSuite {
    try Defaults.PropertyListSuite(
      url: folder.url(Self.name), format: .jsonc, repairsDamage: repairsDamage, readOnly: readOnly,
      onIssue: { [issues] in issues.append($0) })
  }

  /// Opens the file as another process, without background work.
  func open(
    _ custom: (any SuiteFileFormat)? = Defaults.EditableFormat.jsonc, repairsDamage: Bool = true
  ) throws -> Defaults.StoredSuite {
    let (suite, start) = try FileStore.open(
      StoredFile(path: folder[Self.name]), custom: custom, isAutomatic: false,
      repairsDamage: repairsDamage, onIssue: { [issues] in issues.append($0) })
    start()
    return suite
  }

  func text() throws -> String { try folder.text(of: Self.name) }

  @Test("Saving JSON with comments changes only changed values and describes new settings")
  func saving() throws {
    try folder.write(Self.text, to: Self.name, mode: 0o640)
    let suite = try suite()
    #expect(suite.entries == ["sound.volume": 5, "theme": "dark"])
    let balance = Defaults.Key<Double>(
      "sound.balance", default: 0, suite: suite, .about("Left (-1) to right"))
    suite[balance] = 0.25
    suite.set("light", forKey: "theme")
    try suite.flush(.snapshot)
    let meant = Self.text.replacing("dark", with: "light").replacing(
      "loud\n", with: "loud\n  // Left (-1) to right\n  \"sound.balance\": 0.25,\n")
    #expect(try text() == meant)
    #expect(try folder.mode(of: Self.name) == 0o640)
    balance.reset()
    try suite.flush(.snapshot)
    #expect(try text() == Self.text.replacing("dark", with: "light"))
    #expect(issues.all.isEmpty)
  }

  @Test("A new file describes each setting, also if the key belongs to a suite of layers")
  func newFile() throws {
    do {
      let suite = try suite()
      let layers = try Defaults.LayeredSuite(.writable(suite))
      let volume = Defaults.Key("volume", default: 5, suite: layers, .about("Loudness"))
      layers[volume] = 7
      try suite.flush(.snapshot)
    }
    #expect(try text() == "{\n  // Loudness\n  \"volume\": 7\n}\n")
    #expect(try folder.mode(of: Self.name) == 0o600)
    #expect(try open().entries == ["volume": 7])
  }

  @Test("Every value is stored exactly in a file of JSON with comments")
  func values() throws {
    let entries: [String: Defaults.PropertyListValue] = [
      "date": .date(Date(timeIntervalSinceReferenceDate: 0.1)), "zero": .real(-0.0),
      "big": .unsignedInteger(.max), "data": .data(Data([0, 255])), "infinite": .real(.infinity),
      "text": "\u{1}\r\n\u{feff}", "$name": [["$date": 1]], "": "",
    ]
    let suite = try suite()
    try suite.transaction { draft in
      for (name, value) in entries where !name.isEmpty { try draft.setEntry(value, named: name) }
    }
    try suite.flush(.snapshot)
    try FileManager.default.removeItem(at: folder.url(Self.name + ".journal"))
    #expect(try open().entries == entries.filter { !$0.key.isEmpty })
  }

  @Test("A JSON file that a text editor saves meanwhile is merged and keeps its comments")
  func merging() throws {
    try folder.write(Self.text, to: Self.name)
    let suite = try open()
    suite.write(.set(6), named: "sound.volume")
    try suite.flush(.snapshot)
    let edited = try text().replacing("\"dark\"", with: "\"blue\" /* my own */")
      .replacing("// not too loud", with: "// louder")
    try Data(edited.utf8).write(to: folder.url(Self.name), options: .atomic)
    suite.write(.set(7), named: "sound.volume")
    try suite.flush(.snapshot)
    #expect(suite.entries == ["sound.volume": 7, "theme": "blue"])
    #expect(try text() == edited.replacing("6", with: "7"))
    // Only a comment, which changes no setting.
    let commented = try text() + "// the end\n"
    try Data(commented.utf8).write(to: folder.url(Self.name), options: .atomic)
    suite.write(.remove, named: "theme")
    try suite.flush(.snapshot)
    #expect(
      try text() == commented.replacing("  \"theme\": \"blue\" /* my own */,\n", with: ""))
    #expect(issues.all.isEmpty)
  }

  /// JSON with comments that edits another text than the file's, or has a fixed result.
  private struct Altered: SuiteFileFormat {
    var edited: @Sendable (_ previous: Data?) -> Data? = { $0 }
    var result: Data?

    func decode(_ data: Data) throws(Defaults.ConversionError) -> [String: PropertyListValue] {
      try Defaults.EditableFormat.jsonc.decode(data)
    }

    func encode(
      _ entries: [String: PropertyListValue], replacing previous: Data?, path: String,
      about: (String) -> String?
    ) throws(SuiteError) -> (data: Data, problem: SuiteError?) {
      if let result { return (result, nil) }
      return try Defaults.EditableFormat.jsonc.encode(
        entries, replacing: edited(previous), path: path, about: about)
    }
  }

  @Test("A comment that a text editor saves while the suite edits the text isn't lost")
  func race() throws {
    try folder.write(Self.text, to: Self.name)
    let saves = Log<Void>()
    let suite = try open(
      Altered(edited: { [url = folder.url(Self.name)] previous in
        guard saves.count == 0 else { return previous }
        saves.append(())
        #expect(throws: Never.self) {
          try ((previous ?? Data()) + Data("// just now\n".utf8)).write(to: url, options: .atomic)
        }
        return previous
      }))
    suite.write(.set(6), named: "sound.volume")
    try suite.flush(.snapshot)
    #expect(try text() == Self.text.replacing("5", with: "6") + "// just now\n")
    #expect(issues.all.isEmpty)
  }

  @Test("Two processes on one JSON file receive each other's changes and edit the same text")
  func processes() throws {
    try folder.write(Self.text, to: Self.name)
    let (one, other) = (try open(), try open())
    one.write(.set(6), named: "sound.volume")
    try one.flush(.snapshot)
    try other.transaction { draft in try draft.setEntry("light", named: "theme") }
    #expect(other.entries == ["sound.volume": 6, "theme": "light"])
    try other.flush(.snapshot)
    #expect(
      try text() == Self.text.replacing("5", with: "6").replacing("dark", with: "light"))
  }

  @Test("A damaged JSON file is quarantined and written again from the journal")
  func damage() throws {
    try folder.write(Self.text, to: Self.name)
    do {
      let suite = try open()
      suite.write(.set(6), named: "sound.volume")
      try suite.flush(.snapshot)
    }
    try folder.write("{ \"theme\": ", to: Self.name)
    let suite = try open()
    #expect(suite.entries == ["sound.volume": 6, "theme": "dark"])
    #expect(issues.codes == [.quarantined])
    try suite.flush(.snapshot)
    #expect(try text() == "{\n  \"sound.volume\": 6,\n  \"theme\": \"dark\"\n}\n")
    let copies = try folder.names().filter { $0.contains(".corrupt-") }
    #expect(try copies.map { try folder.text(of: $0) } == ["{ \"theme\": "])
    #expect(issues.codes == [.quarantined])
  }

  @Test("With repairsDamage: false, a mistake throws with its line, and the file is unchanged")
  func mistake() throws {
    let text = "{\n  \"a\": 1\n  \"b\": 2\n}\n"
    try folder.write(text, to: Self.name)
    let error = #expect(throws: Defaults.SuiteError.self) { try suite(repairsDamage: false) }
    #expect(error?.code == .malformed)
    #expect(error?.reason.hasPrefix("The file isn't valid (") == true)
    #expect(error?.reason.contains("line 3, column 3") == true, "\(error?.reason ?? "")")
    #expect(try self.text() == text)
  }

  @Test("A text that is too large to be read again isn't written")
  func tooLarge() throws {
    try folder.write(Self.text, to: Self.name)
    let suite = try open(Altered(result: Data(count: 1 << 30 + 1)))
    suite.write(.set(6), named: "sound.volume")
    let error = #expect(throws: Defaults.SuiteError.self) { try suite.flush(.snapshot) }
    #expect(error?.code == .unrepresentable)
    #expect(try text() == Self.text)
  }

  @Test("A JSON text that can't be edited is written from scratch, with an issue")
  func rewritten() throws {
    try folder.write(Self.text, to: Self.name)
    // The suite finds a mistake in a file that it has read before.
    let suite = try open(Altered(edited: { _ in Data("{".utf8) }))
    suite.write(.set(6), named: "sound.volume")
    try suite.flush(.snapshot)
    #expect(issues.codes == [.rewritten])
    #expect(try open().entries == ["sound.volume": 6, "theme": "dark"])
  }
}
