import Defaults
import DefaultsCommand
import Foundation
import TestSupport
import Testing

@Suite("Verbs of the settings command", .timeLimit(.aHang))
struct CommandVerbTests {
  private let example: ExampleProgram

  init() throws { example = try ExampleProgram() }

  private func expect(
    _ arguments: String..., prints lines: [String], error: String = "", status: Int32 = 0,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let outcome = try await example.start(arguments).end()
    #expect(outcome.lines == lines, sourceLocation: sourceLocation)
    #expect(outcome.error == error, sourceLocation: sourceLocation)
    #expect(outcome.status == status, sourceLocation: sourceLocation)
  }

  @Test("The list verb prints names, values and sources, and as JSON only names and values")
  func list() async throws {
    try await expect("set", "theme", "dark", prints: ["theme = dark"])
    try await expect(
      "list", "theme", "volume", prints: ["theme   dark", "volume  0.8   (default)"])
    try await expect(
      "list", "--about", "theme", prints: ["theme  dark    the colors of the window"])
    let json = try await example("list", "--json")
    let entries = try Defaults.JSONFormat().decode(Data(json.output.utf8))
    #expect(entries["theme"] == "dark" && entries["volume"] == 0.8 && entries["tags"] == [])
    #expect(entries["nickname"] == nil)
  }

