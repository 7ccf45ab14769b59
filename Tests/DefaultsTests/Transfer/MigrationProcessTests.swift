import Foundation
import TestSupport
import Testing

@testable import Defaults

@Suite("Migrations in several processes", .prompt)
struct MigrationProcessTests {
  let twins: TwinSuites

  init() throws { twins = try TwinSuites() }

  @Test(
    "A program killed during a migration changes nothing, and the next run does all of it")
  func killed() async throws {
    do {
      let suite = try twins.open()
      suite.set(1, forKey: "a")
      try await suite.flush(.snapshot)
    }
    let path = twins.folder["suite.plist"]
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
      let suite = try Defaults.PropertyListSuite(url: URL(filePath: path))
      try suite.migrate(
        to: 2,
        steps: [
          .init(1) { draft in try draft.renameEntry("a", to: "b") },
          .init(2) { draft in
            try draft.setEntry(2, named: "c")
            kill(getpid(), SIGKILL)
          },
        ])
    }
    #expect(try twins.stored() == ["a": 1])
    let suite = try twins.open()
    let steps: [Defaults.Migration] = [
      .init(1) { draft in try draft.renameEntry("a", to: "b") },
      .init(2) { draft in try draft.setEntry(2, named: "c") },
    ]
    #expect(try suite.migrate(to: 2, steps: steps) == 0)
    #expect(try twins.stored() == ["b": 1, "c": 2, Defaults.versionName: 2])
  }

  @Test("A program killed after a migration leaves the migrated entries")
  func killedAfter() async throws {
    let path = twins.folder["suite.plist"]
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
      let suite = try Defaults.PropertyListSuite(url: URL(filePath: path))
      try suite.migrate(to: 1, steps: [.init(1) { draft in try draft.setEntry(1, named: "a") }])
      kill(getpid(), SIGKILL)
    }
    #expect(try twins.stored() == ["a": 1, Defaults.versionName: 1])
  }

  @Test("If several processes start at once, one migrates, and the others see the result")
  func atOnce() async throws {
    try twins.open().set(1, forKey: "count")
    let ran = Log<Int>()
    let before = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<4 {
        let suite = try twins.open()
        group.addTask {
          try suite.migrate(
            to: 1,
            steps: [
              .init(1) { draft in
                ran.append(1)
                guard case .integer(let count) = draft.entry(named: "count") else { return }
                try draft.setEntry(.integer(count * 10), named: "count")
              }
            ])
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    // Steps of processes that are late may run without effect.
    #expect(ran.count >= 1)
    #expect(before.sorted() == [0, 1, 1, 1])
    #expect(try twins.stored() == ["count": 10, Defaults.versionName: 1])
  }

  @Test("A migration throws while another process holds the lock, and changes nothing")
  func locked() throws {
    let suite = try twins.open(isAutomatic: false)
    suite.set(1, forKey: "a")
    let steps = [Defaults.Migration(1) { draft in try draft.setEntry(2, named: "a") }]
    let lock = try twins.holdLock()
    let error = #expect(throws: Defaults.SuiteError.self) {
      try suite.migrate(to: 1, steps: steps)
    }
    #expect(error?.code == .locked)
    #expect(suite.entries == ["a": 1])
    try lock.unlock()
    try suite.migrate(to: 1, steps: steps)
    #expect(try twins.stored() == ["a": 2, Defaults.versionName: 1])
  }
}
