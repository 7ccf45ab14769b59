import Defaults
import DefaultsLayers
import Foundation
import Synchronization

/// The cost of layers, in a suite of 1,000 entries.
struct LayerLines {
  let fixtures: Fixtures

  private static let size = 1_000

  var lines: [Line] {
    [
      read("read an Int through 8 layers", Self.integer) { suite, count in
        let key = Defaults.Key("n7", default: 0, suite: suite)
        return timeReads(count) { suite[key] }
      },
      read("read a String through 8 layers", Self.text) { suite, count in
        let key = Defaults.Key("n7", default: "", suite: suite)
        return timeReads(count) { suite[key].utf8.count }
      },
      set, change,
    ]
  }

  private static let integer = Defaults.PropertyListValue.integer(42)
  private static let text = Defaults.PropertyListValue.string(
    "as long as it takes to be on the heap")

  private func read(
    _ name: String, _ value: Defaults.PropertyListValue,
    _ work: @escaping (Defaults.LayeredSuite, Int) -> Int
  ) -> Line {
    .contest(name, size: Self.size) {
      let (eight, one) = try (Self.suite(of: value, layers: 8), Self.suite(of: value, layers: 1))
      return Contest(
        ours: { work(eight, $0) },
        peers: [Peer("ours, of 1 layer", bar: .atMost(1.1), work: { work(one, $0) })])
    }
  }

  private var set: Line {
    .contest("set of a changed Int in memory, 8 layers", size: Self.size) {
      let eight = try Self.suite(of: Self.integer, layers: 8)
      let plain = Defaults.MemorySuite(Self.entries(Self.integer))
      let keys = [eight.storage, plain.storage].map { Defaults.Key("n7", default: 0, suite: $0) }
      let numbers = Counter()
      return Contest(
        ours: { count in time { for _ in 0..<count { eight[keys[0]] = numbers.next() } } },
        peers: [
          Peer("ours without layers") { count in
            time { for _ in 0..<count { plain[keys[1]] = numbers.next() } }
          }
        ])
    }
  }

  /// A layer changes two entries, one of which is overridden.
  private var change: Line {
    .contest("a layer's change of 2 of 1,000 entries, to the observer", size: Self.size) {
      let layer = Defaults.MemorySuite(Self.entries(Self.integer))
      let suite = try Defaults.LayeredSuite(
        .writable(Defaults.MemorySuite(["n1": 1])), .layer(layer))
      let told = Atomic(0)
      let observation = suite.observe(nil) { change in
        told.wrappingAdd(change.names.count, ordering: .relaxed)
      }
      let numbers = Counter()
      return Contest(
        ours: { count in
          withExtendedLifetime(observation) {
            time {
              for _ in 0..<count {
                let number = Defaults.PropertyListValue.integer(Int64(numbers.next()))
                layer.write { draft in
                  try? draft.setEntry(number, named: "n1")
                  try? draft.setEntry(number, named: "n2")
                }
              }
            }
          }
        },
        peers: [
          Peer("a comparison of both dictionaries") { count in
            var old = Self.entries(Self.integer)
            return time {
              for _ in 0..<count {
                var new = old
                new["n2"] = .integer(Int64(numbers.next()))
                use(new.count { old[$0.key] != $0.value })
                old = new
              }
            }
          }
        ])
    }
  }

  private static func entries(
    _ value: Defaults.PropertyListValue
  ) -> [String: Defaults.PropertyListValue] {
    Dictionary(uniqueKeysWithValues: (0..<size).map { ("n\($0)", value) })
  }

  /// A suite whose writable layer has all entries, and seven more layers around it.
  private static func suite(
    of value: Defaults.PropertyListValue, layers: Int
  ) throws -> Defaults.LayeredSuite {
    let others = (1..<layers).map { number in
      Defaults.Layer.values(["other\(number)": value], name: "layer \(number)")
    }
    let user = Defaults.Layer.writable(Defaults.MemorySuite(entries(value)))
    return try Defaults.LayeredSuite(others + [user])
  }
}
