import Defaults
import DefaultsText
import Testing

@Suite("Texts of values with a bridge of their own")
struct BridgeTextTests {
  /// Minutes of work and of a pause, stored as `25/5`.
  private struct Rhythm: Defaults.Serializable {
    var work: Int
    var pause: Int

    static let bridge = RhythmBridge()
  }

  private struct RhythmBridge: Defaults.Bridge {
    func serialize(_ value: Rhythm?) -> String? { value.map { "\($0.work)/\($0.pause)" } }

    func deserialize(_ object: String?) -> Rhythm? {
      let parts = (object ?? "").split(separator: "/").compactMap { Int($0) }
      return parts.count == 2 ? Rhythm(work: parts[0], pause: parts[1]) : nil
    }
  }

  private let suite = Defaults.MemorySuite()
  private let initial = Rhythm(work: 25, pause: 5)

  private func error(about text: String, for key: Defaults.AnyKey) throws -> Defaults.SuiteError {
    try #require(
      #expect(throws: Defaults.SuiteError.self) { try suite.set(text: text, for: key) })
  }

  @Test("The error about a text that a bridge rejects has the text of the default")
  func rejected() throws {
    let error = try error(
      about: "bad", for: Defaults.Key("rhythm", default: initial, suite: suite))
    #expect(error.code == .invalid && error.key == "rhythm")
    #expect(
      error.reason == "It must be text such as \"25/5\", not \"bad\": "
        + "the value isn't in the accepted form")
  }

  @Test("The error about a rejected text of a secret has neither the text nor the default")
  func secret() throws {
    // No other test has this name, since descriptions redact a secret in every suite.
    let key = Defaults.Key("BridgeTextTests.rhythm", default: initial, suite: suite, .secret)
    let error = try error(about: "bad", for: key)
    #expect(error.reason == "It must be text")
  }
}
