import TestSupport
import Testing

@testable import Defaults

@Suite("Deduplication of issues")
struct IssueReporterTests {
  private func issue(_ reason: String, about key: String?) -> Defaults.Issue {
    Defaults.Issue(Defaults.SuiteError(.unwritable, reason, suite: "suite", key: key))
  }

  @Test("An issue is reported once, and again only if it recurs after it was resolved")
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

  @Test("A handler runs in the scope of the call that reports the issue, not in its context")
  func context() throws {
    let contexts = Log<(isSilent: Bool, origin: String?, TaskContext)>()
    let reporter = IssueReporter { _ in
      let context = TaskContext.current
      contexts.append((context.isSilent, context.origin, context))
    }
    let scope = Token()
    Defaults.withoutPropagation {
      Defaults.withOrigin("sync") {
        TaskContext.changing({ ($0.isStoringInitialValue, $0.scope) = (true, scope) }) {
          reporter.report(issue("one", about: "x"))
        }
      }
    }
    let (isSilent, origin, context) = try #require(contexts.all.first)
    #expect(!isSilent)
    #expect(origin == nil)
    #expect(!context.isStoringInitialValue)
    #expect(context.scope === scope)
  }

  private final class Token: Sendable {}

  @Test("If there are over a thousand issues, each is reported, and an old one is reported again")
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

  @Test("A thousand different issues are remembered, of one key or of many")
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

  @Test("An error that was thrown to a caller isn't also reported as an issue")
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
