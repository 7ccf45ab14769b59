import Defaults
import DefaultsCommand
import DefaultsLayers
import Foundation
import TestSupport
import Testing

extension Defaults.Keys {
  fileprivate static let port = Key("port", default: 8080)
  fileprivate static let theme = Key("theme", default: "light")
}

@Suite("The doctor verb of the settings command, on layers", .prompt, .timeLimit(.aHang))
struct CommandDoctorTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// The output of `doctor` for a suite with a managed file and an operator's file.
  private func doctor(managed: String, operators: String) async throws -> [String] {
    let result = await #expect(
      processExitsWith: .exitCode(7), observing: [\.standardOutputContent]
    ) { [managed = folder[managed] as String, operators = folder[operators] as String] in
      let suite = try Defaults.LayeredSuite(
        .managed(at: URL(filePath: managed)),
        .environment(prefix: "APP_", [:]), .writable(Defaults.MemorySuite(["volune": 1])),
        .file(URL(filePath: operators), name: "operator"), onIssue: { _ in })
      let command = Defaults.Command([.port, .theme], suite: suite, name: "tool settings")
      var status: Int32 = 0
      do throws(Defaults.CommandError) {
        try command.run(["doctor"])
      } catch {
        status = error.status
      }
      FileHandle.standardOutput.write(Data("status \(status)\n".utf8))
      exit(7)
    }
    let output = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
    return output.split(separator: "\n").map(String.init)
  }

  @Test("The doctor verb reports a damaged file of a layer, with file and line")
  func damaged() async throws {
    try folder.write("{\"port\": 80,\n \"theme\": }", to: "managed.json")
    let lines = try await doctor(managed: "managed.json", operators: "none.json")
    let finding = try #require(lines.first { $0.hasPrefix("! managed: ") })
    #expect(finding.hasPrefix("! managed: \(folder["managed.json"]): "))
    #expect(finding.contains("line 2"))
    #expect(lines.last == "status 1" && !lines.contains("  No problems found."))
  }

  @Test("The doctor verb reports an unreadable file of a layer, with the reason")
  func unreadable() async throws {
    try folder.makeFolder("managed.json")
    let lines = try await doctor(managed: "managed.json", operators: "none.json")
    let finding = try #require(lines.first { $0.hasPrefix("! managed: ") })
    #expect(finding.hasPrefix("! managed: \(folder["managed.json"]): "))
    #expect(lines.last == "status 1")
  }

  @Test("The doctor verb accepts valid and missing files of layers")
  func sound() async throws {
    try folder.write(#"{"port": 80}"#, to: "operator.json")
    let lines = try await doctor(managed: "none.json", operators: "operator.json")
    #expect(lines.contains("  No problems found.") && lines.last == "status 0")
  }

  @Test(
    "Unknown names in the files of layers are problems for the doctor verb, with file and line")
  func unknownNames() async throws {
    try folder.write(
      "{\n  \"$schema\": \"s.json\",\n  \"port\": 80,\n  \"prot\": 81,\n  \"x\": {\"prot\": 1}\n}",
      to: "managed.json")
    try Defaults.PropertyListFormat.xml.encode(["theme": "dark", "htmee": "dark", "tehme": "dark"])
      .write(to: folder.url("operator.plist"))
    let lines = try await doctor(managed: "managed.json", operators: "operator.plist")
    let managed = folder["managed.json"]
    #expect(
      lines.contains("! prot: \(managed), line 4: no setting has this name; did you mean port?"))
    #expect(lines.contains("! x: \(managed), line 5: no setting has this name"))
    // Foundation's XML begins with four lines, and each entry takes two.
    let operators = folder["operator.plist"]
    #expect(
      lines.contains("! tehme: \(operators), line 7: no setting has this name; did you mean theme?")
    )
    #expect(lines.last == "status 1")
  }

  @Test("An unknown name in the writable layer is no problem for the doctor verb")
  func unknownOwnName() async throws {
    let lines = try await doctor(managed: "none.json", operators: "none.json")
    #expect(lines.contains("  volune: memory: no setting has this name"))
    #expect(lines.contains("  No problems found.") && lines.last == "status 0")
  }

  @Test(
    "The doctor verb reports a problem in a binary file, with the file but without a line number")
  func binary() async throws {
    try Defaults.PropertyListFormat.binary.encode(["prot": 1])
      .write(to: folder.url("managed.plist"))
    let lines = try await doctor(managed: "managed.plist", operators: "none")
    let managed = folder["managed.plist"]
    #expect(lines.contains("! prot: \(managed): no setting has this name; did you mean port?"))
  }
}
