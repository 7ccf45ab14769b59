import Testing

/// Runs a check that fails the running test if it finds something, and returns the issues that it
/// recorded, and the error that it threw, without failing the test.
///
/// For tests of checks: a check of something faulty has to record an issue. Only issues of the
/// current task and its children are caught.
package func recordedIssues(
  isolation: isolated (any Actor)? = #isolation,
  _ check: @Sendable () async throws -> Void
) async throws -> [Testing.Issue] {
  let issues = Log<Testing.Issue>()
  let trait = IssueHandlingTrait.compactMapIssues { issue in
    issues.append(issue)
    return nil
  }
  try await trait.provideScope(
    for: #require(Test.current, "Only a test can catch issues"), testCase: Test.Case.current
  ) {
    do { try await check() } catch { Testing.Issue.record(error) }
  }
  return issues.all
}
