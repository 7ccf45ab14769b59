import Foundation
import Testing

@testable import Defaults

@Suite("The obstacles to storing a suite")
struct FileHealthTests {
  private func problem(_ code: Defaults.SuiteError.Code, _ cause: POSIXErrorCode) -> SuiteError {
    SuiteError(code, "A problem", path: "file", underlying: POSIXError(cause))
  }

  @Test("Failures are counted until a change is stored, and the health is readOnly meanwhile")
  func failures() {
    var health = FileHealth(health: .intact)
    health.count(problem(.unwritable, .ENOSPC))
    #expect(health.failures == 1 && !health.lacksRights && health.health == .readOnly)
    health.count(problem(.unwritable, .EACCES))
    #expect(health.failures == 2 && health.lacksRights && health.health == .readOnly)
    health.end()
    #expect(health.failures == 0 && !health.lacksRights && health.health == .intact)
  }

  @Test("Waiting for another process's lock is no failure")
  func locked() {
    var health = FileHealth(health: .intact)
    health.count(problem(.locked, .EAGAIN))
    #expect(health.failures == 0 && !health.lacksRights && health.health == .intact)
  }

  @Test(
    "How a suite got its entries stays its health",
    arguments: [
      Defaults.Health.recoveredFromJournal, .startedEmpty,
    ])
  func base(base: Defaults.Health) {
    var health = FileHealth(health: base)
    health.count(problem(.unwritable, .ENOSPC))
    #expect(health.health == base)
    health.end()
    #expect(health.health == base)
  }
}

private typealias SuiteError = Defaults.SuiteError
