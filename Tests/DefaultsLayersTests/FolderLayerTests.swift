import Defaults
import DefaultsHistory
import DefaultsLayers
import DefaultsTesting
import Foundation
import TestSupport
import Testing

@Suite("Folders with one file per setting", .timeLimit(.aHang))
struct FolderLayerTests {
  let folder: TemporaryFolder
  let issues = IssueLog()

  init() throws {
    folder = try TemporaryFolder()
    try folder.makeFolder("secrets")
  }

  private func suite(
    isSecret: Bool = false, writable: Defaults.MemorySuite = Defaults.MemorySuite()
  ) throws -> Defaults.LayeredSuite {
    try suite(.folder(folder.url("secrets"), isSecret: isSecret), writable)
  }

  private func suite(
    _ layer: Defaults.Layer, _ writable: Defaults.MemorySuite = Defaults.MemorySuite()
  ) throws -> Defaults.LayeredSuite {
    try Defaults.LayeredSuite(
      layer, .writable(writable), onIssue: { [issues] in issues.append($0) })
  }

  @Test("In a folder layer, a file's content without its last line break is a setting's text")
  func texts() throws {
    for (name, text) in [
      ("port", "8080\n"), ("title", "two\nlines\n\n"), ("windows", "end\r\n"), ("empty", ""),
      ("limits.requests", "60"), ("names", "a, b\n"), (".hidden", "1"),
    ] {
      try folder.write(text, to: "secrets/\(name)")
    }
    try folder.makeFolder("secrets/..data")
    try folder.makeFolder("secrets/folder")
    try folder.link("secrets/dangling", to: "nowhere")
    let suite = try suite()
    #expect(suite[Defaults.Key<Int>("port", default: 0, suite: suite)] == 8080)
    #expect(suite[Defaults.Key("title", default: "", suite: suite)] == "two\nlines\n")
    #expect(suite[Defaults.Key("windows", default: "", suite: suite)] == "end")
    #expect(suite[Defaults.Key("empty", default: "x", suite: suite)] == "")
    #expect(suite[Defaults.Key<Int>("limits.requests", default: 0, suite: suite)] == 60)
    #expect(suite[Defaults.Key<[String]>("names", default: [], suite: suite)] == ["a", "b"])
    for name in [".hidden", "..data", "folder", "dangling"] {
      #expect(suite[Defaults.Key("\(name)", default: "none", suite: suite)] == "none")
    }
    #expect(issues.count == 0)
    let port = Defaults.Key<Int>("port", default: 0, suite: suite)
    #expect(suite.inspect(port)[0].description == "* folder  \(folder["secrets/port"]): 8080")
  }

  @Test("In a folder layer, a setting that is stored as data has the bytes of its file")
  func data() throws {
    let bytes = Data([0xff, 0x00, 0x0a])
    try bytes.write(to: folder.url("secrets/key"))
    try bytes.write(to: folder.url("secrets/title"))
    let suite = try suite()
    let key = Defaults.Key<Data>("key", default: Data(), suite: suite)
    #expect(suite[key] == bytes)
    #expect(suite.inspect(key)[0].text == "/wAK")
    #expect(suite[Defaults.Key("title", default: "none", suite: suite)] == "none")
    #expect(issues.codes == [.invalid])
    #expect(issues.last?.description.contains("secrets/title") == true)
    #expect(issues.last?.error.reason.contains("isn't UTF-8") == true)
  }

  @Test("If a setting's file is above 1 MiB, an issue is reported, and the next layer is used")
  func large() throws {
    try Data(count: (1 << 20) + 1).write(to: folder.url("secrets/key"))
    try Data(repeating: 0x61, count: 1 << 20).write(to: folder.url("secrets/title"))
    let suite = try suite(writable: Defaults.MemorySuite(["key": .data(Data([1]))]))
    #expect(suite[Defaults.Key<Data>("key", default: Data(), suite: suite)] == Data([1]))
    #expect(suite[Defaults.Key("title", default: "", suite: suite)].utf8.count == 1 << 20)
    #expect(issues.all.map(\.key) == ["key"])
    #expect(issues.last?.error.reason.contains("larger than 1 MiB") == true)
  }

