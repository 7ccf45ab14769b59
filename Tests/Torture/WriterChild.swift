import Defaults
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

  func count(_ count: Int) {
    begin()
    for _ in 0..<count { store.increment(Self.counter) }
  }

  /// Waits until the others have opened the store too.
  private func begin() {
    parent.tell("ready")
    parent.awaitStart()
  }
}
