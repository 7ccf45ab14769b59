import Defaults
import Foundation
import TestSupport
import Testing

private struct Preferences: Defaults.Schema {
  @Stored var volume = 5
  @Stored var nickname: String?
}

private struct Account: Defaults.Schema {
  struct Server: Defaults.Schema {
    @Stored(.secret) var password = ""
  }

  @Stored(.in(0...11)) var level = 5
  @Stored(.secret) var token: String?
  let server = Server()
}

private final class AccountClass: Defaults.Settings {
  @Stored(name: "FirstUseTests.token", .secret) var token: String?
}

@Suite("First use of stored properties")
struct FirstUseTests {
  @Test("Concurrent first uses of a stored property share one key and lose no change")
  func manyThreads() {
    for _ in 0..<100 {
      let suite = Defaults.MemorySuite()
      let settings = Preferences(suite: suite)
      let keys = Log<Defaults.Key<Int>>()
      DispatchQueue.concurrentPerform(iterations: 4) { worker in
        keys.append(settings.$volume)
        _ = try? Defaults.update(settings.$volume) { $0 += 1 }
        if worker == 0 { settings.nickname = "Ada" }
      }
      #expect(Set(keys.all.map(ObjectIdentifier.init)).count == 1)
      #expect(suite.entries == ["volume": 9, "nickname": "Ada"])
    }
  }

  @Test("An export omits the secrets of a new schema before any of its properties is used")
  func secrets() throws {
    let suite = Defaults.MemorySuite(
      [
        "FirstUseTests.level": 6, "FirstUseTests.token": "hidden",
        "FirstUseTests.server.password": "hidden",
      ], onIssue: { _ in })
    let account = Account(suite: suite, namePrefix: "FirstUseTests.")
    let text = try suite.exportString(as: .compactJSON)
    #expect(text.contains("level") && !text.contains("hidden"), "\(text)")
    let other = Defaults.MemorySuite(["FirstUseTests.token": "hidden"], onIssue: { _ in })
    let object = AccountClass(suite: other)
    #expect(try other.exportString(as: .compactJSON) == "{}")
    withExtendedLifetime((account, object)) {}
  }

  @Test("An import checks the rules of a new schema before any of its properties is used")
  func rules() throws {
    let suite = Defaults.MemorySuite()
    let account = Account(suite: suite, namePrefix: "FirstUseTests.")
    let error = #expect(throws: Defaults.SuiteError.self) {
      try suite.importEntries(from: ["FirstUseTests.level": 12])
    }
    #expect(error?.code == .invalid)
    #expect(suite.entries.isEmpty)
    #expect(account.level == 5)
  }
}
