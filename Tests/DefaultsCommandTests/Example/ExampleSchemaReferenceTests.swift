import Defaults
import TestSupport
import Testing

@Suite("Schema references in the settings command", .timeLimit(.aHang))
struct ExampleSchemaReferenceTests {
  @Test("The settings command imports and edits JSON with a $schema reference")
  func command() async throws {
    let example = try ExampleProgram()
    try example.folder.write(
      ##"{"$schema": "settings.schema.json", "theme": "dark"}"##, to: "settings.json")
    let outcome = try await example("import", example.folder["settings.json"])
    #expect(outcome.lines == ["theme: taken"] && outcome.error == "")
    #expect(try await example("diff", example.folder["settings.json"]).lines == [])
    let process = try example.edit(
      with: ##"""
        sed -i 's/"launchCount"/"$schema": "settings.schema.json", "launchCount"/; s/dark/light/' "$1"
        """##)
    #expect(try await process.end().lines == ["theme = light"])
    #expect(try example.storedEntries() == ["theme": "light"])
  }
}
