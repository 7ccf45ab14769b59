import Defaults
import TestSupport
import Testing

@Suite("Closures of withoutPropagation that throw")
struct SilenceTests {
  private struct Refusal: Error, Equatable { let number: Int }

  let suite = Defaults.MemorySuite()

  @Test(
    "If the closure of withoutPropagation throws, its changes stay; the next change is observed")
  func synchronous() {
    let key = Defaults.Key("x", default: 0, suite: suite)
    let seen = Log<Int>()
    let observation = Defaults.observe(key, options: []) { seen.append($0.newValue) }
    #expect(throws: Refusal(number: 1)) {
      try Defaults.withoutPropagation {
        Defaults[key] = 1
        throw Refusal(number: 1)
      }
    }
    #expect(Defaults[key] == 1)
    Defaults[key] = 2
    #expect(seen.all == [2])
    observation.invalidate()
  }

  @Test("If an asynchronous closure of withoutPropagation throws, the next change is observed")
  func asynchronous() async {
    let key = Defaults.Key("x", default: 0, suite: suite)
    let seen = Log<Int>()
    let observation = Defaults.observe(key, options: []) { seen.append($0.newValue) }
    await #expect(throws: Refusal(number: 1)) {
      try await Defaults.withoutPropagation {
        await Task { Defaults[key] = 1 }.value
        throw Refusal(number: 1)
      }
    }
    #expect(Defaults[key] == 1)
    Defaults[key] = 2
    #expect(seen.all == [2])
    observation.invalidate()
  }
}
