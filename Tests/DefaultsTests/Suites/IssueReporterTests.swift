import Testing

@testable import Defaults

@Suite("Reporting each issue once")
struct IssueReporterTests {
  private func issue(_ reason: String, about key: String?) -> Defaults.Issue {
    Defaults.Issue(Defaults.SuiteError(.unwritable, reason, suite: "suite", key: key))
  }

  @Test("The same issue is told once, and again when it was over")
  func once() {
    let told = Log<String>()
    let reporter = IssueReporter { told.append($0.description) }
    for _ in 0..<2 {
      reporter.report(issue("one", about: "x"))
      reporter.report(issue("two", about: "x"))
      reporter.report(issue("one", about: nil))
    }
    #expect(told.count == 3)
    reporter.forgetIssues(about: "x")
    for _ in 0..<2 {
      reporter.report(issue("one", about: "x"))
      reporter.report(issue("one", about: nil))
    }
    #expect(told.count == 4)
  }

  @Test("A flood of different issues is told, and forgotten rather than kept")
  func flood() {
    for isOfOneKey in [true, false] {
      let told = Log<String>()
      let reporter = IssueReporter { told.append($0.description) }
      func report(_ number: Int) {
        reporter.report(issue("\(number)", about: isOfOneKey ? "x" : "\(number)"))
      }
      for number in 0..<1_100 { report(number) }
      #expect(told.count == 1_100)
      report(0)
      #expect(told.count == 1_101)
    }
  }

  @Test("A thousand different issues are kept, of one key or of as many")
  func capacity() {
    for isOfOneKey in [true, false] {
      let told = Log<String>()
      let reporter = IssueReporter { told.append($0.description) }
      for _ in 0..<2 {
        for number in 0..<1_000 {
          reporter.report(issue("\(number)", about: isOfOneKey ? "x" : "\(number)"))
        }
      }
      #expect(told.count == 1_000)
    }
  }

  @Test("What a caller got as an error isn't an issue as well")
  func counted() {
    let told = Log<String>()
    let suite = Defaults.MemorySuite(onIssue: { told.append($0.description) })
    let error = Defaults.SuiteError(.unwritable, "thrown")
    suite.support.countAsReported(error)
    suite.support.report(error)
    #expect(told.count == 0)
    suite.support.report(Defaults.SuiteError(.unwritable, "another"))
    #expect(told.count == 1)
  }
}
