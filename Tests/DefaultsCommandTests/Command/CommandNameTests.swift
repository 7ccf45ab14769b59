import Defaults
import DefaultsCommand
import Foundation
import TestSupport
import Testing

extension Defaults.Keys {
  fileprivate static let aliases = Key("CommandName.aliases", default: [String: String]())
  fileprivate static let frames = Key("CommandName.frames", default: [[String: Int]]())
  fileprivate static let editor = Key("CommandName.editor", default: "vi")
  fileprivate static let font = Key("CommandName.editor.font", default: "Mono")
  fileprivate static let size = Key("CommandName.editor.size", default: 12)
  fileprivate static let other = Key("CommandName.editors", default: 2)
  fileprivate static let tabbed = Key("a\tname\\n", default: "x", .choices(["x", "dark mode"]))
  fileprivate static let quoted = Key(
    "it's \"my\" name", default: "light", .choices(["light", "dark mode"]))
}

@Suite("Names and elements in the settings command", .prompt, .timeLimit(.aHang))
struct CommandNameTests {
  private struct Outcome {
    var output: String
    var error: String
    var lines: [String] { output.split(separator: "\n").map(String.init) }
  }

  /// Runs commands one after another in a process of their own.
  private func run(_ commands: [String]...) async -> Outcome {
    let result = await #expect(
      processExitsWith: .exitCode(7), observing: [\.standardOutputContent, \.standardErrorContent]
    ) { [commands = commands as [[String]]] in
      let suite = Defaults.MemorySuite([
        "CommandName.editor.size": 12, "CommandName.editor.font": .real(1),
      ])
      let command = Defaults.Command(
        [.aliases, .frames, .editor, .font, .size, .other, .tabbed, .quoted], suite: suite,
        name: "tool settings")
      Defaults.issueHandler = { _ in }
      for arguments in commands {
        do throws(Defaults.CommandError) {
          try command.run(arguments)
        } catch {
          FileHandle.standardError.write(Data("\(error)\n".utf8))
        }
      }
      // The content of an unused stream isn't empty.
      for stream in [FileHandle.standardOutput, .standardError] { stream.write(Data("end".utf8)) }
      exit(7)
    }
    func text(_ bytes: [UInt8]?) -> String {
      let text = String(decoding: bytes ?? [], as: UTF8.self)
      #expect(text.hasSuffix("end"))
      return String(text.dropLast(3))
    }
    return Outcome(
      output: text(result?.standardOutputContent), error: text(result?.standardErrorContent))
  }

  @Test(
    "A dictionary, or a list of collections, can be set to a single element without JSON brackets")
  func singleElement() async {
    let outcome = await run(
      ["set", "CommandName.aliases", "a=1=2"], ["set", "CommandName.aliases", "b=2", "c=3"],
      ["set", "CommandName.aliases", #" {"d":"4"}"#], ["set", "CommandName.aliases", "{}"],
      ["set", "CommandName.frames", #"{"x":1}"#], ["set", "CommandName.frames", #"[{"x":2}]"#])
    #expect(
      outcome.lines == [
        #"CommandName.aliases = {"a":"1=2"}"#, #"CommandName.aliases = {"b":"2","c":"3"}"#,
        #"CommandName.aliases = {"d":"4"}"#, "CommandName.aliases = {}",
        #"CommandName.frames = [{"x":1}]"#, #"CommandName.frames = [{"x":2}]"#,
      ])
    #expect(outcome.error == "")
    let mistake = await run(
      ["set", "CommandName.aliases", "a"], ["set", "CommandName.aliases", "{a"])
    #expect(mistake.output == "")
    #expect(mistake.error.contains("elements must be written as KEY=VALUE, not \"a\""))
    #expect(mistake.error.contains("JSON"))
  }

  @Test("The list verb with a group's name lists its settings and the setting of the same name")
  func group() async {
    let names = { (outcome: Outcome) in
      outcome.lines.map { String($0.prefix { $0 != " " }) }
    }
    let all = ["CommandName.editor", "CommandName.editor.font", "CommandName.editor.size"]
    #expect(names(await run(["list", "CommandName.editor"])) == all)
    #expect(names(await run(["list", "CommandName.editor."])) == all.suffix(2))
    #expect(names(await run(["list", "CommandName"])).count == 6)
    #expect(names(await run(["list", "CommandName.editor", all[2]])) == all)
    let json = await run(["list", "--json", "CommandName.editor."])
    #expect(json.output.contains("font") && !json.output.contains("editors"))
    #expect(await run(["list", "CommandName.edit"]).error.contains("there is no setting"))
    // Verbs that change settings don't accept groups.
    #expect(await run(["unset", "CommandName.editor."]).error.contains("there is no setting"))
  }

  @Test("The list verb marks unset values as (default) and undecodable ones as (invalid)")
  func source() async {
    let outcome = await run(
      ["list", "CommandName.editor.", "CommandName.editors"])
    #expect(
      outcome.lines == [
        "CommandName.editor.font  Mono  (invalid)", "CommandName.editor.size  12",
        "CommandName.editors      2     (default)",
      ])
  }

  @Test(
    "A setting's name may be typed with control characters, or with escapes as it is printed",
    arguments: ["a\tname\\n", #"a\u{9}name\n"#, #"a\tname\\n"#, #"a\u{0009}name\\n"#])
  func name(typed: String) async {
    let outcome = await run(["get", typed], ["list", typed])
    #expect(outcome.lines == ["x", #"a\u{9}name\n  x  (default)"#])
    #expect(outcome.error == "")
  }

  private static let quotedCases: [(line: String, end: String, replacements: [String])] = [
    (#"tool settings set "it's \"my\" name" da"#, "da", [#"dark\ mode"#]),
    (#"tool settings set it\'s\ \"my\"\ name "dark "#, "dark ", ["dark mode"]),
    (#"tool settings set 'it'\''s "my" name' 'd"#, "d", ["dark mode"]),
    (#"tool settings get it"#, "it", [#"it\'s\ \"my\"\ name"#]),
    (#"tool settings get "it"#, "it", [#"it's \"my\" name"#]),
    (#"tool settings get 'it'\''s "#, "s ", [#"s "my" name"#]),
    (#"tool settings get a\\"#, #"a\\"#, [#"a\\u\{9\}name\\n"#]),
    (#"tool other get it"#, "it", []), ("", "", []),
  ]

  @Test(
    "Completion in bash understands quotation marks and backslashes and completes them",
    arguments: quotedCases.indices
  )
  func quotedNames(index: Int) async {
    let (line, end, replacements) = Self.quotedCases[index]
    let outcome = await run(["__complete", "--bash", "--", line, end])
    #expect(outcome.lines == replacements)
  }

  @Test(
    "A completed word is the exact name in bash and runs no command", arguments: ["", "\"", "'"])
  func hostileWords(quote: String) async throws {
    let folder = try TemporaryFolder()
    let text = "it's $(touch run) `touch run` \\ \"!x\" ~*?[a]{b,c} \u{E9}&|;<>#"
    let line = ShellWords("tool get \(quote)i")
    #expect(line.before == ["tool", "get"] && line.current == "i")
    let word = try quote + "i" + #require(line.rest(of: text)) + quote
    #expect(line.rest(of: "other") == nil)
    #expect(ShellWords("tool \(word) ").before == ["tool", text])
    let outcome = try await ChildProcess.run(
      URL(filePath: "/bin/bash"), ["-c", "cd \"$FOLDER\"; printf %s \(word)"],
      environment: ["FOLDER": folder.path])
    #expect(outcome.output == text)
    #expect(try folder.names() == [])
  }
}
