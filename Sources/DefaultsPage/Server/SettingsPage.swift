import Defaults
import DefaultsText
import Foundation

extension Defaults {
  /// The page of all settings in a web server: shows them, stores changes, and reports changes by
  /// other programs.
  ///
  /// It works in any server and at any path. The server passes each request for that path to the
  /// page:
  ///
  /// ```swift
  /// let page = Defaults.SettingsPage(form, title: "Settings of mytool")
  /// let response = page.respond(
  ///   to: .init(method: "GET", path: "/settings", headers: ["Host": "localhost:8080"]))
  /// ```
  ///
  /// The page has no passwords: every client that reaches it may change the settings. Serve it on
  /// the loopback interface, or behind a server that asks for a password. The page does protect the
  /// settings from other sites in the same browser. It answers only under the names of its hosts,
  /// and stores a change only if the request's `Origin` is the page's own and if it has the token
  /// of a page that this browser has loaded. Its content security policy allows no other script.
  ///
  /// The query of the path selects the answer: `q=TEXT` searches, `json=1` is
  /// ``SettingsForm/json(matching:)``, and `events=1` are the changes; see ``events(for:)``.
  public struct SettingsPage: Sendable {
    let form: SettingsForm
    let title: String
    private let check: RequestCheck

    var bodyLimit: Int { check.bodyLimit }

    /// Creates a page.
    ///
    /// - Parameters:
    ///   - form: The settings.
    ///   - title: The title of the page.
    ///   - hosts: The names under which browsers may reach the page, without ports. A request for
    ///     another host gets status 421.
    ///   - bodyLimit: The maximum size of a submission in bytes. A larger one gets status 413.
    public init(
      _ form: SettingsForm, title: String = "Settings",
      hosts: Set<String> = ["localhost", "127.0.0.1", "[::1]"], bodyLimit: Int = 1 << 20
    ) {
      self.form = form
      self.title = title
      check = RequestCheck(hosts: Set(hosts.map { $0.lowercased() }), bodyLimit: bodyLimit)
    }

    /// Returns the answer to a request.
    ///
    /// Never throws and never traps, whatever the request contains. Reads settings from memory, and
    /// stores changes as ``SettingsForm/submit(_:resetting:)`` does.
    public func respond(to request: Request) -> Response {
      do throws(Response) {
        try check.check(request)
        return request.method == "POST" ? try submission(of: request) : try answer(to: request)
      } catch {
        return error
      }
    }

    private func answer(to request: Request) throws(Response) -> Response {
      let query = try request.query
      try? form.suite.refresh()
      if query["json"] != nil {
        return Response(200, "application/json", form.json(matching: query["q"] ?? ""))
      }
      if query["events"] != nil {
        return Response(200, "text/event-stream", news(for: request, query).text)
      }
      let saved = query["saved"].flatMap { UInt16($0) }.map(Int.init) ?? 0
      let token = request.token ?? PageToken.make()
      var response = Response(
        200, "text/html; charset=utf-8",
        PageMarkup(
          form, title: title, query: query["q"] ?? "", token: token, outcome: .init(saved: saved)
        ).html)
      if request.token == nil { response.headers["Set-Cookie"] = PageToken.cookie(token) }
      return response
    }

    // MARK: - Submissions

    private func submission(of request: Request) throws(Response) -> Response {
      let fields = try request.fields
      guard let token = request.token, fields["token"] == token else {
        throw Response(
          403, "text/plain; charset=utf-8",
          "The form doesn't belong to this browser. Reload the page, and allow its cookie.\n")
      }
      // The page has a field for each setting, and a few of its own.
      guard fields.count <= form.settings.count + 16 else {
        throw Response(400, "The submission has more fields than the form.")
      }
      try? form.suite.refresh()
      let submission = PageSubmission(fields, of: form)
      let outcome = submission.submit()
      if request.header("Accept")?.contains("application/json") == true {
        return Response(200, "application/json", submission.json(of: outcome))
      }
      let query = try request.query
      guard outcome.problems.isEmpty else {
        return Response(
          422, "text/html; charset=utf-8",
          PageMarkup(
            form, title: title, query: query["q"] ?? "", token: token, outcome: outcome
          ).html)
      }
      // A relative reference: the page doesn't know its own path.
      var response = Response(303, "text/plain; charset=utf-8", "Saved\n")
      let search = query["q"].map { "&q=" + URLText.encoded($0) } ?? ""
      response.headers["Location"] = "?saved=\(outcome.saved)\(search)"
      return response
    }
  }
}
