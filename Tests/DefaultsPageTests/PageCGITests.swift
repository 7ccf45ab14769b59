import Defaults
import DefaultsPage
import Foundation
import TestSupport
import Testing

@Suite("The page as a CGI program", .timeLimit(.aHang))
struct PageCGITests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Starts the program as a web server does, and returns its answer.
  private func answer(
    _ arguments: [String] = ["page"], body: String = "", variables: [String: String] = [:]
  ) async throws -> ChildProcess.Outcome {
    let request = [
      "GATEWAY_INTERFACE": "CGI/1.1", "REQUEST_METHOD": "GET", "SCRIPT_NAME": "/settings.cgi",
      "HTTP_HOST": "localhost:8080", "QUERY_STRING": "", "PAGE_FOLDER": folder.path,
    ]
    let process = try ChildProcess(
      ChildProcess.product("PageProgram"), arguments,
      environment: request.merging(variables) { $1 })
    if !body.isEmpty { try process.send(body) }
    return try await process.end()
  }

  private func value(of name: String) async throws -> String {
    try await ChildProcess.run(
      ChildProcess.product("PageProgram"), ["get", name], environment: ["PAGE_FOLDER": folder.path]
    ).output
  }

  @Test("As a CGI program, the page answers a request with a status, headers and HTML")
  func get() async throws {
    let outcome = try await answer()
    #expect(outcome.status == 0 && outcome.error == "")
    #expect(outcome.output.hasPrefix("Status: 200 OK\r\n"))
    #expect(outcome.output.contains("\r\n\r\n<!DOCTYPE html>"))
    #expect(outcome.output.contains("<h1>Settings of mytool</h1>"))
    let head = try await answer(variables: ["REQUEST_METHOD": "HEAD"])
    #expect(head.output.hasSuffix("\r\n\r\n"))
  }

  @Test("A CGI submission is read from standard input up to its stated length, and stored")
  func post() async throws {
    let token = String(repeating: "a", count: 32)
    let body = "token=\(token)&%3Avolume=7"
    let variables = [
      "REQUEST_METHOD": "POST", "HTTP_ORIGIN": "http://localhost:8080",
      "HTTP_COOKIE": "DefaultsPage=\(token)", "CONTENT_LENGTH": "\(body.utf8.count)",
      "CONTENT_TYPE": "application/x-www-form-urlencoded",
    ]
    let outcome = try await answer(body: body + "&%3Avolume=9", variables: variables)
    #expect(outcome.output.hasPrefix("Status: 303 See Other\r\n"))
    #expect(outcome.output.contains("\r\nLocation: ?saved=1\r\n"))
    #expect(try await value(of: "volume") == "7\n")
    let other = try await answer(
      body: body, variables: variables.merging(["HTTP_ORIGIN": "http://evil.example"]) { $1 })
    #expect(other.output.hasPrefix("Status: 403 Forbidden\r\n"))
  }

  @Test("A CGI request whose body is shorter than stated is rejected, and nothing is stored")
  func shortBody() async throws {
    let token = String(repeating: "a", count: 32)
    let body = "token=\(token)&%3Avolume=1"
    let outcome = try await answer(
      body: body,
      variables: [
        "REQUEST_METHOD": "POST", "HTTP_ORIGIN": "http://localhost:8080",
        "HTTP_COOKIE": "DefaultsPage=\(token)", "CONTENT_LENGTH": "\(body.utf8.count + 1)",
        "CONTENT_TYPE": "application/x-www-form-urlencoded",
      ])
    #expect(outcome.output.hasPrefix("Status: 400 Bad Request\r\n"))
    #expect(try await value(of: "volume") == "5\n")
  }

  @Test(
    "If the stated length of a CGI body is too large or isn't a number, the body isn't read",
    arguments: ["2000000", "-1", "x", "99999999999999999999"])
  func length(length: String) async throws {
    let outcome = try await answer(variables: ["REQUEST_METHOD": "POST", "CONTENT_LENGTH": length])
    #expect(outcome.status == 0 && outcome.output.hasPrefix("Status: 4"))
  }

  @Test(
    "If a web server passes the words of a query as arguments, they change nothing",
    arguments: [
      ["set", "volume", "9"], ["page", "--host", "evil.example"], ["page", "--output", "x"],
    ]
  )
  func arguments(arguments: [String]) async throws {
    let words = arguments.first == "page" ? Array(arguments.dropFirst()) : arguments
    for query in [words, words.map { $0.replacing("-", with: "%2D") }] {
      let outcome = try await answer(
        arguments, variables: ["QUERY_STRING": query.joined(separator: "+")])
      #expect(outcome.status == 64 && outcome.output == "")
    }
    #expect(try await value(of: "volume") == "5\n")
    #expect(try folder.names() == [])
  }

  @Test(
    "A query that doesn't have the same words as the arguments may have made them",
    arguments: [
      "set+theme+dark%00x", "set++theme+dark+", #"set+theme+a\b"#, "a+set+theme+dark+b", "+", "%ff",
      String(repeating: "+", count: 5_000),
    ])
  func otherWords(query: String) async throws {
    let outcome = try await answer(
      ["set", "theme", "dark"], variables: ["QUERY_STRING": query])
    #expect(outcome.status == 64 && outcome.output == "")
    #expect(try folder.names() == [])
    #expect(try await answer(variables: ["QUERY_STRING": query]).status == 0)
  }

  @Test("A query with an equals sign makes no arguments, so those of the script are used")
  func ownArguments() async throws {
    let outcome = try await answer(
      ["page", "--host", "settings.example"],
      variables: ["QUERY_STRING": "q=volume", "HTTP_HOST": "settings.example"])
    #expect(outcome.output.hasPrefix("Status: 200 OK\r\n"))
  }

  @Test("A CGI request for events waits for a change by another program")
  func events() async throws {
    let page = try await answer().output
    let state = try #require(page.firstMatch(of: /data-state="([0-9a-f]+)"/)).output.1
    let request = ["QUERY_STRING": "events=\(state)"]
    async let waiting = answer(variables: request)
    _ = try await ChildProcess.run(
      ChildProcess.product("PageProgram"), ["set", "volume", "7"],
      environment: ["PAGE_FOLDER": folder.path])
    var outcome = try await waiting
    let event = "\ndata: {}\n\n"
    if !outcome.output.contains(event) {
      // On a busy machine, the wait may end before the change. A browser then asks again, too.
      outcome = try await answer(variables: request)
    }
    #expect(outcome.output.contains("Content-Type: text/event-stream\r\n"))
    #expect(outcome.output.contains(event))
  }

  @Test("Outside of a web server, the page verb writes a page without a form to a file")
  func file() async throws {
    let outcome = try await ChildProcess.run(
      ChildProcess.product("PageProgram"), ["page", "--output", folder["page.html"]],
      environment: ["PAGE_FOLDER": folder.path])
    #expect(outcome.status == 0 && outcome.output == "")
    let html = try folder.text(of: "page.html")
    #expect(html.contains("<samp>5</samp>") && !html.contains("method=\"post\""))
    let failed = try await ChildProcess.run(
      ChildProcess.product("PageProgram"), ["page", "--output", folder["no/page.html"]],
      environment: ["PAGE_FOLDER": folder.path])
    #expect(failed.status == 73 && failed.errorLines.count == 1)
  }

  @Test("Outside of a web server, the page verb prints the settings that a search finds as JSON")
  func json() async throws {
    let outcome = try await ChildProcess.run(
      ChildProcess.product("PageProgram"), ["page", "--json", "--search", "tab width"],
      environment: ["PAGE_FOLDER": folder.path])
    #expect(outcome.output.contains(#""name":"editor.tabWidth""#))
    #expect(!outcome.output.contains("volume"))
  }
}
