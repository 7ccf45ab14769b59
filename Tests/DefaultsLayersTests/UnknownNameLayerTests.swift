import Defaults
import DefaultsLayers
import Foundation
import TestSupport
import Testing

@Suite("Unknown names in the files of layers", .timeLimit(.aHang))
struct UnknownNameLayerTests {
  let folder: TemporaryFolder
  let issues = IssueLog()
  let keys: [Defaults.AnyKey]

  init() throws {
    folder = try TemporaryFolder()
    let suite = Defaults.MemorySuite()
    keys = [
      Defaults.Key<Int>("volume", default: 3, suite: suite, .renamed(from: "loudness")),
      Defaults.Key<Int>("limits.requests", default: 0, suite: suite),
    ]
  }

  private func suite(
    _ layers: Defaults.Layer..., declaring keys: [Defaults.AnyKey]?
  ) throws -> Defaults.LayeredSuite {
    try Defaults.LayeredSuite(
      layers + [.writable(Defaults.MemorySuite(["mine": 1]))], declaring: keys,
      onIssue: { [issues] in issues.append($0) })
  }

  private var file: Defaults.Layer { .file(folder.url("app.json")) }

  @Test("Each unknown name is reported once, with file, line and nearest name, also after changes")
  func names() async throws {
    try folder.write(
      """
      {"$schema": "app.schema.json", "loudness": 4,
       "volme": 1, "limits": {
         "requets": 2, "requests": 3 }}
      """, to: "app.json")
    let suite = try suite(file, declaring: keys)
    #expect(issues.codes == [.unknownName, .unknownName])
    #expect(issues.all.map(\.key) == ["limits.requets", "volme"])
    #expect(issues.all.map(\.suite) == [3, 2].map { folder["app.json"] + ", line \($0)" })
    #expect(
      issues.all.map(\.error.reason)
        == ["limits.requests", "volume"].map {
          "No setting has this name; did you mean \"\($0)\"?"
        })
    try folder.replace("app.json", with: "{\n\n\n\"volme\": 2, \"zzzzzz\": 1}")
    try suite.refresh()
    try suite.refresh()
    // The thread that follows the file may report a name after this thread has refreshed.
    await issues.wait { $0.count >= 3 }
    #expect(issues.count == 3)
    #expect(
      issues.last?.description.hasSuffix("line 4: \"zzzzzz\": No setting has this name") == true)
    // A name that was removed and comes back is an issue again.
    try folder.replace("app.json", with: "{}")
    try suite.refresh()
    try folder.replace("app.json", with: "{\"zzzzzz\": 1}")
    try suite.refresh()
    await issues.wait { $0.count >= 4 }
    #expect(issues.all.map(\.key) == ["limits.requets", "volme", "zzzzzz", "zzzzzz"])
  }

  @Test("Unknown names aren't reported if no keys are declared, or in a layer that allows them")
  func allowed() throws {
    try folder.write(#"{"volme": 1}"#, to: "app.json")
    _ = try suite(file, declaring: nil)
    _ = try suite(file.allowingUnknown, declaring: keys)
    _ = try suite(.values(["volme": 1]), declaring: keys)
    #expect(issues.count == 0)
  }

  private struct Settings: Defaults.Schema {
    @Stored var volume = 3
    @Stored(name: "limits.requests") var requests = 0
  }

  @Test("Settings that a schema declares aren't unknown names")
  func schema() throws {
    try folder.write(#"{"volme": 1, "volume": 2, "limits": {"requests": 3}}"#, to: "app.json")
    let suite = try Defaults.LayeredSuite(
      file, .writable(Defaults.MemorySuite()), declaring: Settings.self,
      onIssue: { [issues] in issues.append($0) })
    #expect(Settings(suite: suite).volume == 2)
    #expect(issues.all.map(\.key) == ["volme"])
  }

  @Test("A suite whose keys are declared later reports the unknown names then")
  func later() throws {
    try folder.write(#"{"volme": 1, "extra": 2}"#, to: "app.json")
    let suite = try suite(file, declaring: nil)
    #expect(issues.count == 0)
    try suite.declareAll(keys)
    try suite.declareAll(keys)
    #expect(issues.all.map(\.key) == ["extra", "volme"])
    // A key that is used later makes its name known.
    let extra = Defaults.Key<Int>("extra", default: 0, suite: suite)
    #expect(suite[extra] == 2)
    try suite.refresh()
    #expect(issues.count == 2)
  }

  @Test(
    "Validation lists unknown names with other problems; names added later are reported as issues")
  func validation() async throws {
    try folder.write(#"{"volme": 1, "volume": "loud"}"#, to: "app.json")
    let suite = try suite(file, declaring: nil)
    let error = #expect(throws: Defaults.ValidationError.self) { try suite.validate(keys) }
    #expect(Set(error?.problems.map(\.code) ?? []) == [.unknownName, .undecodable])
    try folder.replace("app.json", with: #"{"volume": 1}"#)
    try suite.refresh()
    try suite.validate(keys)
    let before = issues.count
    try folder.replace("app.json", with: #"{"volume": 2, "volumes": 1}"#)
    try suite.refresh()
    await issues.wait { $0.count > before }
    #expect(issues.count == before + 1 && issues.last?.key == "volumes")
  }

  @Test("Only the first hundred unknown names of a file are reported")
  func many() throws {
    let entries = (0..<5_000).map { "\"unknown\($0)\": 1" }.joined(separator: ",\n")
    try folder.write("{\(entries)}", to: "app.json")
    _ = try suite(file, declaring: keys)
    #expect(issues.count == 100)
  }

  @Test("Variables and files of a folder that don't match a setting are reported as issues")
  func otherSources() throws {
    try folder.write("OTHER=1\nAPP_VOLUME=2\nAPP_VOLME=3\n", to: "app.env")
    try folder.makeFolder("secrets")
    try folder.write("4", to: "secrets/volum")
    let suite = try suite(
      .dotenv(folder.url("app.env"), prefix: "APP_"), .folder(folder.url("secrets")),
      declaring: keys)
    #expect(
      issues.all.map(\.description) == [
        "Defaults: \(folder["app.env"]), line 3: \"APP_VOLME\": "
          + "No setting has this name; did you mean \"APP_VOLUME\"?",
        "Defaults: \(folder["secrets/volum"]): \"volum\": "
          + "No setting has this name; did you mean \"volume\"?",
      ])
    withExtendedLifetime(suite) {}
  }

  // MARK: - Environment variables

  private static let variables = [
    "APP_VOLME": "1", "APP_VOLUME": "2", "APP_LOUDNESS": "2", "APP_LIMITS_REQUESTS": "3",
    "APP_LOG": "x", "OTHER": "4",
  ]
  private static let unknownVariables = [
    "Defaults: environment: \"APP_LOG\": No setting has this name",
    "Defaults: environment: \"APP_VOLME\": No setting has this name; "
      + "did you mean \"APP_VOLUME\"?",
  ]

  private var environment: Defaults.Layer { .environment(prefix: "APP_", Self.variables) }

  @Test("Variables with the prefix that no setting reads are reported once if keys are declared")
  func variables() throws {
    let suite = try suite(environment, declaring: keys)
    try suite.refresh()
    try suite.validate(keys)
    #expect(issues.all.map(\.description) == Self.unknownVariables)
    #expect(suite.unknownEntries(declaring: keys).map(\.name.name).contains("APP_VOLME"))
  }

  @Test("Validation reports unknown variables as issues and doesn't throw for them")
  func validatedVariables() throws {
    let suite = try suite(environment, declaring: nil)
    #expect(issues.count == 0)
    try suite.validate(keys)
    try suite.validate(keys)
    #expect(issues.all.map(\.description) == Self.unknownVariables)
  }

  @Test("Variables aren't reported if the layer allows them or the prefix is empty")
  func allowedVariables() throws {
    _ = try suite(.environment(prefix: "", Self.variables), declaring: keys)
    try suite(environment.allowingUnknown, declaring: keys).validate(keys)
    #expect(issues.count == 0)
  }

  @Test("With a prefix without an underscore, a variable that has one is reported with advice")
  func missingUnderscore() throws {
    let variables = [
      "APP_VOLUME": "2", "APPLIMITS_REQUESTS": "3", "APP_LIMITS_REQUESTS": "4", "APP_LOG": "x",
      "APPDATA": "y",
    ]
    let layer = Defaults.Layer.environment(prefix: "APP", variables)
    let suite = try suite(layer, declaring: keys)
    try suite.validate(keys)
    #expect(
      issues.all.map(\.description) == [
        "Defaults: environment: \"APP_VOLUME\": No setting reads this variable. "
          + "Write the prefix of the layer as \"APP_\""
      ])
    #expect(issues.codes == [.unknownName])
    _ = try self.suite(layer.allowingUnknown, declaring: keys)
    #expect(issues.count == 1)
  }

  @Test("A variable that begins with the longer prefix of another layer belongs to that layer")
  func nestedPrefixes() throws {
    let variables = ["APP_DEV_VOLUME": "1", "APP_DEV_LOG": "x", "APP_LOG": "x"]
    _ = try suite(
      .environment(prefix: "APP_DEV_", variables), .environment(prefix: "APP_", variables),
      declaring: keys)
    #expect(issues.all.map(\.key) == ["APP_DEV_LOG", "APP_LOG"])
    // A file with a longer prefix has no variables.
    try folder.write("APP_DEV_VOLUME=1\n", to: "app.env")
    _ = try suite(
      .environment(prefix: "APP_", ["APP_DEV_MODE": "1"]),
      .dotenv(folder.url("app.env"), prefix: "APP_DEV_"), declaring: keys)
    #expect(issues.last?.key == "APP_DEV_MODE")
  }

  @Test("The prefix of a variable doesn't make another name similar")
  func similarVariables() throws {
    let key = Defaults.Key("port", default: 1, suite: Defaults.MemorySuite())
    _ = try suite(
      .environment(prefix: "LONG_SERVICE_", ["LONG_SERVICE_LOG": "x"]), declaring: [key])
    #expect(
      issues.all.map(\.description) == [
        "Defaults: environment: \"LONG_SERVICE_LOG\": No setting has this name"
      ])
  }
}
