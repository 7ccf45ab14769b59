import Defaults
import DefaultsLayers
import Foundation
import TestSupport
import Testing

private struct Service: Defaults.Schema {
  @Stored(.required, .in(1...65535)) var port: Int
  @Stored(.required) var host: String
  @Stored(.in(1...64)) var workers = 4
  @Stored var timeout = Duration.seconds(5)
  @Stored(.choices(["debug", "info"])) var logLevel = "info"
  @Stored(.secret, .count(8...)) var token = "unset-token"
  @Stored(name: "limits.requests", .in(1...1000)) var requests = 60
  @Stored(name: "limits.burst", .in(1...100)) var burst = 5
}

@Suite("Validation of a service's layers", .prompt)
struct ValidationTests {
  let folder: TemporaryFolder
  let issues = IssueLog()

  init() throws { folder = try TemporaryFolder() }

  private func suite(environment: [String: String]) throws -> Defaults.LayeredSuite {
    try Defaults.LayeredSuite(
      .arguments(["--workers=many"]), .environment(prefix: "APP_", environment),
      .folder(folder.url("secrets"), isSecret: true, name: "secrets"),
      .file(folder.url("app.json"), name: "operator"),
      .file(folder.url("damaged.json"), name: "site"), .writable(Defaults.MemorySuite(["mine": 1])),
      onIssue: { [issues] in issues.append($0) })
  }

  @Test("A service that validates its settings all the time can still read a changed file")
  func manyTimes() async throws {
    try folder.write("{\"a\": 1}", to: "app.json")
    await #expect(processExitsWith: .success) { [path = folder.path as String] in
      let url = URL(filePath: path + "/app.json")
      let suite = try Defaults.LayeredSuite(
        .file(url, name: "operator"), .writable(Defaults.MemorySuite()), onIssue: { _ in })
      let key = Defaults.Key("a", default: 0, suite: suite)
      for _ in 0..<100_000 { try suite.validate([key]) }
      try Data("{\"a\": 2}".utf8).write(to: url)
      try suite.refresh()
      #expect(suite[key] == 2)
    }
  }

  @Test("Validation of a service with eleven mistakes lists each mistake with its location")
  func elevenMistakes() throws {
    try folder.makeFolder("secrets")
    try folder.write("short\n", to: "secrets/token")
    try folder.write(
      """
      {
        // The limits of a client.
        "limits": {"requests": 0, "burst": 101},
        "prot": 80, "hosts": "a",
        "logLevel": "loud",
      }
      """, to: "app.json")
    try folder.write("{\"port\": 80", to: "damaged.json")
    let suite = try suite(environment: ["APP_TIMEOUT": "soon"])
    let service = Service(suite: suite)
    let error = #expect(throws: Defaults.ValidationError.self) {
      try suite.validate(service.keys)
    }
    let lines = "\(try #require(error))".split(separator: "\n").map(String.init)
    #expect(lines.first == "11 problems in the settings:")
    let app = folder["app.json"]
    for parts in [
      ["argument 1", "\"workers\"", "many"], ["APP_TIMEOUT", "\"timeout\"", "soon"],
      [folder["secrets/token"], "\"token\""], ["\(app), line 3", "\"limits.requests\"", "0"],
      ["\(app), line 3", "\"limits.burst\"", "101"],
      ["\(app), line 4", "\"prot\"", "did you mean \"port\"?"],
      ["\(app), line 4", "\"hosts\"", "did you mean \"host\"?"],
      ["\(app), line 5", "\"logLevel\"", "loud"], [folder["damaged.json"], "line 1"],
      ["\"port\"", "is required and has no value"], ["\"host\"", "is required and has no value"],
    ] {
      #expect(
        lines.dropFirst().count { line in parts.allSatisfy { line.contains($0) } } == 1,
        "\(parts) in \(lines)")
    }
    #expect(!lines.contains { $0.contains("short") || $0.contains("mine") })
    // The program doesn't start, so no layer is used.
    #expect(!lines.contains { $0.contains("next layer") })
  }

  @Test("A registered default that doesn't decode is also a problem of a suite of layers")
  func registeredDefault() throws {
    let suite = try Defaults.LayeredSuite(.writable(Defaults.MemorySuite()))
    suite.register(defaults: ["port": "abc"])
    let port = Defaults.Key<Int>.required("port", suite: suite)
    let error = #expect(throws: Defaults.ValidationError.self) { try suite.validate([port]) }
    #expect(error?.problems.map(\.code) == [.undecodable])
  }

  @Test("A service whose mistakes are repaired starts, and its required settings have values")
  func repaired() throws {
    try folder.write("{\"port\": 80, \"host\": \"localhost\"}", to: "app.json")
    let suite = try Defaults.LayeredSuite(
      .file(folder.url("app.json")), .writable(Defaults.MemorySuite()))
    let service = Service(suite: suite)
    try suite.validate(service.keys)
    #expect((service.port, service.host, service.workers) == (80, "localhost", 4))
    try folder.write("{}", to: "app.json")
    try suite.refresh()
    #expect((service.port, service.host) == (80, "localhost"))
  }
}
