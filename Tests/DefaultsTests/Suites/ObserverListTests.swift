import Foundation
import TestSupport
import Testing

@testable import Defaults

@Suite("Lists of many observers")
struct ObserverListTests {
  private func observer(_ number: UInt64) -> Observer {
    Observer(number: number, names: nil, options: [], handler: .init { _ in })
  }

  @Test("Observers that remain after additions and removals keep their order of registration")
  func order() {
    var generator = SystemRandomNumberGenerator()
    var list = ObserverList()
    var expected: [UInt64: Observer] = [:]
    var gone: [Observer] = []
    for number in 0..<UInt64(2_000) {
      let observer = observer(number)
      list.add(observer)
      expected[number] = observer
      if Bool.random(using: &generator), let victim = expected.randomElement(using: &generator) {
        // The second call has no effect.
        for _ in 0..<2 { list.remove(victim.value) }
        expected[victim.key] = nil
        gone.append(victim.value)
      }
      if let again = gone.randomElement(using: &generator) { list.remove(again) }
      #expect(list.count == expected.count)
      #expect(list.isEmpty == expected.isEmpty)
      if number % 50 == 0 {
        let numbers = list.members().map(\.number)
        #expect(numbers == expected.keys.sorted())
      }
    }
    let numbers = list.members().map(\.number)
    #expect(numbers == expected.keys.sorted())
    for observer in expected.values { list.remove(observer) }
    let members = list.members()
    #expect(list.isEmpty && members.isEmpty)
  }

  @Test("Removed observers are released once they are a quarter of all")
  func release() {
    var list = ObserverList()
    var observers = (0..<UInt64(100)).map(observer)
    for observer in observers { list.add(observer) }
    weak let first = observers[0]
    for observer in observers[..<25] { list.remove(observer) }
    observers = []
    #expect(first == nil)
    #expect(list.count == 75)
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