  @Test("Values of a secret folder appear in no description, issue, inspection or export")
  func secret() throws {
    try folder.write("hunter2", to: "secrets/token")
    try folder.write("hunter3", to: "secrets/pin")
    let suite = try suite(isSecret: true)
    let token = Defaults.Key("token", default: "", suite: suite)
    let pin = Defaults.Key<Int>("pin", default: 0, suite: suite, .in(0...9))
    let changes = Log<String>()
    let observation = suite.observe(["token"], options: .initial) { change in
      changes.append("\(change)")
      changes.append(String(reflecting: change))
    }
    let typed = Defaults.observe(token, options: .initial) { changes.append("\($0)") }
    #expect(suite[token] == "hunter2" && suite[pin] == 0)
    let entry = suite.inspect(token)[0]
    #expect(entry.isSecret && entry.text == "hunter2")
    #expect(issues.codes == [.invalid])
    let texts =
      changes.all + issues.all.map(\.description)
      + suite.inspect(token).map(\.description) + suite.inspect(pin).map(\.description)
      + ["\(token)", "\(pin)", try suite.exportString(as: .json)]
    #expect(texts.count > 8)
    for text in texts { #expect(!text.contains("hunter")) }
    #expect(try suite.exportString(.all.includingSecrets, as: .json).contains("hunter2"))
    withExtendedLifetime((observation, typed)) {}
  }

  private struct Preferences: Defaults.Schema {
    @Stored var token = ""
  }

  @Test("A secret folder's value is neither in a property's description nor in an overflow error")
  func secretTexts() throws {
    try folder.write("hunter2", to: "secrets/token")
    try folder.write("9223372036854775807", to: "secrets/most")
    let suite = try suite(isSecret: true)
    let preferences = Preferences(suite: suite)
    #expect(preferences.token == "hunter2")
    #expect(preferences.storedProperties.count == 1)
    for property in preferences.storedProperties { #expect(!"\(property)".contains("hunter")) }
    let error = #expect(throws: Defaults.SuiteError.self) {
      try suite.increment(Defaults.Key<Int>("most", default: 0, suite: suite))
    }
    #expect(error?.code == .overflow && error?.description.contains("9223") == false)
  }

  @Test("A rule's complaint about a setting of a secret folder doesn't quote the value")
  func secretComplaints() throws {
    try folder.write("5", to: "secrets/pin")
    let suite = try suite(isSecret: true)
    let pin = Defaults.Key<Int>("pin", default: 0, suite: suite, .in(0...9))
    suite[pin] = 4711
    let error = #expect(throws: Defaults.SuiteError.self) { try suite.set(4711, for: pin) }
    #expect(error?.code == .invalid && issues.codes == [.invalid])
    for text in ["\(error as Any)"] + issues.all.map(\.description) {
      #expect(!text.contains("4711"))
    }
  }

  @Test("An invalid entry of another layer for a setting of a secret folder isn't quoted")
  func secretElsewhere() throws {
    try folder.write("5", to: "secrets/pin")
    let suite = try Defaults.LayeredSuite(
      .environment(prefix: "APP_", ["APP_PIN": "hunter4"]),
      .folder(folder.url("secrets"), isSecret: true),
      .writable(Defaults.MemorySuite(["pin": "hunter5"])),
      onIssue: { [issues] in issues.append($0) })
    let pin = Defaults.Key<Int>("pin", default: 0, suite: suite, .in(0...9))
    #expect(suite[pin] == 5)
    let errors = #expect(throws: (any Error).self) { try suite.validate([pin]) }
    let texts =
      issues.all.map(\.description) + suite.inspect(pin).map(\.description)
      + ["\(try #require(errors))"]
    #expect(texts.count > 2)
    for text in texts { #expect(!text.contains("hunter")) }
  }

  @Test(
    "The history of a setting that a secret folder has, too, shows no values",
    arguments: [false, true])
  func secretHistory(isNested: Bool) throws {
    let base = try Defaults.PropertyListSuite(url: folder.url("suite.plist"))
    base.set("hunter2", forKey: "token")
    try folder.write("hunter3", to: "secrets/token")
    let writable = isNested ? try Defaults.LayeredSuite(.writable(base)).storage : base.storage
    let suite = try Defaults.LayeredSuite(
      .folder(folder.url("secrets"), isSecret: true), .writable(writable))
    let history = try suite.history()
    #expect(history.map(\.name) == ["token"] && history.map(\.isSecret) == [true])
    #expect(history.map(\.new) == [nil])
  }

  @Test("Credentials are read as secrets from the folder that the environment variable names")
  func credentials() throws {
    try folder.write("hunter2\n", to: "secrets/credential")
    let cases: [(String?, String)] = [
      (folder["secrets"], "hunter2"), (nil, "none"), ("", "none"), ("secrets", "none"),
    ]
    for (value, expected) in cases {
      let environment = value.map { ["CREDENTIALS_DIRECTORY": $0] } ?? [:]
      let input = ProcessInput(arguments: [], environment: environment)
      let suite = try ProcessInput.$replacement.withValue(input) { try self.suite(.credentials) }
      let key = Defaults.Key("credential", default: "none", suite: suite)
      #expect(suite[key] == expected)
      #expect(suite.inspect(key)[0].isSecret || value != folder["secrets"])
    }
    #expect(issues.count == 0)
  }

  @Test("A folder layer follows its folder, and files and links that appear, change and disappear")
  func changes() async throws {
    let suite = try suite(.folder(folder.url("mount/secrets")))
    let key = Defaults.Key<Int>("port", default: 0, suite: suite)
    var values = Defaults.updates(key).makeAsyncIterator()
    #expect(await values.next() == 0)
    try folder.makeFolder("mount/secrets")
    try folder.replace("mount/secrets/port", with: "1")
    #expect(await values.next() == 1)
    try folder.overwrite("mount/secrets/port", with: "2")
    #expect(await values.next() == 2)
    // A link to a file elsewhere, which changes there.
    try folder.write("3", to: "elsewhere")
    try folder.link("link", to: folder["elsewhere"])
    #expect(rename(folder["link"], folder["mount/secrets/port"]) == 0)
    #expect(await values.next() == 3)
    try folder.overwrite("elsewhere", with: "4")
    #expect(await values.next() == 4)
    #expect(unlink(folder["mount/secrets/port"]) == 0)
    #expect(await values.next() == 0)
    try folder.makeFolder("other/secrets")
    try folder.write("5", to: "other/secrets/port")
    #expect(rename(folder["mount"], folder["old"]) == 0)
    #expect(rename(folder["other"], folder["mount"]) == 0)
    #expect(await values.next() == 5)
    #expect(issues.count == 0)
  }

  @Test(
    "A folder layer follows a link whose target is missing at first, or disappears and returns",
    arguments: ["elsewhere", "secrets/subfolder"])
  func danglingLink(place: String) async throws {
    try folder.makeFolder(place)
    try folder.link("secrets/port", to: folder[place + "/port"])
    let suite = try suite()
    let key = Defaults.Key<Int>("port", default: 0, suite: suite)
    var values = Defaults.updates(key).makeAsyncIterator()
    #expect(await values.next() == 0)
    for number in 1...2 {
      try folder.replace(place + "/port", with: "\(number)")
      #expect(await values.next() == number)
      #expect(unlink(folder[place + "/port"]) == 0)
      #expect(await values.next() == 0)
    }
    #expect(issues.count == 0)
  }

  @Test("If a file of a folder layer becomes unreadable, its value is kept, with an issue")
  func unreadable() async throws {
    try folder.write("1", to: "secrets/port")
    try folder.write("1", to: "secrets/size")
    let suite = try suite()
    let (port, size) = (
      Defaults.Key<Int>("port", default: 0, suite: suite),
      Defaults.Key<Int>("size", default: 0, suite: suite)
    )
    #expect(suite[port] == 1)
    // A loop of links can't be read, even by root.
    try folder.link("loop", to: "port")
    #expect(rename(folder["loop"], folder["secrets/port"]) == 0)
    try folder.replace("secrets/size", with: "2")
    try suite.refresh()
    #expect(suite[port] == 1 && suite[size] == 2)
    // The thread that follows the folder may report the problem after this thread has refreshed.
    await issues.wait { !$0.isEmpty }
    #expect(issues.codes == [.unreadable])
  }

  @Test("A folder layer of more than 64 MiB is reported, and its files aren't read")
  func data64MiB() throws {
    for index in 0...64 {
      try folder.write("", to: "secrets/\(index)")
      #expect(truncate(folder["secrets/\(index)"], 1 << 20) == 0)
    }
    let suite = try suite()
    #expect(suite[Defaults.Key("1", default: "none", suite: suite)] == "none")
    #expect(issues.codes == [.unreadable])
    #expect(issues.last?.error.reason.contains("larger than 64 MiB") == true)
    #expect(unlink(folder["secrets/0"]) == 0)
    try suite.refresh()
    #expect(suite[Defaults.Key("1", default: "none", suite: suite)].utf8.count == 1 << 20)
  }

  @Test("A pipe in a layer's folder isn't opened, and is reported")
  func pipe() throws {
    #expect(mkfifo(folder["secrets/port"], 0o600) == 0)
    try folder.write("2", to: "secrets/size")
    let suite = try suite()
    #expect(suite[Defaults.Key<Int>("size", default: 0, suite: suite)] == 2)
    #expect(issues.codes == [.unreadable])
  }

  @Test("If a layer's folder is a file, an issue is reported, and the layer is empty")
  func noFolder() throws {
    try folder.write("", to: "file")
    let suite = try suite(.folder(folder.url("file")))
    #expect(suite[Defaults.Key<Int>("port", default: 3, suite: suite)] == 3)
    #expect(issues.codes == [.unreadable])
  }
}
