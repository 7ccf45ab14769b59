import Defaults
import Testing

@Suite("Issues")
struct IssueTests {
  @Test("An issue has each property of its error")
  func properties() {
    let cause = Defaults.ConversionError("5.5 isn't a whole number")
    let issue = Defaults.Issue(
      Defaults.SuiteError(
        .undecodable, "The entry can't be read", suite: "suite", key: "volume", path: "/a",
        underlying: cause))
    #expect(issue.code == .undecodable && "\(issue.code)" == "undecodable")
    #expect(issue.reason == "The entry can't be read")
    #expect(issue.suite == "suite")
    #expect(issue.key == "volume")
    #expect(issue.path == "/a")
    #expect(issue.underlying as? Defaults.ConversionError == cause)
  }
}
