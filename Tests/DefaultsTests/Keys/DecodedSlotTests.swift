import Defaults
import Foundation
import TestSupport
import Testing

@Suite("Decoded slots of keys")
struct DecodedSlotTests {
  let suite = Defaults.MemorySuite()

  @Test("A value with an alignment of 16 bytes is read from the slot")
  func wideAlignment() {
    let key = Defaults.Key<Int128>("wide", default: 0, suite: suite)
    for number in [Int128.max, .min, -1] {
      Defaults[key] = number
      for _ in 0..<3 { #expect(Defaults[key] == number) }
    }
  }

  @Test("A value that runs code in its deinit may read its own key")
  func reentrantDeinit() {
    final class Box: Defaults.Serializable, Sendable {
      static let bridge = Bridge()
      let number: Int
      let onDeath: @Sendable () -> Void

      init(_ number: Int, onDeath: @escaping @Sendable () -> Void = {}) {
        self.number = number
        self.onDeath = onDeath
      }

      deinit { onDeath() }

      struct Bridge: Defaults.Bridge {
        func serialize(_ value: Box?) -> Int? { value?.number }
        func deserialize(_ object: Int?) -> Box? {
          object.map {
            Box($0, onDeath: { deaths.append(Self.keys.last.map { Defaults[$0].number } ?? 0) })
          }
        }
        static let keys = Log<Defaults.Key<Box>>()
      }
      static let deaths = Log<Int>()
    }
    let key = Defaults.Key("box", default: Box(0), suite: suite)
    Box.Bridge.keys.append(key)
    for number in 1...3 {
      suite.set(number, forKey: "box")
      #expect(Defaults[key].number == number)
    }
    #expect(Box.deaths.count == 2)
  }

  @Test("An object is decoded once, also by a renamed key and a key with an initial value")
  func identity() {
    final class Object: Defaults.Serializable, Sendable {
      static let bridge = Bridge()
      struct Bridge: Defaults.Bridge {
        func serialize(_ value: Object?) -> Int? { 1 }
        func deserialize(_ object: Int?) -> Object? { Object() }
      }
    }
    let key = Defaults.Key("object", default: Object(), suite: suite)
    let renamed = Defaults.Key("new", default: Object(), suite: suite, .renamed(from: "old"))
    suite.set(1, forKey: "object")
    suite.set(1, forKey: "old")
    #expect(Defaults[key] === Defaults[key])
    let initial = Defaults.Key("initial", suite: suite, .generatedOnce) { Object() }
    // The first read moves the entry or stores the initial value.
    for key in [renamed, initial] {
      _ = Defaults[key]
      #expect(Defaults[key] === Defaults[key])
    }
  }

  @Test("Readers concurrent with a writer see whole values, in order")
  func tornReads() {
    struct Pair: RawRepresentable, Defaults.Serializable {
      var low: Int32
      var high: Int32
      init(rawValue: Int) {
        low = Int32(truncatingIfNeeded: rawValue)
        high = Int32(truncatingIfNeeded: rawValue)
      }
      var rawValue: Int { Int(low) }
    }
    struct WidePair: RawRepresentable, Defaults.Serializable {
      var low: Int
      var high: Int
      init(rawValue: Int) { (low, high) = (rawValue, rawValue) }
      var rawValue: Int { low }
    }
    let wide = Defaults.Key("wide", default: WidePair(rawValue: 0), suite: suite)
    let plain = Defaults.Key("plain", default: Pair(rawValue: 0), suite: suite)
    let boxed = Defaults.Key<[Int]>("boxed", default: [0, 0], suite: suite)
    DispatchQueue.concurrentPerform(iterations: 4) { worker in
      var lastPlain = 0
      var lastBoxed = 0
      for round in 1...2_000 {
        if worker == 0 {
          Defaults[plain] = Pair(rawValue: round)
          Defaults[boxed] = [round, round]
          Defaults[wide] = WidePair(rawValue: round)
        } else {
          let pair = Defaults[plain]
          let array = Defaults[boxed]
          precondition(pair.low == pair.high && pair.rawValue >= lastPlain)
          precondition(array[0] == array[1] && array[0] >= lastBoxed)
          let widePair = Defaults[wide]
          precondition(widePair.low == widePair.high)
          (lastPlain, lastBoxed) = (pair.rawValue, array[0])
        }
      }
    }
    #expect(Defaults[plain].rawValue == 2_000)
    #expect(Defaults[boxed] == [2_000, 2_000])
  }
}
