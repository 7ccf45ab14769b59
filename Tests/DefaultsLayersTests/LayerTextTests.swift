import Defaults
import DefaultsText
import DefaultsTesting
import Foundation
import TestSupport
import Testing

@testable import DefaultsLayers

@Suite("Settings in arguments and environment variables")
struct LayerTextTests {
  let user = Defaults.MemorySuite()

  @Test(
    "The name of a setting is converted to a variable name word by word",
    arguments: [
      ("volume", "VOLUME"), ("editor.tabWidth", "EDITOR_TAB_WIDTH"),
      ("httpURLPath", "HTTP_URL_PATH"), ("utf8Text", "UTF8_TEXT"), ("a-b c", "A_B_C"),
      ("is2D", "IS2_D"), ("größe", "GR_E"), ("already_snake", "ALREADY_SNAKE"),
    ])
  func variables(name: String, variable: String) {
    #expect(EnvironmentSource.variable(of: name) == variable)
  }

  @Test("A name with no character that variables allow has no environment variable, not even _")
  func noVariable() throws {
    let suite = try Defaults.LayeredSuite(
      .environment(prefix: "", ["_": "/usr/bin/program"]), .writable(user))
    let key = Defaults.Key<String>("音量", default: "x", suite: suite)
    #expect(suite[key] == "x")
  }

  @Test("Each form of an option is understood; if several set one setting, the last is used")
  func forms() throws {
    let forms: [([String], Int)] = [
      (["--volume=7"], 7), (["--volume", "7"], 7), (["-volume", "7"], 7),
      (["--volume", "-7"], -7), (["--volume=-7"], -7), (["--volume=1", "x", "--volume", "7"], 7),
      (["--volume"], 3), (["--volume", "--other"], 3), (["volume=7"], 3),
      (["--", "--volume=7"], 3),
      (["--volumes=7"], 3), (["---volume=7"], 3),
    ]
    for (words, value) in forms {
      let suite = try Defaults.LayeredSuite(
        .arguments(.init(words)), .writable(user), onIssue: { _ in })
      #expect(suite[Defaults.Key<Int>("volume", default: 3, suite: suite)] == value, "\(words)")
    }
  }

  @Test("An option without its value is reported as an issue, and the next layer is used")
  func missingValue() throws {
    let issues = IssueLog()
    user.set("mine", forKey: "title")
    let suite = try Defaults.LayeredSuite(
      .arguments(["--title", "--other"]), .writable(user), onIssue: { issues.append($0) })
    #expect(suite[Defaults.Key<String>("title", default: "", suite: suite)] == "mine")
    #expect(issues.codes == [.invalid])
    #expect(issues.last?.description.contains("--title=VALUE") == true)
    #expect(issues.last?.description.contains("argument 1") == true)
    let marked = try Defaults.LayeredSuite(.arguments(["--title=\u{301}x"]), .writable(user))
    #expect(marked[Defaults.Key<String>("title", default: "", suite: marked)] == "\u{301}x")
  }

