import Defaults
import Foundation
import Harness
import Synchronization

/// The cost of observers for a set, and the time until a value reaches a task.
struct ObservationLines {
  let fixtures: Fixtures

  private static let size = 1_000

  var lines: [Line] {
    [
      set("set of a changed Int, 1 observer") { Self.observe($0.count, times: 1) },
      set("set of a changed Int, 100 observers") { Self.observe($0.count, times: 100) },
      set("set of a changed Int, 1,000 observers of other keys") { fixture in
        (0..<1_000).flatMap {
          Self.observe(
            Defaults.Key("other.\($0)", default: 0, suite: fixture.suite), times: 1)
        }
      },
      latency, throughput,
    ]
  }

  private func set(
    _ name: String, observing: @escaping (Fixture) -> [any Defaults.Observation]
  ) -> Line {
    .contest(name, size: Self.size) {
      let (fixture, plain) = try (newFixture(), newFixture())
      let observations = observing(fixture)
      let numbers = Counter()
      return Contest(
        ours: { count in
          withExtendedLifetime(observations) {
            time { for _ in 0..<count { Defaults[fixture.count] = numbers.next() } }
          }
        },
        peers: [
          Peer("ours without observers") { count in
            time { for _ in 0..<count { Defaults[plain.count] = numbers.next() } }
          }
        ])
    }
  }

  private func newFixture() throws -> Fixture { try fixtures.own(Entries.mixed(Self.size)) }

  private static func observe(
    _ key: Defaults.Key<Int>, times: Int
  ) -> [any Defaults.Observation] {
    (0..<times).map { _ in Defaults.observe(key, options: []) { use($0.newValue) } }
  }

  private var latency: Line {
    .contest("set to the body of `for await` of updates", size: Self.size) {
      let sides = try Sides(newFixture(), plain: newFixture())
      func work(_ reader: Reader, _ send: @escaping (Int) -> Void) -> Work {
        { count in
          var total = 0
          for _ in 0..<count {
            let value = sides.numbers.next()
            reader.expect(value)
            let start = MonotonicTime.now
            send(value)
            total += reader.arrival() - start
          }
          return total
        }
      }
      return Contest(
        ours: work(sides.ofUpdates, sides.set),
        peers: [
          // The time that the reader's thread has slept affects the cost of waking it.
          Peer(
            "set without a reader, and a bare AsyncStream yield",
            work: work(sides.ofStream) {
              sides.setUnread($0)
              sides.yield($0)
            }),
          Peer("bare AsyncStream yield", work: work(sides.ofStream, sides.yield)),
        ])
    }
  }

  private var throughput: Line {
    .contest("updates, per set, until the last one is read", size: Self.size) {
      let sides = try Sides(newFixture(), plain: newFixture())
      func work(_ reader: Reader, _ send: @escaping (Int) -> Void) -> Work {
        { count in
          reader.expect(sides.numbers.value + count)
          let start = MonotonicTime.now
          for _ in 0..<count { send(sides.numbers.next()) }
          return reader.arrival() - start
        }
      }
      return Contest(
        ours: work(sides.ofUpdates, sides.set),
        peers: [
          Peer("ours without a reader") { count in
            time { for _ in 0..<count { sides.setUnread(sides.numbers.next()) } }
          },
          Peer("bare AsyncStream yield", work: work(sides.ofStream, sides.yield)),
        ])
    }
  }

  /// A suite with a reader of its updates, one without, and a bare stream with a reader.
  private struct Sides {
    let numbers = Counter()
    let ofUpdates: Reader
    let ofStream: Reader
    private let fixture: Fixture
    private let plain: Fixture
    private let continuation: AsyncStream<Int>.Continuation

    init(_ fixture: Fixture, plain: Fixture) {
      self.fixture = fixture
      self.plain = plain
      ofUpdates = Reader(of: Defaults.updates(fixture.count, initial: false))
      // The buffer size of updates.
      let (stream, continuation) = AsyncStream.makeStream(
        of: Int.self, bufferingPolicy: .bufferingNewest(64))
      ofStream = Reader(of: stream)
      self.continuation = continuation
    }

    func set(_ value: Int) { Defaults[fixture.count] = value }

    func setUnread(_ value: Int) { Defaults[plain.count] = value }

    func yield(_ value: Int) { continuation.yield(value) }
  }

  /// A task that reads a stream and signals the arrival of a value.
  private final class Reader: Sendable {
    private let core: Core
    private let task: Task<Void, Never>

    private final class Core: Sendable {
      let expected = Atomic<Int>(0)
      let time = Atomic<Int>(0)
      let isHere = DispatchSemaphore(value: 0)
    }

    init(of stream: AsyncStream<Int>) {
      let core = Core()
      self.core = core
      task = Task.detached {
        for await value in stream where value == core.expected.load(ordering: .acquiring) {
          core.time.store(MonotonicTime.now, ordering: .releasing)
          core.isHere.signal()
        }
      }
    }

    deinit { task.cancel() }

    func expect(_ value: Int) { core.expected.store(value, ordering: .releasing) }

    /// The time at which the expected value arrived.
    func arrival() -> Int {
      core.isHere.wait()
      return core.time.load(ordering: .acquiring)
    }
  }
}
