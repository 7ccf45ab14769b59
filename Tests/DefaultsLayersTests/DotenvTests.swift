import Defaults
import Foundation
import TestSupport
import Testing

@testable import DefaultsLayers

@Suite("Dotenv files as layers")
struct DotenvTests {
  let folder: TemporaryFolder
  let issues = IssueLog()

  init() throws { folder = try TemporaryFolder() }

  @Test("A mistake that stays isn't reported again after a set and a change of another variable")
  func lastingMistake() throws {
    try folder.write("APP_VOLUME=99\nAPP_OTHER=1\n", to: ".env")
    let suite = try Defaults.LayeredSuite(
      .dotenv(folder.url(".env"), prefix: "APP_"), .writable(Defaults.MemorySuite()),
      onIssue: { [issues] in issues.append($0) })
    let volume = Defaults.Key<Int>("volume", default: 3, suite: suite, .in(0...11))
    suite[volume] = 5
    #expect(issues.count == 1)
    try folder.replace(".env", with: "APP_VOLUME=99\nAPP_OTHER=2\n")
    try suite.refresh()
    #expect(suite[volume] == 5)
    #expect(issues.count == 1)
  }

  @Test("In a dotenv file, a shell's quotation marks, escapes and comments work, expansion doesn't")
  func syntax() {
    let file = Dotenv(
      #"""
      # A comment
      PLAIN=a b  # comment
        export EXPORTED = yes
      HASH=a#b
      COLOR=#fff # a color
      EMPTY=
      COMMENT= # nothing
      SINGLE='a\n$X "b" #c' # comment
      DOUBLE="tab\treturn\rquote\" back\\slash \$5 ${X} \d"
      LINES="one
      two\n
      # three"
      AFTER=${X}$Y
      QUOTE=it's
      EQUALS=a=b=

      """#)
    #expect(file.mistakes.isEmpty)
    #expect(
      Dictionary(uniqueKeysWithValues: file.variables.map { ($0.name, $0.text) }) == [
        "PLAIN": "a b", "EXPORTED": "yes", "HASH": "a#b", "COLOR": "#fff", "EMPTY": "",
        "COMMENT": "",
        "SINGLE": #"a\n$X "b" #c"#, "DOUBLE": "tab\treturn\rquote\" back\\slash $5 ${X} \\d",
        "LINES": "one\ntwo\n\n# three", "AFTER": "${X}$Y", "QUOTE": "it's", "EQUALS": "a=b=",
      ])
    #expect(file.variables.map(\.line) == [2, 3, 4, 5, 6, 7, 8, 9, 10, 13, 14, 15])
  }

  @Test("A dotenv file with a byte-order mark and Windows line endings is read")
  func windows() {
    let file = Dotenv("\u{feff}A=1\r\nB=\"x\r\ny\"\r\n\r\nC='z'\r\n")
    #expect(file.mistakes.isEmpty)
    #expect(file.variables.map(\.text) == ["1", "x\ny", "z"])
  }

  @Test("A malformed line of a dotenv file is skipped, and the other lines are read")
  func mistakes() {
    let file = Dotenv("A=1\nno\n2B=3\nC='x\nD=\"y\nE=\"z\"w\nF='1'#\nexport\n-=1\nG=2")
    #expect(file.mistakes.map(\.line) == [2, 3, 4, 5, 6, 7, 8, 9])
    #expect(file.variables.map(\.name) == ["A", "G"])
  }

  @Test("Dotenv text is read in linear time, and each line is a variable, a mistake or neither")
  func hostile() {
    let texts = [
      String(repeating: "A=\"", count: 20_000), String(repeating: "\"\n", count: 10_000),
      String(repeating: "=\n", count: 10_000), "A=\"\\", "A='", "A=\"", "export", "=", "\r", "A",
      String(repeating: "A=#", count: 10_000), "\u{0}=1",
    ]
    for text in texts {
      let file = Dotenv(text)
      #expect(file.variables.count + file.mistakes.count <= text.count)
    }
  }

  private func suite(_ prefix: String?) throws -> Defaults.LayeredSuite {
    try Defaults.LayeredSuite(
      .dotenv(folder.url("app.env"), prefix: prefix), .writable(Defaults.MemorySuite()),
      onIssue: { [issues] in issues.append($0) })
  }

  @Test("Variables in a dotenv file are named like environment variables, also with a prefix")
  func names() throws {
    try folder.write("APP_EDITOR_TAB_WIDTH=4\nEDITOR_TAB_WIDTH=8\nAPP_OLD=1\n", to: "app.env")
    for (prefix, width, place) in [("APP_", 4, 1), (nil, 8, 2)] {
      let suite = try suite(prefix)
      let key = Defaults.Key<Int>("editor.tabWidth", default: 2, suite: suite)
      #expect(suite[key] == width)
      #expect(suite.inspect(key)[0].place == folder["app.env"] + ", line \(place)")
    }
    let suite = try suite("APP_")
    let renamed = Defaults.Key<Int>("new", default: 0, suite: suite, .renamed(from: "old"))
    #expect(suite[renamed] == 1)
    #expect(issues.count == 0)
  }

  @Test(
    "The issue of an invalid line or value in a dotenv file has file and line, but not the text")
  func lineIssues() throws {
    try folder.write("password hunter2\nPORT=99\nPORT=many\n", to: "app.env")
    let suite = try suite(nil)
    #expect(suite[Defaults.Key<Int>("port", default: 1, suite: suite)] == 1)
    #expect(issues.codes == [.malformed, .invalid])
    #expect(issues.all[0].description.contains("app.env, line 1"))
    #expect(!issues.all[0].description.contains("hunter"))
    #expect(issues.all[1].description.contains("app.env, line 3"))
  }

  @Test("Of many malformed lines of a dotenv file, 100 and the number of all are reported")
  func manyMistakes() throws {
    let lines = String(repeating: "wrong\n", count: 100)
    #expect(Dotenv(lines).mistakes.count == 100 && Dotenv(lines).mistakeCount == 100)
    try folder.write(String(repeating: lines, count: 20) + "PORT=1", to: "app.env")
    let suite = try suite(nil)
    #expect(suite[Defaults.Key<Int>("port", default: 0, suite: suite)] == 1)
    #expect(issues.count == 101)
    #expect(issues.last?.description.contains("2000 malformed lines") == true)
  }

  @Test(
    "Many settings of a dotenv file are read, and only shared variables are reported",
    .timeLimit(.aHang))
  func many() throws {
    let count = 20_000
    let lines = (0..<count).map { "SETTING_\($0)=\($0)\n" }
    try folder.write(lines.joined(), to: "app.env")
    let suite = try suite(nil)
    func key(_ name: String) -> Defaults.Key<Int> { Defaults.Key(name, default: -1, suite: suite) }
    #expect((0..<count).allSatisfy { suite[key("setting.\($0)")] == $0 })
    try suite.refresh()
    #expect(issues.count == 0)
    #expect(suite[key("setting/7")] == 7)
    #expect(issues.codes == [.conflictingDeclarations])
    #expect(issues.last?.description.contains("\"setting.7\"") == true)
  }

  @Test(
    "A dotenv layer follows its file, and keeps its values if the file isn't UTF-8",
    .timeLimit(.aHang))
  func changes() async throws {
    let suite = try suite(nil)
    let key = Defaults.Key<Int>("port", default: 0, suite: suite)
    var values = Defaults.updates(key).makeAsyncIterator()
    #expect(await values.next() == 0)
    try folder.replace("app.env", with: "PORT=1")
    #expect(await values.next() == 1)
    try Data([0x50, 0xff, 0x0a]).write(to: folder.url("app.env"), options: .atomic)
    try suite.refresh()
    #expect(suite[key] == 1)
    // The thread that follows the file may report the problem after this thread has refreshed.
    await issues.wait { !$0.isEmpty }
    #expect(issues.codes == [.malformed])
    try folder.replace("app.env", with: "PORT=2")
    #expect(await values.next() == 2)
    #expect(unlink(folder["app.env"]) == 0)
    #expect(await values.next() == 0)
  }

  @Test("A privileged program reads a dotenv file at an absolute path, not in its working folder")
  func privileged() {
    let relative = URL(filePath: ".env")
    let absolute = URL(filePath: "/etc/app/app.env")
    #expect(Defaults.Layer.trusted(relative, isForeign: true) == nil)
    #expect(Defaults.Layer.trusted(relative, isForeign: false) == relative)
    #expect(Defaults.Layer.trusted(absolute, isForeign: true) == absolute)
  }
}
