import Defaults
import TestSupport
import Testing

@Suite("Silence that ends with an error")
struct SilenceTests {
  private struct Refusal: Error, Equatable { let number: Int }

  let suite = Defaults.MemorySuite()

  @Test("If a silent closure throws, its changes stay, and observers get the next change")
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

  @Test("If an asynchronous silent closure throws, observers get the next change")
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
