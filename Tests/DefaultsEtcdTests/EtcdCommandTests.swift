import Defaults
import DefaultsCommand
import DefaultsEtcd
import DefaultsLayers
import DefaultsTesting
import Foundation
import Harness
import TestSupport
import Testing

@Suite("Settings command with etcd", .prompt, .needsEtcd, .tags(.etcd), .timeLimit(.aHang))
struct EtcdCommandTests {
  private let prefix = Fleet.prefix()
  private let folder: TemporaryFolder
  private var cache: URL { folder.url("cache.plist") }

  init() throws { folder = try TemporaryFolder() }

  private struct Outcome {
    var output: String
    var error: String
  }

  /// Runs a command in a process of its own on an etcd suite that is just being opened; with layers
  /// if `user` is a file.
  private func run(
    _ arguments: [String], at endpoint: URL, user: URL? = nil
  ) async throws -> Outcome {
    let result = await #expect(
      processExitsWith: .exitCode(7), observing: [\.standardOutputContent, \.standardErrorContent]
    ) {
      [
        arguments = arguments as [String], prefix = prefix as String, cache = cache as URL,
        endpoint = endpoint as URL, user = user as URL?
      ] in
      let fleet = try Defaults.EtcdSuite(
        endpoints: [endpoint], prefix: prefix, keys: [], cache: cache, timing: Fleet.timing,
        onIssue: { _ in })
      let keys = [Defaults.Key("volume", default: 5)]
      let command: Defaults.Command
      if let user {
        let suite = try Defaults.LayeredSuite(
          .writable(Defaults.PropertyListSuite(url: user)), .layer(fleet, name: "fleet"))
        command = Defaults.Command(keys, suite: suite, name: "tool")
      } else {
        command = Defaults.Command(keys, suite: fleet, name: "tool")
      }
      do throws(Defaults.CommandError) {
        try command.run(arguments)
      } catch {
        FileHandle.standardError.write(Data("\(error)\n".utf8))
      }
      exit(7)
    }
    func text(_ bytes: [UInt8]?) -> String { String(decoding: bytes ?? [], as: UTF8.self) }
    return Outcome(
      output: text(result?.standardOutputContent), error: text(result?.standardErrorContent))
  }

  /// Writes a cache of the given age in which the volume is 7.
  private func fillCache(age: Double) throws {
    let suite = try Defaults.PropertyListSuite(url: cache)
    try suite.setEntries([
      "volume": 7,
      "Defaults.fleet": [
        "prefix": .string(prefix), "cluster": "1", "revision": 1,
        "date": .date(Date(timeIntervalSinceNow: -age)),
      ],
    ])
    try suite.flush(.snapshot)
  }

  private static let wait = "\(Fleet.patience.components.seconds)"

  @Test(
    "The settings command reports that values are cached and how old they are",
    arguments: [false, true])
  func cachedValues(isLayered: Bool) async throws {
    try fillCache(age: 3 * 3_600 + 10)
    let outcome = try await run(
      ["get", "--wait", "0", "volume"], at: Fleet.deadEndpoint(),
      user: isLayered ? folder.url("user.plist") : nil)
    #expect(outcome.output == "7\n")
    #expect(outcome.error.contains("cached, 3 h old"))
  }

  @Test(
    "The settings command prints the values of a cache with any date",
    arguments: [1e300, -1e300, .infinity, .nan])
  func cacheOfAnyAge(age: Double) async throws {
    try fillCache(age: age)
    let outcome = try await run(["get", "--wait", "0", "volume"], at: Fleet.deadEndpoint())
    #expect(outcome.output == "7\n")
    #expect(outcome.error.contains("cached, "))
  }

  @Test("The settings command waits for the values of the cluster", arguments: [false, true])
  func currentValues(isLayered: Bool) async throws {
    try fillCache(age: 190)
    try Fleet.cluster.etcdctl("put", prefix + "volume", "8")
    let outcome = try await run(
      ["get", "--wait", Self.wait, "volume"], at: Fleet.cluster.endpoints[0],
      user: isLayered ? folder.url("user.plist") : nil)
    #expect(outcome.output == "8\n")
    #expect(!outcome.error.contains("cached"))
  }

  @Test("Set and unset with --fleet change the fleet's layer and not the user's")
  func fleetLayer() async throws {
    let user = folder.url("user.plist")
    let endpoint = try Fleet.cluster.endpoints[0]
    for arguments in [
      ["set", "--wait", Self.wait, "volume", "3"],
      ["set", "--wait", Self.wait, "--fleet", "volume", "9"],
    ] {
      let outcome = try await run(arguments, at: endpoint, user: user)
      #expect(outcome.output == "volume = \(arguments.last ?? "")\n")
      #expect(!outcome.error.contains("cached"))
    }
    #expect(try Fleet.cluster.etcdctl("get", prefix + "volume", "--print-value-only") == "9")
    #expect(try Defaults.PropertyListSuite(url: user).entries == ["volume": 3])
    let get = try await run(
      ["get", "--wait", Self.wait, "--fleet", "volume"], at: endpoint, user: user)
    #expect(get.output == "9\n")
    let unset = try await run(
      ["unset", "--wait", Self.wait, "--fleet", "volume"], at: endpoint, user: user)
    #expect(unset.output == "volume = 5\n")
    #expect(try Fleet.cluster.etcdctl("get", prefix + "volume").isEmpty)
  }

  @Test("The set verb rejects --fleet after the name and changes nothing")
  func misplacedOption() async throws {
    try fillCache(age: 10)
    let outcome = try await run(["set", "volume", "--fleet"], at: Fleet.deadEndpoint())
    #expect(!outcome.output.contains("volume"))
    #expect(outcome.error.contains("--fleet is an option; write options before \"volume\""))
  }

  @Test("A settings command without a fleet has no fleet options")
  func noFleet() {
    let command = Defaults.Command(
      [Defaults.Key("volume", default: 5)], suite: Defaults.MemorySuite(), name: "tool")
    let error = #expect(throws: Defaults.CommandError.self) {
      try command.run(["get", "--fleet", "volume"])
    }
    #expect(error?.status == 64)
  }
}
