import Foundation
import TestSupport
import Testing

@testable import Defaults

/// In processes of their own, since locking twice would end the process.
@Suite("Handlers called by a snapshot", .prompt)
struct SnapshotHandlerTests {
  let settings: SettingsFolder

  init() throws { settings = try SettingsFolder() }

  @Test("A handler that `flush(.snapshot)` calls may call `flush(.snapshot)`, too")
  func observer() async throws {
    await #expect(processExitsWith: .success) { [path = settings.path as String] in
      let (one, two) = (try OpenSuite(path), try OpenSuite(path))
      one.set(2, "y")
      let sources = Log<Defaults.Change.Source>()
      let observation = one.suite.observe(["x"]) { change in
        sources.append(change.source)
        #expect(throws: Never.self) { try one.flush(.snapshot) }
      }
      two.set(1, "x")
      try one.flush(.snapshot)
      #expect(sources.all == [.external])
      #expect(one.issues.count == 0)
      observation.invalidate()
    }
    #expect(try settings.entries() == ["x": 1, "y": 2])
  }

  @Test("A handler that `flush(.snapshot)` calls may exit the process")
  func exiting() async throws {
    await #expect(processExitsWith: .exitCode(3)) { [path = settings.path as String] in
      let (one, two) = (try OpenSuite(path), try OpenSuite(path))
      let observation = one.suite.observe(["x"]) { _ in exit(3) }
      one.set(2, "y")
      two.set(1, "x")
      try one.flush(.snapshot)
      observation.invalidate()
    }
    #expect(try settings.entries() == ["x": 1, "y": 2])
  }

  @Test("A failed `flush(.snapshot)` notifies of merged changes, and a handler may flush again")
  func failedSnapshot() async throws {
    await #expect(processExitsWith: .success) { [path = settings.path as String] in
      let (one, two) = (try OpenSuite(path), try OpenSuite(path))
      one.set(2, "y")
      let names = Log<String>()
      let observation = one.suite.observe(["x"]) { change in
        for name in change.entries.keys { names.append(name) }
        one.disk.heal()
        #expect(throws: Never.self) { try one.flush(.snapshot) }
      }
      one.disk.fail(with: .ENOSPC) { $0.operation == .create }
      two.set(1, "x")
      one.expectFailure(of: .snapshot)
      #expect(names.all == ["x"])
      observation.invalidate()
    }
    #expect(try settings.entries() == ["x": 1, "y": 2])
  }

  @Test("An issue handler that `flush(.snapshot)` calls may call `flush(.snapshot)`, too")
  func issueHandler() async throws {
    await #expect(processExitsWith: .success) { [path = settings.path as String] in
      let (suites, issues) = (Log<Defaults.StoredSuite>(), IssueLog())
      let (suite, start) = try FileStore.open(
        StoredFile(path: path), isAutomatic: false,
        onIssue: { issue in
          issues.append(issue)
          #expect(throws: Never.self) { try suites.last?.flush(.snapshot) }
        })
      suites.append(suite)
      start()
      suite.write(.set(1), named: "x")
      try Data("no property list".utf8).write(to: URL(filePath: path))
      try flush(suite)
      #expect(issues.codes == [.malformed, .quarantined])
    }
    #expect(try settings.entries() == ["x": 1])
    #expect(try settings.setAside().count == 1)
  }
}

/// Calls the form of `flush` that doesn't suspend, from an asynchronous context.
private func flush(_ suite: Defaults.StoredSuite) throws { try suite.flush(.snapshot) }
