import Defaults
import DefaultsPage
import PageProgram
import Foundation
import Testing

@Suite("A request to the page")
struct PageRequestTests {
  let suite = Defaults.MemorySuite()
  let page: Defaults.SettingsPage

  init() { page = Defaults.SettingsPage(Defaults.SettingsForm(suite, schema: SampleSettings.self)) }

  @Test(
    "A submission without the origin of the page changes nothing",
    arguments: [
      nil, "null", "http://evil.example", "http://localhost", "http://localhost:8081",
      "http://localhost:8080.evil.example", "http://localhost:8080/", "ftp://localhost:8080",
      "http://evil@localhost:8080", "http://localhost:8080 http://evil.example",
    ])
  func origin(origin: String?) throws {
    var visitor = try PageVisitor(page)
    visitor.fields[":volume"] = "7"
    #expect(try visitor.submit(origin: origin).status == 403)
    #expect(suite.names.isEmpty)
  }

  @Test("The cookie of the token is sent with links of other sites, but not with submissions")
  func cookie() throws {
    let headers = ["Host": "localhost:8080"]
    let response = page.respond(to: .init(path: "/settings", headers: headers))
    let cookie = try #require(response.headers["Set-Cookie"])
    #expect(cookie.hasPrefix("DefaultsPage=") && cookie.hasSuffix("; HttpOnly; SameSite=Lax"))
  }

  @Test("A submission without the token of the browser's cookie changes nothing")
  func token() throws {
    for token in [nil, "", String(repeating: "0", count: 32)] {
      var visitor = try PageVisitor(page)
      visitor.fields[":volume"] = "7"
      visitor.fields["token"] = token
      #expect(try visitor.submit().status == 403)
    }
    var visitor = try PageVisitor(page)
    visitor.fields[":volume"] = "7"
    for cookie in [nil, "", "DefaultsPage=", "Other=\(visitor.fields["token"] ?? "")"] {
      #expect(try visitor.submit(changing: ["Cookie": cookie]).status == 403)
    }
    #expect(suite.names.isEmpty)
  }

  @Test(
    "A submission that the browser marks as cross-site changes nothing",
    arguments: ["cross-site", "same-site", "none"])
  func fetchSite(site: String) throws {
    var visitor = try PageVisitor(page)
    visitor.fields[":volume"] = "7"
    #expect(try visitor.submit(changing: ["Sec-Fetch-Site": site]).status == 403)
    #expect(suite.names.isEmpty)
  }

  @Test(
    "The page rejects a submission that isn't encoded as a URL",
    arguments: [nil, "text/plain", "multipart/form-data", "application/json"])
  func encoding(type: String?) throws {
    var visitor = try PageVisitor(page)
    visitor.fields[":volume"] = "7"
    #expect(try visitor.submit(changing: ["Content-Type": type]).status == 415)
    #expect(suite.names.isEmpty)
  }

  @Test(
    "The page rejects a request for a host that isn't among its hosts",
    arguments: [
      nil, "", "evil.example", "localhost.evil.example", "evil.example:8080", "localhost:80x",
      "localhost@evil.example", "localhost:8080:1", "[::1", "[::1]evil", "127.0.0.1.nip.io",
      "127.1", "0.0.0.0",
    ])
  func host(host: String?) {
    var request = PageVisitor.Request(path: "/")
    request.headers["Host"] = host
    let response = page.respond(to: request)
    #expect(response.status == 421)
    #expect(!response.text.contains("volume"))
  }

  @Test("The page answers requests for each of its hosts, with and without a port")
  func allowedHosts() {
    let page = Defaults.SettingsPage(
      Defaults.SettingsForm(suite, schema: SampleSettings.self),
      hosts: ["Settings.example", "[::1]"])
    for host in ["settings.example", "SETTINGS.example:443", "[::1]:8080", "[::1]"] {
      #expect(page.respond(to: .init(headers: ["host": host])).status == 200)
    }
    #expect(page.respond(to: .init(headers: ["Host": "localhost"])).status == 421)
  }