  @Test("The get verb prints a value or its default, also as JSON")
  func get() async throws {
    try await expect("set", "tags", "b", "a", prints: ["tags = a,b"])
    try await expect("get", "tags", prints: ["a,b"])
    try await expect("get", "tags", "--json", prints: [#"["a","b"]"#])
    try await expect("get", "--default", "tags", prints: [""])
    try await expect("get", "nickname", "--json", prints: ["null"])
    try await expect("get", "--json", "--default", "volume", prints: ["0.8"])
  }

  @Test(
    "The get verb fails if a required setting has no value or an invalid one",
    arguments: [["get", "port"], ["get", "port", "--json"]])
  func required(arguments: [String]) {
    let key = Defaults.Key<Int>.required("port")
    for entries: [String: Defaults.PropertyListValue] in [[:], ["port": "x"]] {
      let suite = Defaults.MemorySuite(entries)
      let command = Defaults.Command([key], suite: suite, name: "tool")
      let error = #expect(throws: Defaults.CommandError.self) { try command.run(arguments) }
      #expect(error?.status == 65)
      #expect(error?.description.hasPrefix("port: ") == true)
      #expect(error?.description.contains("required and has no value") == entries.isEmpty)
    }
  }

  @Test("The add verb adds each given element once, and the remove verb rejects a missing element")
  func elements() async throws {
    try await expect("add", "tags", "a", "b, c", "a", prints: [#"tags = a,"b, c""#])
    try await expect("remove", "tags", "a", prints: [#"tags = "b, c""#])
    try await expect(
      "remove", "tags", "x", prints: [],
      error: "Example: tags: The setting has no element \"x\"\n", status: 64)
    #expect(try example.storedEntries() == ["tags": ["b, c"]])
    try await expect("add", "tags", "--", "-x", prints: [#"tags = -x,"b, c""#])
  }

  @Test(
    "The add and remove verbs leave a stored collection that is invalid as it is",
    arguments: ["add", "remove"])
  func invalidCollection(verb: String) throws {
    let suite = Defaults.MemorySuite(["ids": [1, 2, "x"]])
    let key = Defaults.Key<[Int]>("ids", default: [], suite: suite)
    let command = Defaults.Command([key], suite: suite, name: "tool")
    let error = #expect(throws: Defaults.CommandError.self) { try command.run([verb, "ids", "2"]) }
    #expect(error?.status == 65)
    #expect(
      error?.description
        == "ids: the stored value is invalid, so nothing was changed; use set to replace it")
    #expect(suite.entries == ["ids": [1, 2, "x"]])
    try command.run(["set", "ids", "4"])
    #expect(suite.entries == ["ids": [4]])
  }

  @Test("A value of the set verb may begin with a dash")
  func dash() async throws {
    try await expect("set", "nickname", "--json", prints: ["nickname = --json"])
    try await expect("set", "--", "nickname", "-x", prints: ["nickname = -x"])
    try await expect("set", "nickname", #"\u{2D}"#, prints: ["nickname = -"])
  }

  @Test("The explain verb prints a setting's purpose, accepted values and layers")
  func explain() async throws {
    _ = try await example("set", "theme", "dark")
    try await expect(
      "explain", "theme",
      prints: [
        "theme: the colors of the window", "  takes    one of system, light, dark",
        "  value    dark", "  default  system", "  layers, highest precedence first:",
        "    * user  \(example.folder[ExampleProgram.file]): dark", "      program default",
        "      default: system",
      ])
  }

  @Test("The schema verb prints the JSON Schema of an export")
  func schema() async throws {
    let schema = try await example("schema")
    let object = try JSONSerialization.jsonObject(with: Data(schema.output.utf8))
    let properties = (object as? [String: Any])?["properties"] as? [String: Any]
    #expect(
      properties?.keys.sorted() == [
        "launchCount", "nickname", "tags", "theme", "volume", "windowFrame",
      ])
    #expect(schema.status == 0)
  }

  @Test("The output of the export verb can be imported", arguments: ["json", "plist", "binary"])
  func exchange(format: String) async throws {
    _ = try await example("set", "theme", "dark")
    _ = try await example("set", "tags", "a", "b")
    let file = example.folder["settings"]
    try await expect("export", file, "--as", format, prints: [])
    let before = try example.storedEntries()
    _ = try await example("unset", "--all", "--yes")
    try await expect(
      "diff", file, prints: ["tags: (none) -> a,b", "theme: (none) -> dark"], status: 1)
    try await expect(
      "import", "--dry-run", file, prints: ["tags: (none) -> a,b", "theme: (none) -> dark"])
    #expect(try example.storedEntries() == [:])
    try await expect("import", file, prints: ["tags: taken", "theme: taken"])
    #expect(try example.storedEntries() == before)
    try await expect("diff", file, prints: [])
    _ = try await example("set", "volume", "0.5")
    try await expect("diff", file, prints: ["volume: 0.5 -> (none)"], status: 1)
    #expect(try await example("import", "--replace", file).status == 0)
    #expect(try example.storedEntries() == before)
  }

  @Test("The import verb reads standard input and stores all entries or none")
  func importInput() async throws {
    let process = try example.start(
      ["import", "-"], script: #"printf '{"theme":"dark","volume":0.5}' | "$0" "$@""#)
    #expect(try await process.end().status == 0)
    #expect(try example.storedEntries() == ["theme": "dark", "volume": 0.5])
    try example.folder.write(#"{"theme": "dark", "volme": 7}"#, to: "misspelled.json")
    let misspelled = try await example("import", example.folder["misspelled.json"])
    #expect(misspelled.status == 0)
    #expect(
      misspelled.errorLines == [
        "Example: volme: skipped: no setting has this name (did you mean volume?)"
      ])
    try example.folder.write(#"{"theme": "light", "volume": 7}"#, to: "wrong.json")
    let wrong = try await example("import", example.folder["wrong.json"])
    #expect(wrong.status == 64)
    #expect(wrong.errorLines.count == 1)
    #expect(wrong.error.contains("wrong.json") && wrong.error.contains("volume"))
    #expect(try example.storedEntries() == ["theme": "dark", "volume": 0.5])
    try example.folder.write(#"{"theme": "light", "volume": "loud"}"#, to: "text.json")
    for options in [[], ["--dry-run"]] {
      let text = try await example.start(["import"] + options + [example.folder["text.json"]]).end()
      #expect(text.status == 65)
      #expect(text.errorLines.count == 1)
      #expect(text.error.contains("text.json") && text.error.contains("volume"))
      #expect(try example.storedEntries() == ["theme": "dark", "volume": 0.5])
    }
  }

  @Test("A damaged or missing file causes a one-line error with the location, and no change")
  func damagedImport() async throws {
    try example.folder.write("{\"theme\": \"dark\",\n \"volume\": }", to: "damaged.json")
    for verb in ["import", "diff"] {
      let damaged = try await example(verb, example.folder["damaged.json"])
      #expect(damaged.status == 65)
      #expect(damaged.errorLines.count == 1)
      #expect(damaged.error.contains("damaged.json") && damaged.error.contains("line 2"))
      let missing = try await example(verb, example.folder["missing.json"])
      #expect(missing.status == 66)
      #expect(missing.errorLines.count == 1)
    }
    #expect(try !example.folder.names().contains("Example"))
  }

  @Test("The doctor verb lists problems with status 1 and changes nothing")
  func doctor() async throws {
    let sound = try await example("doctor")
    #expect(sound.status == 0)
    #expect(sound.lines.last == "  No problems found.")
    try example.folder.makeFolder("Example")
    try example.folder.write(
      """
      <plist version="1.0"><dict><key>volme</key><integer>1</integer>
      <key>theme</key><string>pink</string></dict></plist>
      """, to: ExampleProgram.file)
    let outcome = try await example("doctor")
    #expect(outcome.status == 1)
    let theme = outcome.lines.first { $0.hasPrefix("! theme: \(example.folder.path)") }
    #expect(theme?.contains("layer") == false)
    let file = example.folder[ExampleProgram.file]
    #expect(
      outcome.lines.contains(
        "  volme: \(file), line 1: no setting has this name; did you mean volume?"))
    #expect(outcome.error == "Example: 1 problem found\n")
    #expect(try example.storedEntries() == ["volme": 1, "theme": "pink"])
  }

  @Test("The completion verb prints scripts for three shells and completes words")
  func completion() async throws {
    for shell in ["bash", "zsh", "fish"] {
      let script = try await example("completion", shell)
      #expect(script.output.contains("Example __complete"))
    }
    try await expect(
      "__complete", "--", "set", "theme", prints: ["system", "light", "dark"])
    try await expect(
      "__complete", "--", "unset",
      prints: [
        "launchCount", "theme", "volume", "windowFrame", "nickname", "tags", "--all", "--yes",
      ])
    let verbs = try await example("__complete").lines
    #expect(verbs.contains("explain") && !verbs.contains("sync"))
    try await expect("__complete", "--", "frobnicate", prints: [])
  }

  @Test("A dry run of import rejects invalid values and lists skipped names")
  func dryRun() async throws {
    let file = example.folder["settings.json"]
    try example.folder.write(#"{"theme": "dark", "volume": 7}"#, to: "settings.json")
    #expect(try await example("import", "--dry-run", file).status == 64)
    try example.folder.write(#"{"theme": "dark", "volme": 0.5}"#, to: "settings.json")
    try await expect(
      "import", "--dry-run", file, prints: ["theme: (none) -> dark"],
      error: "Example: volme: skipped: no setting has this name (did you mean volume?)\n")
    #expect(try !example.folder.names().contains("Example"))
  }

  @Test(
    "If standard input can't be read, the command prints a one-line error",
    arguments: ["<&-", "<\"$FOLDER\""])
  func badInput(redirection: String) async throws {
    for verb in ["import", "diff"] {
      let process = try example.start(
        [verb, "-"], script: #"exec "$0" "$@" \#(redirection)"#,
        environment: ["FOLDER": example.folder.path])
      let outcome = try await process.end()
      #expect(outcome.status == 66 && !outcome.wasKilled)
      #expect(outcome.errorLines.count == 1)
      #expect(outcome.error.contains("standard input"))
    }
  }

  @Test("Input that isn't UTF-8 is rejected and not stored")
  func notText() async throws {
    let set = try example.start([], script: #""$0" set nickname "$(printf 'a\377')""#)
    let outcome = try await set.end()
    #expect(outcome.status == 64)
    #expect(outcome.error == "Example: argument 3 isn't UTF-8 text\n")
    let watch = try example.start(
      [], script: #"printf 'nickname \377\ntheme dark\n' | "$0" watch theme | head -n 2"#)
    let watched = try await watch.end()
    #expect(watched.lines.count == 2)
    #expect(watched.errorLines.count == 1)
    #expect(try example.storedEntries() == ["theme": "dark"])
  }
}