  @Test("A bool option without a value is true, and with the prefix no- it is false")
  func bools() throws {
    let forms: [([String], Bool)] = [
      (["--sound"], true), (["--no-sound"], false), (["--sound", "off"], false),
      (["--sound=false"], false), (["--sound", "song.mp3"], true), (["-sound", "YES"], true),
      (["--no-sound", "--sound"], true), (["--sound", "--no-sound"], false),
    ]
    for (words, value) in forms {
      let suite = try Defaults.LayeredSuite(.arguments(.init(words)), .writable(user))
      #expect(
        suite[Defaults.Key<Bool>("sound", default: !value, suite: suite)] == value, "\(words)")
    }
  }

  @Test(
    "The option of an optional bool needs no value; the option of a list of bools needs a value")
  func otherBools() throws {
    let suite = try Defaults.LayeredSuite(
      .arguments(["--sound", "song.mp3", "--no-light", "--flags", "yes,no"]), .writable(user),
      onIssue: { Issue.record("\($0)") })
    let sound = Defaults.Key<Bool?>("sound", suite: suite)
    let light = Defaults.Key<Bool?>("light", suite: suite)
    let flags = Defaults.Key<[Bool]>("flags", default: [], suite: suite)
    #expect(suite[sound] == true && suite[light] == false && suite[flags] == [true, false])
    let rest = Defaults.Arguments(["--sound", "song.mp3", "--no-light", "--flags", "yes,no"])
      .rest(declaring: [sound, light, flags])
    #expect(rest == ["song.mp3"])
  }

  @Test("Every kind of value can be an argument or an environment variable")
  func kinds() throws {
    let suite = try Defaults.LayeredSuite(
      .environment(
        prefix: "A_",
        ["A_TAGS": "red, green", "A_WAIT": "1m 30s", "A_HOME": "https://x.org/", "A_NAME": ""]),
      .arguments(["--point={\"x\":1}"]), .writable(user))
    #expect(suite[Defaults.Key<[String]>("tags", default: [], suite: suite)] == ["red", "green"])
    #expect(suite[Defaults.Key<Duration>("wait", default: .zero, suite: suite)] == .seconds(90))
    #expect(suite[Defaults.Key<URL?>("home", suite: suite)]?.host() == "x.org")
    #expect(suite[Defaults.Key<String>("name", default: "x", suite: suite)] == "")
    #expect(suite[Defaults.Key<[String: Int]>("point", default: [:], suite: suite)] == ["x": 1])
  }

  @Test("Unrecognized arguments are left for the program and can be rejected with a hint")
  func rest() throws {
    let suite = try Defaults.LayeredSuite(.writable(user))
    let keys: [Defaults.AnyKey] = [
      Defaults.Key<Int>("volume", default: 3, suite: suite),
      Defaults.Key<Bool>("sound", default: false, suite: suite),
    ]
    let arguments: Defaults.Arguments = [
      "play", "--volume", "7", "--sound", "song.mp3", "--volme=3", "-v", "--", "--volume",
    ]
    #expect(
      arguments.rest(declaring: keys) == ["play", "song.mp3", "--volme=3", "-v", "--volume"])
    let unknown = arguments.unknownOptions(declaring: keys)
    #expect(unknown.map(\.name) == ["--volme", "-v"])
    #expect(unknown[0].nearest == "--volume")
  }

  @Test("Each layer finds a setting by its previous name")
  func previousNames() throws {
    let suite = try Defaults.LayeredSuite(
      .arguments(["--loudness=7"]), .writable(user), .values(["loudness": 1]))
    let key = Defaults.Key<Int>("volume", default: 3, suite: suite, .renamed(from: "loudness"))
    #expect(suite[key] == 7)
    let below = try Defaults.LayeredSuite(.writable(user), .values(["loudness": 1]))
    let other = Defaults.Key<Int>("volume", default: 3, suite: below, .renamed(from: "loudness"))
    #expect(below[other] == 1)
    #expect(user.entries.isEmpty)
    user.set(5, forKey: "loudness")
    #expect(below[other] == 5)
    below[other] = 6
    #expect(user.entries == ["volume": 6])
  }

  @Test("An entry under a previous name in the writable layer is read and stays in place")
  func move() throws {
    user.set(5, forKey: "loudness")
    let suite = try Defaults.LayeredSuite(.writable(user), .values(["loudness": 1, "volume": 2]))
    let key = Defaults.Key<Int>("volume", default: 3, suite: suite, .renamed(from: "loudness"))
    let events = Log<Defaults.Change>()
    let observation = suite.observe(["volume"]) { events.append($0) }
    #expect(suite.value(of: key) == 5)
    #expect(user.entries == ["loudness": 5])
    #expect(events.count == 0)
    withExtendedLifetime(observation) {}
  }

  @Test("Two settings with the same variable name are reported as an issue")
  func ambiguity() throws {
    let issues = IssueLog()
    let suite = try Defaults.LayeredSuite(
      .environment(prefix: "", ["TAB_WIDTH": "4"]), .writable(user),
      onIssue: { issues.append($0) })
    let keys = ["tab.width", "tabWidth"].map { Defaults.Key<Int>($0, default: 0, suite: suite) }
    #expect(keys.map { suite[$0] } == [4, 4])
    #expect(issues.codes == [.conflictingDeclarations])
    #expect(issues.last?.description.contains("TAB_WIDTH") == true)
    #expect(issues.last?.description.contains("tab.width") == true)
  }

  @Test("An invalid secret isn't printed")
  func secret() throws {
    let issues = IssueLog()
    let suite = try Defaults.LayeredSuite(
      .environment(prefix: "", ["LAYER_TOKEN": "hunter2"]), .arguments(["--layerToken=hunter3"]),
      .writable(user), onIssue: { issues.append($0) })
    let key = Defaults.Key<Int>("layerToken", default: 0, suite: suite, .secret)
    #expect(suite[key] == 0)
    #expect(issues.count == 2)
    var text = issues.all.map(\.description).joined()
    dump(suite.inspect(key), to: &text)
    text += suite.inspect(key).map(\.description).joined()
    #expect(text.contains("LAYER_TOKEN") && !text.contains("hunter"))
  }

  @Test("A privileged program ignores arguments and environment variables")
  func foreign() {
    let input = ProcessInput.ofProcess(isForeign: true)
    #expect(input.arguments.isEmpty && input.environment.isEmpty)
    #expect(!ProcessInput.ofProcess(isForeign: false).environment.isEmpty)
  }

  @Test(
    "A test sets arguments and variables without changing those of the process",
    .process(
      arguments: ["--volume=7"], environment: ["APP_THEME": "dark", "XDG_CONFIG_DIRS": "/x"]))
  func replaced() throws {
    let suite = try Defaults.LayeredSuite(
      .arguments, .environment(prefix: "APP_"), .writable(user), .site("app"))
    #expect(suite[Defaults.Key<Int>("volume", default: 0, suite: suite)] == 7)
    #expect(suite[Defaults.Key<String>("theme", default: "", suite: suite)] == "dark")
    #expect(Defaults.Arguments.ofProcess.words == ["--volume=7"])
    Defaults.withProcess(arguments: ["a"]) {
      #expect(Defaults.Arguments.ofProcess.words == ["a"])
    }
    #expect(ProcessInfo.processInfo.environment["APP_THEME"] == nil)
  }
}

extension Defaults.Suite {
  /// The value of a key, by the read that moves an entry under a previous name.
  fileprivate func value<Value>(of key: Defaults.Key<Value>) -> Value? {
    contains(key) ? self[key] : nil
  }
}
