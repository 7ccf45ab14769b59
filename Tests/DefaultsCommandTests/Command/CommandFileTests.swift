import Defaults
import DefaultsCommand
import DefaultsLayers
import Foundation
import TestSupport
import Testing

extension Defaults.Keys {
  fileprivate static let requests = Key("limits.requests", default: 1)
  fileprivate static let volume = Key("volume", default: 3, .in(0...11))
  fileprivate static let token = Key("token", default: "")
}

@Suite("The settings command on files that people write", .prompt, .timeLimit(.aHang))
struct CommandFileTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Runs a command in a process of its own: secrets and files above the stored settings, which
  /// may have a token.
  private func run(
    _ arguments: String..., storing token: String? = nil
  ) async throws -> CommandOutcome {
    let result = await #expect(
      processExitsWith: .exitCode(7), observing: [\.standardOutputContent, \.standardErrorContent]
    ) {
      [
        arguments = arguments as [String], path = folder.path as String, token = token as String?
      ] in
      let folder = URL(filePath: path)
      let stored = Defaults.MemorySuite(["limits.requests": 5, "volume": 6])
      if let token { stored.set(.string(token), forKey: "token") }
      let suite = try Defaults.LayeredSuite(
        .folder(folder.appending(path: "secrets"), isSecret: true, name: "secrets"),
        .dotenv(folder.appending(path: "app.env"), prefix: "APP_"),
        .writable(stored),
        .files(in: folder.appending(path: "conf.d"), name: "site"), onIssue: { _ in })
      let command = Defaults.Command(
        [.requests, .volume, .token], suite: suite, name: "tool settings")
      CommandOutcome.report(
        of: command, arguments,
        before: arguments.first == "import" ? ["export", "--as", "json", "--show-secrets"] : nil)
      if token != nil {
        FileHandle.standardError.write(Data("stored: \(stored.entries)\n".utf8))
      }
      exit(7)
    }
    return CommandOutcome(result)
  }

  @Test(
    "The explain verb locates each layer's value, and the doctor verb locates each unknown name")
  func places() async throws {
    try folder.makeFolder("conf.d")
    try folder.write(
      "{\n\"limits\": {\n\"requests\": 9, \"reqests\": 1}}", to: "conf.d/10.json")
    try folder.write("# \nAPP_LIMITS_REQUESTS=7\nAPP_VOLME=1\nx\n", to: "app.env")
    let explain = try await run("explain", "limits.requests")
    #expect(explain.lines.contains("    * dotenv  \(folder["app.env"]), line 2: 7"))
    #expect(explain.lines.contains("      site  \(folder["conf.d/10.json"]), line 3: 9"))
    let doctor = try await run("doctor")
    #expect(doctor.status == 1)
    for line in [
      "! dotenv: \(folder["app.env"]), line 4: The line is ignored: the line isn't NAME=VALUE",
      "! APP_VOLME: \(folder["app.env"]), line 3: no setting has this name; did you mean "
        + "APP_VOLUME?",
      "! limits.reqests: \(folder["conf.d/10.json"]), line 3: no setting has this name; did you "
        + "mean limits.requests?",
    ] {
      #expect(doctor.lines.contains(line), "\(doctor.output)")
    }
  }

  @Test("A value from a secret folder is printed only with --show-secrets")
  func secrets() async throws {
    try folder.makeFolder("secrets")
    try folder.write("hunter2\n", to: "secrets/token")
    for arguments in [["list"], ["explain", "token"], ["get", "token"], ["list", "--json"]] {
      let outcome =
        try await arguments.count == 2
        ? run(arguments[0], arguments[1]) : run(arguments[0])
      #expect(!(outcome.output + outcome.error).contains("hunter"))
    }
    #expect(try await run("get", "token", "--show-secrets").output == "hunter2\n")
    #expect(
      try await run("explain", "token").lines.contains {
        $0.hasPrefix("    * secrets  \(folder["secrets/token"]): (secret)")
      })
  }

  @Test("A setting that a secret folder gives is set like a secret, from standard input")
  func secretInput() async throws {
    try folder.makeFolder("secrets")
    try folder.write("hunter2\n", to: "secrets/token")
    let outcome = try await run("set", "token")
    #expect(outcome.status == 64)
    #expect(outcome.error.contains("pass the value on standard input: tool settings set NAME -"))
  }

  @Test("Importing or comparing an export ignores a stored value that a secret folder overrides")
  func secretExchange() async throws {
    try folder.makeFolder("secrets")
    try folder.write("hunter2\n", to: "secrets/token")
    let export = try await run("export", "--as", "json", storing: "mine")
    #expect(export.status == 0 && !export.output.contains("token"))
    try folder.write(export.output, to: "a.json")
    #expect(try await run("diff", folder["a.json"], storing: "mine").status == 0)
    let done = try await run("import", "--replace", folder["a.json"], storing: "mine")
    #expect(done.status == 0)
    #expect(done.error.contains(#""token": "mine""#))
  }

  @Test("An export nests dotted names, and an import reads nested and full names")
  func exchange() async throws {
    let nested = try await run("export", "--as", "json", "--nested")
    #expect(
      nested.output == """
        {
          "limits": {
            "requests": 5
          },
          "volume": 6
        }

        """)
    try folder.write(
      "{ // People write this.\n\"limits\": {\"requests\": 8, \"other\": 1}, }", to: "a.jsonc")
    let done = try await run("import", folder["a.jsonc"])
    #expect(done.status == 0)
    #expect(done.output.contains("\"limits.requests\": 8"))
    #expect(done.error.contains("limits.other: skipped: no setting has this name"))
    try folder.write("{\"limits\": {\"requests\": 8}, \"limits.requests\": 9}", to: "b.json")
    let both = try await run("import", folder["b.json"])
    #expect(both.output.contains("\"limits.requests\": 9"))
    #expect(both.error.contains("limits.requests: The name occurs 2 times"))
  }

  @Test("If an import can't write the settings file, its error names that file")
  func importIntoReadOnly() throws {
    try folder.write(#"{"volume": 7}"#, to: "new.json")
    let suite = try Defaults.PropertyListSuite(
      url: folder.url("settings.plist"), readOnly: true, onIssue: { _ in })
    let command = Defaults.Command([.volume], suite: suite, name: "tool")
    for arguments in [["import"], ["import", "--replace"]] {
      let error = #expect(throws: Defaults.CommandError.self) {
        try command.run(arguments + [folder["new.json"]])
      }
      #expect(error?.description.hasPrefix(folder["settings.plist"]) == true)
      #expect(error?.description.contains("new.json") == false)
    }
  }

  @Test("An error about the content of an imported file names that file")
  func importOfInvalidContent() throws {
    let suite = try Defaults.PropertyListSuite(url: folder.url("settings.plist"))
    let command = Defaults.Command([.volume], suite: suite, name: "tool")
    for content in [#"{"volume": 70}"#, #"{"volume": "#] {
      try folder.write(content, to: "new.json")
      let error = #expect(throws: Defaults.CommandError.self) {
        try command.run(["import", folder["new.json"]])
      }
      #expect(error?.description.hasPrefix(folder["new.json"]) == true)
    }
  }
}
