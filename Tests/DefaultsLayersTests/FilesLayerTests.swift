import Defaults
import DefaultsLayers
import Foundation
import TestSupport
import Testing

@Suite("Folders with several files of settings", .timeLimit(.aHang))
struct FilesLayerTests {
  let folder: TemporaryFolder
  let issues = IssueLog()

  init() throws {
    folder = try TemporaryFolder()
    try folder.makeFolder("conf.d")
  }

  private func suite() throws -> Defaults.LayeredSuite {
    try Defaults.LayeredSuite(
      .files(in: folder.url("conf.d")), .writable(Defaults.MemorySuite()),
      onIssue: { [issues] in issues.append($0) })
  }

  private func write(_ text: String, to name: String) throws {
    try folder.replace("conf.d/\(name)", with: text)
  }

  private func key(_ name: String, in suite: Defaults.LayeredSuite) -> Defaults.Key<Int> {
    Defaults.Key(name, default: 0, suite: suite)
  }

  @Test("Files whose sizes can't be added are too large", .enabled(if: Self.hasHugeFiles))
  func hugeFiles() throws {
    let huge = URL(filePath: "/dev/shm/DefaultsTests-\(UUID())")
    try FileManager.default.createDirectory(at: huge, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: huge) }
    for name in ["a.json", "b.json"] {
      let file = open(huge.appending(path: name).path, O_CREAT | O_WRONLY, 0o600)
      #expect(ftruncate(file, 5 << 60) == 0)
      close(file)
    }
    let suite = try Defaults.LayeredSuite(
      .files(in: huge), .writable(Defaults.MemorySuite()),
      onIssue: { [issues] in issues.append($0) })
    #expect(issues.codes == [.unreadable])
    withExtendedLifetime(suite) {}
  }

  /// Whether there is a file system in memory, which has files of any size.
  private static let hasHugeFiles = access("/dev/shm", W_OK) == 0

  @Test("Of several files that have a setting, the last one by name takes precedence")
  func order() throws {
    try write(#"{"a": 1, "b": 1, "limits": {"x": 1, "y": 1}, "c": 1}"#, to: "10-package.json")
    try write(#"{"b": 2, "limits": {"y": 2}, } // site"#, to: "20-site.jsonc")
    try write(#"{"limits.x": 3}"#, to: "Z.json")
    try Defaults.PropertyListFormat.binary.encode(["c": 4])
      .write(to: folder.url("conf.d/é.plist"))
    for name in [".hidden.json", "30.json~", "40.txt", "json"] { try write(#"{"a": 9}"#, to: name) }
    try folder.makeFolder("conf.d/50.json")
    let suite = try suite()
    for (name, value) in ["a": 1, "b": 2, "limits.x": 3, "limits.y": 2, "c": 4] {
      #expect(suite[key(name, in: suite)] == value)
    }
    #expect(
      suite.inspect(key("limits.y", in: suite))[0].place
        == folder["conf.d/20-site.jsonc"] + ", line 1")
    #expect(issues.count == 0)
  }

  @Test("In a folder with JSON and property lists, a decimal in JSON is read as the key's type")
  func decimals() throws {
    try write(#"{"f": 0.1}"#, to: "a.json")
    try Defaults.PropertyListFormat.xml.encode(["g": 0.5]).write(to: folder.url("conf.d/b.plist"))
    let suite = try suite()
    #expect(suite[Defaults.Key<Float>("f", default: 0, suite: suite)] == 0.1)
    #expect(suite[Defaults.Key<Float>("g", default: 0, suite: suite)] == 0.5)
    #expect(issues.count == 0)
  }

  @Test("A layer of several files follows files that are added, changed, repaired and removed")
  func changes() async throws {
    try write(#"{"a": 1}"#, to: "10.json")
    let suite = try suite()
    let (a, b) = (key("a", in: suite), key("b", in: suite))
    var values = Defaults.updates(a).makeAsyncIterator()
    #expect(await values.next() == 1)
    try write(#"{"a": 2}"#, to: "20.json")
    #expect(await values.next() == 2)
    try write(#"{"a": 3"#, to: "20.json")
    try write(#"{"b": 1}"#, to: "30.json")
    try suite.refresh()
    #expect(suite[a] == 2 && suite[b] == 1)
    // The thread that follows the folder may report the damage after this thread has refreshed.
    await issues.wait { !$0.isEmpty }
    #expect(issues.codes == [.malformed])
    #expect(issues.last?.description.contains("20.json") == true)
    try write(#"{"a": 4}"#, to: "20.json")
    #expect(await values.next() == 4)
    #expect(unlink(folder["conf.d/20.json"]) == 0)
    #expect(await values.next() == 1)
    try FileManager.default.removeItem(atPath: folder["conf.d"])
    #expect(await values.next() == 0)
    try folder.makeFolder("conf.d")
    try write(#"{"a": 5}"#, to: "a.json")
    #expect(await values.next() == 5)
  }

  @Test("A layer's file that is damaged at opening has no entries, and the other files are used")
  func damaged() throws {
    try write(#"{"a": 1}"#, to: "10.json")
    try write(#"{"a": "#, to: "20.json")
    let suite = try suite()
    #expect(suite[key("a", in: suite)] == 1)
    #expect(issues.codes == [.malformed])
  }

  @Test("The issue about a layer's file in another format names the formats")
  func otherFormat() throws {
    try write("a = 1", to: "10.json")
    _ = try suite()
    #expect(issues.last?.reason.hasSuffix("it is neither JSON nor a property list") == true)
  }

  @Test("Unknown names are reported with the file that has them")
  func unknown() throws {
    try write(#"{"a": 1, "x": 1}"#, to: "10.json")
    try write("{\n\"x\": 2}", to: "20.json")
    let suite = try suite()
    try suite.declareAll([key("a", in: suite)])
    #expect(
      Set(issues.all.map(\.suite))
        == [folder["conf.d/10.json"] + ", line 1", folder["conf.d/20.json"] + ", line 2"])
  }
}
