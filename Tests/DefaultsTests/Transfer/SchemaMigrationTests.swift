import Defaults
import TestSupport
import Testing

@Suite("Migrations of schemas", .prompt)
struct SchemaMigrationTests {
  private static let steps = MigratedImportTests.steps

  private struct Preferences: Defaults.Schema {
    static let migrations = SchemaMigrationTests.steps
    @Stored var color = "red"
    @Stored var volume = 10
  }

  private final class Classic: Defaults.Settings {
    override class var migrations: [Defaults.Migration] { SchemaMigrationTests.steps }
    @Stored var volume = 10
  }

  @Test("A suite is migrated to the version of a schema or a settings class")
  func schema() throws {
    for migrate in [
      { try $0.migrate(Preferences.self) }, { try $0.migrate(Classic.self) },
    ] as [(Defaults.MemorySuite) throws -> Int] {
      let suite = Defaults.MemorySuite(["tint": "blue", "volume": 0.5])
      #expect(try migrate(suite) == 0)
      #expect(try migrate(suite) == 2)
      try suite.importEntries(from: ["volume": 0.75])
      let preferences = Preferences(suite: suite)
      #expect(preferences.color == "blue" && preferences.volume == 75)
    }
  }

  private struct Plain: Defaults.Schema {
    @Stored var volume = 10
  }

  @Test("A schema without migrations has version 0")
  func plainSchema() throws {
    let suite = Defaults.MemorySuite(["volume": 1])
    #expect(try suite.migrate(Plain.self) == 0)
    #expect(suite.entries == ["volume": 1])
    let error = #expect(throws: Defaults.SuiteError.self) {
      try suite.importEntries(from: ["volume": 2, Defaults.versionName: 1])
    }
    #expect(error?.code == .newerEntries)
  }

  private struct Outer: Defaults.Schema {
    var inner = Preferences()
  }

  @Test("Migrations of a group, which would never run, trap")
  func group() async {
    await #expect(processExitsWith: .failure) {
      _ = Outer(suite: Defaults.MemorySuite())
    }
  }
}
