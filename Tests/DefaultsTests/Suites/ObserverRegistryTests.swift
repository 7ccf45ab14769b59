import Foundation
import TestSupport
import Testing

@testable import Defaults

@Suite("Registries of many observers")
struct ObserverRegistryTests {
  private func observer(_ number: UInt64) -> Observer {
    Observer(
      number: number, names: number.isMultiple(of: 2) ? nil : ["name"], options: [],
      handler: .init { _ in })
  }

  @Test("Observers that remain after additions and removals keep their order of registration")
  func order() {
    let change = Defaults.Change(["name": .init(old: nil, new: 1)])
    var generator = SystemRandomNumberGenerator()
    var registry = ObserverRegistry()
    var expected: [UInt64: Observer] = [:]
    var gone: [Observer] = []
    for number in 0..<UInt64(2_000) {
      let observer = observer(number)
      registry.add(observer)
      expected[number] = observer
      if Bool.random(using: &generator), let victim = expected.randomElement(using: &generator) {
        // The second call has no effect.
        for _ in 0..<2 { registry.remove(victim.value) }
        expected[victim.key] = nil
        gone.append(victim.value)
      }
      if let again = gone.randomElement(using: &generator) { registry.remove(again) }
      if number % 50 == 0 {
        #expect(registry.members(for: change).map(\.number) == expected.keys.sorted())
      }
    }
    #expect(registry.members(for: change).map(\.number) == expected.keys.sorted())
    for observer in expected.values { registry.remove(observer) }
    #expect(registry.members(for: change).isEmpty && !registry.has("name"))
  }

  @Test("Twenty thousand observers of a key end, and the others are called in order")
  func invalidation() {
    let suite = Defaults.MemorySuite()
    let calls = Log<Int>()
    var tokens = (0..<20_000).map { number in
      suite.observe(["name"]) { _ in calls.append(number) }
    }
    let rest = [3, 5_000, 5_001, 19_999]
    for number in tokens.indices.shuffled() where !rest.contains(number) {
      tokens[number].invalidate()
    }
    suite.set(1, forKey: "name")
    #expect(calls.all == rest)
    tokens = []
    suite.set(2, forKey: "name")
    #expect(calls.all == rest)
    #expect(!suite.storage.support.isObserved("name"))
  }
}
