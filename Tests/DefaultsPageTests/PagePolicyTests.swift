import Defaults
import DefaultsPage
import PageProgram
import Foundation
import TestSupport
import Testing

@Suite("The content security policy of the page")
struct PagePolicyTests {
  @Test(
    "The content security policy has the digests of the page's style and script",
    .enabled(if: ChildProcess.python != nil, "it asks Python's hashlib"),
    arguments: ["style", "script"])
  func digests(element: String) async throws {
    let form = Defaults.SettingsForm(Defaults.MemorySuite(), schema: SampleSettings.self)
    let html = form.html()
    let start = try #require(html.range(of: "<\(element)>"))
    let end = try #require(html.range(of: "</\(element)>"))
    let folder = try TemporaryFolder()
    try folder.write(String(html[start.upperBound..<end.lowerBound]), to: "text")
    let python = try #require(ChildProcess.python)
    let script = """
      import base64, hashlib, sys
      text = open(sys.argv[1], "rb").read()
      print(base64.b64encode(hashlib.sha256(text).digest()).decode())
      """
    let outcome = try await ChildProcess.run(
      python, ["-c", script, folder["text"]])
    let digest = try #require(outcome.lines.first)
    #expect(html.contains("\(element)-src &#39;sha256-\(digest)&#39;"), "write sha256-\(digest)")
  }

  @Test("The page has only the script and the style of its policy, and no files or handlers")
  func nothingElse() {
    let suite = Defaults.MemorySuite()
    let html = Defaults.SettingsForm(suite, schema: SampleSettings.self).html()
    #expect(html.matches(of: /<script/).count == 1 && html.matches(of: /<style/).count == 1)
    #expect(html.matches(of: /\ssrc=|<link|<img|\son[a-z]+=|\sstyle=/).isEmpty)
  }
}
