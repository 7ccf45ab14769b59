import Foundation
import TestSupport
import Testing

@testable import StressTests

@Suite("Crashes of suites", .tags(.slow))
struct SuiteCrashTests {
  @Test(
    "After any crash, a suite opens with the entries before or after each change",
    arguments: SuiteCrashes.plain.map(\.name))
  func scenario(name: String) throws {
    let scenario = try #require(SuiteCrashes.plain.first { $0.name == name })
    // A sample: `StressTests --short` tries more than twenty times as many states, and
    // `StressTests --filter crash` more than 300 times as many.
    let report = try CrashChecker(
      limit: 32, samples: 8, stride: 30, secondCrashes: 50, violationLimit: 1
    ).check(scenario)
    #expect(report.violations.first?.description ?? "" == "")
    #expect(report.opened > 10)
  }

  /// A sync that is omitted.
  enum Omission: CaseIterable {
    case journal, newJournal, folder
  }

  @Test(
    "If the library omits a sync, the crash checker finds a violation", arguments: Omission.allCases
  )
  func omission(omission: Omission) throws {
    // A log is replaced if it is damaged.
    let names =
      omission == .newJournal
      ? ["a damaged record", "a damaged header"] : ["changes with flush", "snapshots"]
    let reports = try names.map { name in
      var scenario = try #require(SuiteCrashes.plain.first { $0.name == name })
      scenario.outcome = { operation in
        let isOmitted =
          switch (operation.kind, omission) {
          case (.synchronizeContent, .journal): true
          case (.synchronize, .newJournal), (.synchronizeContent, .newJournal):
            operation.path.hasSuffix(".tmp") && operation.path.contains(".journal.")
          case (.synchronize, .folder): operation.path == SuiteSubject.folder
          default: false
          }
        return isOmitted ? .pretence : .success
      }
      return try CrashChecker(limit: 64, samples: 64, secondCrashes: 0, violationLimit: 1).check(
        scenario)
    }
    let violations = reports.flatMap(\.violations)
    #expect(!violations.isEmpty)
    // Not only a file that was left behind.
    #expect(violations.contains { $0.problem.hasPrefix("it opens to") })
  }

  @Test("A flush that returns during a snapshot before the folder is synced is a violation")
  func earlyFlush() throws {
    let scenarios = SuiteCrashes.plain.filter { $0.name.hasPrefix("flush of") }
    let isFound = try scenarios.contains { scenario in
      var scenario = scenario
      scenario.outcome = { operation in
        if case .synchronize = operation.kind, operation.path == SuiteSubject.folder {
          .pretence
        } else {
          .success
        }
      }
      // Several violations, since the first may only be a file that was left behind.
      return try CrashChecker(limit: 64, samples: 64, secondCrashes: 0, violationLimit: 20).check(
        scenario
      ).violations.contains { $0.problem.hasPrefix("it opens to") }
    }
    #expect(isFound)
  }
}
