import Defaults
import Foundation
import TestSupport
import Testing

@Suite("Migrations", .prompt)
struct MigrationTests {
  static let steps: [Defaults.Migration] = [
    .init(1) { draft in try draft.renameEntry("tint", to: "color") },
    .init(3) { draft in
      guard case .real(let volume) = draft.entry(named: "volume") else { return }
      try draft.setEntry(.integer(Int64(volume * 100)), named: "volume")
    },
  ]

  /// An object that migrates a suite when it is released.
  private final class Migrating: Sendable {
    let suite: Defaults.MemorySuite
    init(_ suite: Defaults.MemorySuite) { self.suite = suite }
    deinit { _ = try? suite.migrate(to: 2, steps: []) }
  }

  @Test("A step of an older migration can retain an object that uses the suite when it is released")
  func releasedStep() async {
    await #expect(processExitsWith: .success) {
      let suite = Defaults.MemorySuite()
      let step = { Defaults.Migration(1) { [object = Migrating(suite)] _ in _ = object } }
      try suite.migrate(to: 1, steps: [step()])
      try suite.migrate(to: 2, steps: [])
      #expect(try suite.version == 2)
    }
  }

  @Test(
    "Each migration step runs once, in order, and all steps are one change",
    arguments: SuiteKind.allCases)
  func steps(kind: SuiteKind) throws {
    let sample = try Sample(kind)
    let suite = sample.suite
    try suite.setEntries(["tint": "red", "volume": 0.5, "other": 1])
    let changes = Log<Defaults.Change>()
    let observation = suite.observe(nil, options: []) { changes.append($0) }
    #expect(try suite.version == 0)
    #expect(try suite.migrate(to: 1, steps: [Self.steps[0]]) == 0)
    #expect(suite.entries == ["color": "red", "volume": 0.5, "other": 1, Defaults.versionName: 1])
    #expect(try suite.migrate(to: 3, steps: Self.steps) == 1)
    let migrated: [String: Defaults.PropertyListValue] = [
      "color": "red", "volume": 50, "other": 1, Defaults.versionName: 3,
    ]
    #expect(suite.entries == migrated)
    #expect(try suite.version == 3)
    #expect(
      changes.all.map(\.names) == [
        ["tint", "color", Defaults.versionName], ["volume", Defaults.versionName],
      ])
    #expect(try suite.migrate(to: 3, steps: Self.steps) == 3)
    #expect(changes.count == 2)
    if SuiteKind.persistent.contains(kind) { #expect(try sample.storedEntries() == migrated) }
    observation.invalidate()
  }

  @Test("A suite without a version runs every step and stores the version, even without a step")
  func fresh() throws {
    let suite = Defaults.MemorySuite()
    let ran = Log<Int>()
    let steps = [1, 2, 5].map { number in Defaults.Migration(number) { _ in ran.append(number) } }
    #expect(try suite.migrate(to: 7, steps: steps) == 0)
    #expect(ran.all == [1, 2, 5])
    #expect(suite.entries == [Defaults.versionName: 7])
    #expect(try suite.migrate(to: 7, steps: steps) == 7)
    #expect(ran.count == 3)
  }

  @Test("Migration steps that have run don't run again when a program adds steps")
  func laterSteps() throws {
    let suite = Defaults.MemorySuite()
    let ran = Log<Int>()
    let steps = [1, 2, 3].map { number in Defaults.Migration(number) { _ in ran.append(number) } }
    #expect(try suite.migrate(to: 2, steps: Array(steps.prefix(2))) == 0)
    #expect(ran.all == [1, 2])
    #expect(try suite.migrate(to: 3, steps: steps) == 2)
    #expect(ran.all == [1, 2, 3])
  }

  @Test("Version 0 is the version of a suite that was never migrated")
  func zero() throws {
    let suite = Defaults.MemorySuite([Defaults.versionName: 0])
    #expect(try suite.version == 0)
    #expect(try suite.migrate(to: 0, steps: []) == 0)
    #expect(try suite.migrate(to: 3, steps: Self.steps) == 0)
    #expect(try Defaults.MemorySuite().migrate(to: 0, steps: []) == 0)
  }

  @Test("Removing all entries keeps the version, so no step runs over newer entries")
  func removingAll() throws {
    let suite = Defaults.MemorySuite()
    try suite.migrate(to: 2, steps: [])
    suite.set("blue", forKey: "color")
    suite.removeAll()
    #expect(try suite.version == 2)
    #expect(suite.names == [Defaults.versionName])
  }

  @Test("A migration of a newer suite throws and changes nothing", arguments: SuiteKind.allCases)
  func newer(kind: SuiteKind) throws {
    let sample = try Sample(kind)
    try sample.suite.setEntries(["tint": "red", Defaults.versionName: 4])
    let error = #expect(throws: Defaults.SuiteError.self) {
      try sample.suite.migrate(to: 3, steps: Self.steps)
    }
    #expect(error?.code == .newerEntries)
    #expect(
      error?.reason == """
        The entries have version 4, but this program knows only versions up to 3. Use a newer \
        version of the program
        """)
    #expect(sample.suite.entries == ["tint": "red", Defaults.versionName: 4])
  }

  @Test(
    "A migration step that throws reverts the others, and the next call starts again",
    arguments: SuiteKind.allCases)
  func failing(kind: SuiteKind) throws {
    struct Refusal: Error {}
    let sample = try Sample(kind)
    try sample.suite.setEntries(["tint": "red", "volume": 0.5])
    let error = #expect(throws: Defaults.SuiteError.self) {
      try sample.suite.migrate(
        to: 4, steps: Self.steps + [.init(4) { _ in throw Refusal() }])
    }
    #expect(error?.code == .migrationFailed)
    #expect(error?.underlying is Refusal)
    #expect(error?.reason.contains("The step to version 4 failed") == true)
    #expect(sample.suite.entries == ["tint": "red", "volume": 0.5])
    try sample.suite.migrate(to: 3, steps: Self.steps)
    #expect(sample.suite.integer(forKey: "volume") == 50)
  }

  @Test(
    "A migration of a suite whose version is invalid throws and changes nothing",
    arguments: ["3", -1, 1.0, true] as [Defaults.PropertyListValue])
  func badVersion(entry: Defaults.PropertyListValue) {
    let suite = Defaults.MemorySuite([Defaults.versionName: entry])
    let error = #expect(throws: Defaults.SuiteError.self) {
      try suite.migrate(to: 3, steps: Self.steps)
    }
    #expect((error?.code, error?.key) == (.undecodable, Defaults.versionName))
    #expect(suite.entries == [Defaults.versionName: entry])
  }

  @Test("A draft renames entries and keeps an entry that has the new name")
  func renaming() throws {
    let suite = Defaults.MemorySuite(["a": 1, "b": 2, "c": 3])
    let renamed = try suite.transaction { draft in
      [
        try draft.renameEntry("a", to: "x"), try draft.renameEntry("b", to: "c"),
        try draft.renameEntry("missing", to: "c"), try draft.renameEntry("x", to: "x"),
      ]
    }
    #expect(renamed == [true, true, false, false])
    #expect(suite.entries == ["x": 1, "c": 3])
  }

  @Test("Renaming an entry to an invalid name throws and keeps the entry")
  func refusedName() throws {
    let folder = try TemporaryFolder()
    let suite = try Defaults.PropertyListSuite(url: folder.url("suite.plist"), format: .xml)
    suite.set(1, forKey: "a")
    #expect(throws: Defaults.SuiteError.self) {
      try suite.transaction { draft in _ = try draft.renameEntry("a", to: "\u{1}") }
    }
    #expect(suite.entries == ["a": 1])
    withExtendedLifetime(folder) {}
  }

  @Test("Migration steps that are out of order or beyond the version trap")
  func misuse() async {
    await #expect(processExitsWith: .failure) {
      _ = try? Defaults.MemorySuite().migrate(to: 2, steps: [.init(2) { _ in }, .init(1) { _ in }])
    }
    await #expect(processExitsWith: .failure) {
      _ = try? Defaults.MemorySuite().migrate(to: 1, steps: [.init(1) { _ in }, .init(2) { _ in }])
    }
    await #expect(processExitsWith: .failure) {
      _ = Defaults.Migration(0) { _ in }
    }
  }

  @Test("A migration to a negative version traps with the suite's label")
  func negativeVersion() async throws {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      _ = try? Defaults.MemorySuite(label: "player").migrate(to: -1, steps: [])
    }
    let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(text.contains("player can't be migrated to version -1"))
  }
}
