import Defaults
import DefaultsPage
import PageProgram
import TestSupport
import Testing

@Suite("The events of the page", .timeLimit(.aHang))
struct PageEventTests {
  let suite = Defaults.MemorySuite()
  let page: Defaults.SettingsPage

  init() { page = Defaults.SettingsPage(Defaults.SettingsForm(suite, schema: SampleSettings.self)) }

  private func request(_ state: String, headers: [String: String] = [:]) -> PageVisitor.Request {
    PageVisitor.Request(
      path: "/settings?events=\(state)", headers: ["Host": "localhost"].merging(headers) { $1 })
  }

  /// The state in a loaded page.
  private func state() throws -> String {
    let html = try PageVisitor(page).html
    return String(try #require(html.firstMatch(of: /data-state="([0-9a-f]+)"/)).output.1)
  }

  @Test("If another program changes settings, an open page gets their rows")
  func rows() async throws {
    let stream = try #require(page.events(for: request(try state())))
    var events = stream.makeAsyncIterator()
    #expect(await events.next() == "retry: 2000\n\n")
    suite.set(7, forKey: "volume")
    let event = try #require(await events.next())
    #expect(event.contains(#"value=\"7\""#) && event.hasSuffix("\n\n"))
    #expect(event.split(separator: "\n").count == 3)
  }

  @Test("If an open page is outdated, the first event makes the page reload")
  func older() async throws {
    let old = try state()
    suite.set(7, forKey: "volume")
    let stream = try #require(page.events(for: request(old)))
    var events = stream.makeAsyncIterator()
    #expect(await events.next()?.contains("data: {}") == true)
    // The browser's header is newer than the address.
    let answer = page.respond(to: request(old, headers: ["Last-Event-ID": try state()]))
    #expect(answer.text == "retry: 2000\n\n")
    #expect(answer.headers["Content-Type"] == "text/event-stream")
  }

  @Test("Only requests for an allowed host get the events of the page")
  func host() {
    #expect(page.events(for: request("0", headers: ["Host": "evil.example"])) == nil)
    #expect(page.events(for: PageVisitor.Request(headers: ["Host": "localhost"])) == nil)
  }

  @Test("The event of a changed secret doesn't have the value")
  func secret() async throws {
    let stream = try #require(page.events(for: request(try state())))
    var events = stream.makeAsyncIterator()
    _ = await events.next()
    suite.set("swordfish", forKey: "apiToken")
    let event = try #require(await events.next())
    #expect(event.contains("apiToken") && !event.contains("swordfish"))
  }

  @Test("The stream of the page's events ends when its task is cancelled")
  func cancelling() async throws {
    let stream = try #require(page.events(for: request(try state())))
    let task = Task {
      var count = 0
      for await _ in stream { count += 1 }
      return count
    }
    task.cancel()
    #expect(await task.value <= 1)
  }
}