  @Test("If a request has a header twice, the page uses neither value")
  func twoHosts() {
    let headers = ["Host": "localhost", "host": "localhost"]
    #expect(page.respond(to: .init(headers: headers)).status == 421)
  }

  @Test(
    "The page answers only GET, HEAD and POST", arguments: ["PUT", "DELETE", "OPTIONS", "", "get"])
  func method(method: String) {
    let response = page.respond(to: .init(method: method, headers: ["Host": "localhost"]))
    #expect(response.status == 405 && response.headers["Allow"] == "GET, HEAD, POST")
  }

  @Test("The page rejects a request body above the size limit")
  func bodyLimit() throws {
    var visitor = try PageVisitor(page)
    visitor.fields[":nickname"] = String(repeating: "a", count: 1 << 20)
    #expect(try visitor.submit().status == 413)
    #expect(suite.names.isEmpty)
  }

  @Test("The page rejects a path above the length limit")
  func pathLimit() {
    let path = "/?q=" + String(repeating: "a+", count: 5_000)
    #expect(page.respond(to: .init(path: path, headers: ["Host": "localhost"])).status == 414)
  }

  @Test("The page rejects a submission with more fields than its form has, and stores nothing")
  func fieldLimit() throws {
    var visitor = try PageVisitor(page)
    visitor.fields[":volume"] = "7"
    for index in 0..<20 { visitor.fields[":unknown\(index)"] = "1" }
    #expect(try visitor.submit().status == 400)
    #expect(suite.names.isEmpty)
  }

  @Test(
    "The page rejects a body that isn't UTF-8 in URL encoding", arguments: ["%", "%zz=1", "a=%ff"])
  func malformed(body: String) throws {
    let visitor = try PageVisitor(page)
    let token = visitor.fields["token"] ?? ""
    let response = page.respond(
      to: .init(
        method: "POST",
        headers: [
          "Host": "localhost", "Origin": "http://localhost", "Cookie": "DefaultsPage=\(token)",
          "Content-Type": "application/x-www-form-urlencoded",
        ], body: Data("token=\(token)&\(body)".utf8)))
    #expect(response.status == 400)
  }

  @Test(
    "The path of a request selects no file, and isn't repeated in the page or its headers",
    arguments: [
      "/../../etc/passwd", "//evil.example/x", "/%2e%2e/", "/settings\r\nX: y", "http://evil/",
      "", "/\u{0}",
    ])
  func path(path: String) throws {
    let response = page.respond(to: .init(path: path, headers: ["Host": "localhost"]))
    #expect(response.status == 200)
    #expect(response.text.hasPrefix("<!DOCTYPE html>"))
    #expect(!"\(response.headers)".contains("evil") && !response.text.contains("evil"))
    var visitor = try PageVisitor(page)
    visitor.fields[":volume"] = "7"
    #expect(try visitor.submit().headers["Location"] == "?saved=1")
  }

  @Test("A search in the query of a request hides the other rows and stays in the search field")
  func search() throws {
    var visitor = try PageVisitor(page)
    try visitor.load("?q=tab%20width")
    #expect(visitor.html.matches(of: /\ hidden>/).count > 10)
    #expect(visitor.html.contains(#"value="tab width""#))
    #expect(visitor.html.contains("1 of 15 settings"))
  }

  @Test("The page keeps the token of a browser, so that several open pages work")
  func sameToken() throws {
    var visitor = try PageVisitor(page)
    let token = visitor.fields["token"]
    try visitor.load()
    #expect(visitor.fields["token"] == token)
    #expect(try PageVisitor(page).fields["token"] != token)
  }

  @Test("The page answers a request with the query json=1 in JSON")
  func json() throws {
    let response = page.respond(
      to: .init(path: "/s?json=1&q=@changed", headers: ["Host": "localhost"]))
    #expect(response.headers["Content-Type"] == "application/json")
    #expect(response.text == #"{"sections":[]}"#)
  }
}
