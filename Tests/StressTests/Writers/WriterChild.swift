import Defaults
import Foundation
import Harness

/// One of several processes that write at the same time.
struct WriterChild {
  let store: any TestedStore
  let parent: Parent

  static let counter = "counter"

  /// The name and the value of one of a writer's keys.
  static func key(_ number: Int, ofWriter writer: Int) -> (name: String, value: Int) {
    ("writer\(writer).key\(number)", writer * 1_000_000 + number)
  }

  func setKeys(ofWriter writer: Int, count: Int) {
    begin()
    for number in 0..<count {
      let key = Self.key(number, ofWriter: writer)
      store.set(key.value, for: key.name)
    }
  }

  func count(_ count: Int) throws {
    begin()
    for _ in 0..<count { try store.increment(Self.counter) }
  }

  /// Increments in bodies that take some time.
  func count(_ count: Int, milliseconds: Int) throws {
    begin()
    guard let suite = (store as? SuiteStore)?.suite else { return }
    let key = Defaults.Key<Int>(Self.counter, default: 0, suite: suite)
    for _ in 0..<count {
      var runs = 0
      try suite.update(key) { number in
        runs += 1
        if runs == 4 { parent.tell("! A body ran more than three times") }
        number += 1
        if milliseconds > 0 { usleep(UInt32(1_000 * milliseconds)) }
      }
    }
  }

  /// Waits until all other processes have opened the store, too.
  private func begin() {
    parent.tell("ready")
    parent.awaitStart()
  }
}
