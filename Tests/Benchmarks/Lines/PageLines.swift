import Defaults
import DefaultsPage
import Foundation
import Harness

/// The page of 1,000 settings, as a server makes it for a browser.
struct PageLines {
  private static let size = 1_000

  var lines: [Line] {
    [
      line("page of all settings as HTML", milliseconds: 20) { page, _ in
        use(page.respond(to: Self.request("/")).body.count)
      },
      line("page of all settings as JSON", milliseconds: 40) { page, _ in
        use(page.respond(to: Self.request("/?json=1")).body.count)
      },
      line("page: a change of one setting", milliseconds: 1) { page, number in
        var request = Self.request("/")
        request.method = "POST"
        request.body = Data("token=\(Self.token)&%3Aeditor.fontSize0=\(number % 100)".utf8)
        use(page.respond(to: request).status)
      },
    ]
  }

  private func line(
    _ name: String, milliseconds: Int,
    _ work: @escaping (Defaults.SettingsPage, _ number: Int) -> Void
  ) -> Line {
    .contest(name, size: Self.size) {
      let suite = Defaults.MemorySuite()
      let keys = LargeProgram.keys(Self.size, in: suite)
      let page = Defaults.SettingsPage(Defaults.SettingsForm(suite, keys: keys))
      let numbers = Counter()
      return Contest(
        ours: { count in time { for _ in 0..<count { work(page, numbers.next()) } } },
        peers: [
          Peer("\(milliseconds) ms", bar: .faster(1)) { count in
            time {
              for _ in 0..<count {
                let end = MonotonicTime.now + milliseconds * 1_000_000
                while MonotonicTime.now < end {}
              }
            }
          }
        ])
    }
  }

  private static let token = String(repeating: "a", count: 32)

  private static func request(_ path: String) -> Defaults.SettingsPage.Request {
    Defaults.SettingsPage.Request(
      path: path,
      headers: [
        "Host": "localhost", "Origin": "http://localhost", "Cookie": "DefaultsPage=\(token)",
        "Content-Type": "application/x-www-form-urlencoded", "Accept": "application/json",
      ])
  }
}
