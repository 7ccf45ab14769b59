import Defaults
import DefaultsCommand
import DefaultsLayers
import Foundation
import TestSupport
import Testing

extension Defaults.Keys {
  fileprivate static let volume = Key("volume", default: 3, .in(0...11))
  fileprivate static let theme = Key("theme", default: "light")
  fileprivate static let token = Key<String?>("profileToken", .secret)
}

@Suite("The settings command with profiles", .prompt, .timeLimit(.aHang))
struct CommandProfileTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Runs a command in a process of its own, on the file of the test.
  private func run(_ arguments: String...) async throws -> CommandOutcome {
    try await run(arguments)
  }

  private func run(_ arguments: [String], hasProfiles: Bool = true) async throws -> CommandOutcome {
    let result = await #expect(
      processExitsWith: .exitCode(7), observing: [\.standardOutputContent, \.standardErrorContent]
    ) {
      [
        arguments = arguments as [String], path = folder["app.plist"] as String,
        hasProfiles = hasProfiles as Bool
      ] in
      let base = try Defaults.PropertyListSuite(url: URL(filePath: path))
      let layers: [Defaults.Layer] = hasProfiles ? [.profile()] : []
      let suite = try Defaults.LayeredSuite(layers + [.writable(base)])
      CommandOutcome.report(
        of: Defaults.Command([.volume, .theme], suite: suite, name: "tool settings"), arguments)
      exit(7)
    }
    return CommandOutcome(result)
  }

  private func fail(_ arguments: [String], _ words: String) async throws {
    let outcome = try await run(arguments)
    #expect(outcome.status == 64, "\(arguments)")
    #expect(outcome.error.contains(words), "\(arguments): \(outcome.error)")
  }

  /// Changes the file as another program does.
  private func edit(_ body: (Defaults.PropertyListSuite) -> Void) throws {
    let base = try Defaults.PropertyListSuite(url: folder.url("app.plist"))
    body(base)
    try base.flush(.snapshot)
  }

  @Test("The profile verb lists the profiles, marks the chosen one, and prints JSON")
  func list() async throws {
    #expect(try await run("profile").lines == ["* default"])
    #expect(try await run("profile", "create", "work").status == 0)
    #expect(try await run("profile", "switch", "work").status == 0)
    #expect(try await run("profile", "list").lines == ["  default", "* work"])
    let json = try await run("profile", "--json").output
    let value = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [[String: Any]]
    #expect(value?.map { $0["name"] as? String } == ["default", "work"])
    #expect(value?.map { $0["isChosen"] as? Bool } == [false, true])
  }

  @Test("The set verb with --profile changes only the named profile")
  func option() async throws {
    _ = try await run("set", "volume", "5")
    _ = try await run("profile", "create", "work", "--copy", "default")
    #expect(try await run("--profile", "work", "set", "volume", "7").lines == ["volume = 7"])
    #expect(try await run("get", "volume").lines == ["5"])
    #expect(try await run("--profile=work", "get", "volume").lines == ["7"])
    let explained = try await run("--profile", "work", "explain", "volume")
    #expect(explained.lines.contains("    * profile work  \(folder["app.plist"]): 7"))
    #expect(explained.lines.contains("      user  \(folder["app.plist"]): 5"))
    _ = try await run("profile", "switch", "work")
    #expect(try await run("get", "volume").lines == ["7"])
    #expect(try await run("--profile", "default", "set", "volume", "6").lines == ["volume = 6"])
    #expect(try await run("get", "volume").lines == ["7"])
    #expect(try await run("list").lines.first == "volume  7")
    _ = try await run("unset", "volume")
    #expect(try await run("list").lines.first == "volume  6      (user)")
  }

  @Test("The option --profile rejects a profile that only a text editor has added, with advice")
  func editedProfile() async throws {
    try edit { $0.set(3, forKey: "Defaults.profiles.home.volume") }
    try await fail(["--profile", "home", "set", "volume", "9"], "profile switch home")
    #expect(try await run("profile", "switch", "home").status == 0)
    #expect(try await run("--profile", "home", "set", "volume", "9").lines == ["volume = 9"])
  }

  @Test("With --profile, the history and undo verbs print and undo the changes of that profile")
  func undo() async throws {
    _ = try await run("set", "volume", "5")
    _ = try await run("profile", "create", "work")
    _ = try await run("--profile", "work", "set", "volume", "7")
    _ = try await run("--profile", "work", "set", "volume", "8")
    _ = try await run("set", "volume", "6")
    #expect(try await run("history").output.contains("-> 8") == false)
    #expect(try await run("--profile", "work", "history").lines.count == 2)
    #expect(try await run("--profile", "work", "undo").lines == ["volume = 7"])
    #expect(try await run("undo").lines == ["volume = 5"])
  }

  @Test("An undo of a secret's change in a profile fails with the name of the setting alone")
  func secretUndo() throws {
    let base = try Defaults.PropertyListSuite(url: folder.url("app.plist"))
    let suite = try Defaults.LayeredSuite(.profile(), .writable(base))
    let profiles = Defaults.Profiles(of: suite)
    try profiles.create("work")
    try profiles.choose("work")
    try suite.set("hunter2", for: .token)
    let command = Defaults.Command([.token], suite: suite, name: "tool")
    let error = #expect(throws: Defaults.CommandError.self) { try command.run(["undo"]) }
    #expect(
      error?.description
        == "nothing was changed: profileToken is secret, so its earlier value isn't kept")
    #expect(error?.status == 77)
  }

  @Test("Deleting a chosen profile with settings needs --yes, and afterwards no profile is chosen")
  func delete() async throws {
    _ = try await run("profile", "create", "work")
    _ = try await run("profile", "switch", "work")
    _ = try await run("set", "volume", "7")
    try await fail(["profile", "delete", "work"], "use --yes")
    let deleted = try await run("profile", "delete", "work", "--yes")
    #expect(deleted.status == 0 && deleted.error.contains("now none is chosen"))
    #expect(try await run("profile").lines == ["* default"])
    #expect(try await run("get", "volume").lines == ["3"])
  }

  @Test("A wrong profile name or action is a usage error with a suggestion")
  func mistakes() async throws {
    _ = try await run("profile", "create", "work")
    try await fail(["--profile", "wrok", "list"], "did you mean work?")
    try await fail(["--profile"], "usage: tool settings --profile NAME COMMAND")
    try await fail(["profile", "switch", "wrok"], "did you mean \"work\"?")
    try await fail(["profile", "create", "work"], "exists")
    try await fail(["profile", "create", "../x"], "letters, digits")
    try await fail(["profile", "create", "x", "--copy", "y"], "no profile \"y\"")
    try await fail(["profile", "delete", "x"], "no profile \"x\"")
    try await fail(["profile", "lst"], "did you mean list?")
    try await fail(["profile", "switch"], "usage:")
    try await fail(["profile", "switch", "work", "--json"], "usage:")
    #expect(try await run("profile").lines == ["* default", "  work"])
  }

  @Test("On a suite without profiles, a command has no profile verb and no option --profile")
  func withoutProfiles() async throws {
    let help = try await run(["help"], hasProfiles: false)
    #expect(!help.output.contains("profile"))
    let verb = try await run(["profile"], hasProfiles: false)
    #expect(verb.status == 64 && verb.error.contains("there is no command \"profile\""))
    let option = try await run(["--profile", "work", "list"], hasProfiles: false)
    #expect(option.status == 64 && option.error.contains("have no profiles"))
    #expect(try await run("help").output.contains("[--profile NAME] [COMMAND]"))
  }

  @Test("Completion offers the actions and the names of profiles")
  func completion() async throws {
    _ = try await run("profile", "create", "work")
    _ = try await run("profile", "create", "home")
    #expect(try await run("__complete", "profile").lines == ["create", "delete", "list", "switch"])
    #expect(
      try await run("__complete", "profile", "switch").lines == ["default", "home", "work"])
    #expect(try await run("__complete", "profile", "delete").lines == ["home", "work"])
    #expect(try await run("__complete", "--", "--profile").lines == ["default", "home", "work"])
    let verbs = try await run("__complete", "--", "--profile", "work").lines
    #expect(verbs.contains("list") && !verbs.contains("home"))
    #expect(
      try await run("__complete", "--", "--profile", "work", "get").lines.contains("volume"))
    #expect(try await run("__complete").lines.contains("--profile"))
  }

  @Test("The doctor verb finds a chosen profile that doesn't exist and invalid values in profiles")
  func doctor() async throws {
    _ = try await run("profile", "create", "work")
    _ = try await run("profile", "switch", "work")
    #expect(try await run("doctor").status == 0)
    try edit { base in
      base.set("loud", forKey: "Defaults.profiles.work.volume")
      base.set(1, forKey: "Defaults.profiles.work.volme")
    }
    let invalid = try await run("doctor")
    #expect(invalid.status == 1 && invalid.output.contains("! volume: "))
    #expect(invalid.output.contains("did you mean volume?"))
    try edit { $0.removeObject(forKey: "Defaults.profiles.work") }
    let missing = try await run("doctor")
    #expect(missing.status == 1 && missing.output.contains("\"work\" doesn't exist"))
  }

  @Test(
    "A command knows which settings are secret, and the values of all layers, also in a profile",
    arguments: [["--profile", "default", "export", "--as", "json"], ["export", "--as", "json"]])
  func knownKeys(arguments: [String]) async throws {
    try edit { $0.set("hunter2", forKey: "profileToken") }
    let result = await #expect(
      processExitsWith: .exitCode(7), observing: [\.standardOutputContent, \.standardErrorContent]
    ) {
      [arguments = arguments as [String], path = folder["app.plist"] as String] in
      let base = try Defaults.PropertyListSuite(url: URL(filePath: path))
      let suite = try Defaults.LayeredSuite(
        .environment(prefix: "APP_", ["APP_THEME": "dark"]), .profile(), .writable(base))
      CommandOutcome.report(
        of: Defaults.Command([.theme, .token], suite: suite, name: "tool settings"), arguments)
      exit(7)
    }
    let outcome = CommandOutcome(result)
    #expect(outcome.output.contains(#""theme": "dark""#) && outcome.status == 0)
    #expect(!outcome.output.contains("hunter2"))
  }
}
