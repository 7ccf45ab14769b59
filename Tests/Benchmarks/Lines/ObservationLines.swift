import Defaults
import Foundation
import Harness
import Synchronization

/// Setting with observers, and how long a value is on its way to a task.
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
      let (fixture, plain) = try (
        fixtures.own(Entries.mixed(Self.size)), fixtures.own(Entries.mixed(Self.size))
      )
      let observations = observing(fixture)
      var value = 0
      func next() -> Int {
        value &+= 1
        return value
      }
      return Contest(
        ours: { count in
          withExtendedLifetime(observations) {
            time { for _ in 0..<count { Defaults[fixture.count] = next() } }
          }
        },
        peers: [
          Peer("ours without observers") { count in
            time { for _ in 0..<count { Defaults[plain.count] = next() } }
          }
        ])
    }
  }

  private static func observe(
    _ key: Defaults.Key<Int>, times: Int
  ) -> [any Defaults.Observation] {
    (0..<times).map { _ in Defaults.observe(key, options: []) { use($0.newValue) } }
  }

  private var latency: Line {
    .contest("set to the body of `for await` of updates", size: Self.size) {
      let (fixture, plain) = try (
        fixtures.own(Entries.mixed(Self.size)), fixtures.own(Entries.mixed(Self.size))
      )
      let ours = Reader(of: Defaults.updates(fixture.count, initial: false))
      let (stream, continuation) = Self.newStream()
      let peer = Reader(of: stream)
      var value = 0
      func work(_ reader: Reader, _ send: @escaping (Int) -> Void) -> Work {
        { count in
          var total = 0
          for _ in 0..<count {
            value += 1
            reader.expect(value)
            let start = MonotonicTime.now
            send(value)
            total += reader.arrival() - start
          }
          return total
        }
      }
      return Contest(
        ours: work(ours) { Defaults[fixture.count] = $0 },
        peers: [
          // How long the reader's thread has slept decides what waking it costs.
          Peer(
            "set without a reader, and a bare AsyncStream yield",
            work: work(peer) {
              Defaults[plain.count] = $0
              continuation.yield($0)
            }),
          Peer("bare AsyncStream yield", work: work(peer) { continuation.yield($0) }),
        ])
    }
  }

  private var throughput: Line {
    .contest("updates, per set, until the last one is read", size: Self.size) {
      let (fixture, plain) = try (
        fixtures.own(Entries.mixed(Self.size)), fixtures.own(Entries.mixed(Self.size))
      )
      let ours = Reader(of: Defaults.updates(fixture.count, initial: false))
      let (stream, continuation) = Self.newStream()
      let peer = Reader(of: stream)
      var value = 0
      func work(_ reader: Reader, _ send: @escaping (Int) -> Void) -> Work {
        { count in
          reader.expect(value + count)
          let start = MonotonicTime.now
          for _ in 0..<count {
            value += 1
            send(value)
          }
          return reader.arrival() - start
        }
      }
      return Contest(
        ours: work(ours) { Defaults[fixture.count] = $0 },
        peers: [
          Peer("ours without a reader") { count in
            time {
              for _ in 0..<count {
                value += 1
                Defaults[plain.count] = value
              }
            }
          },
          Peer("bare AsyncStream yield", work: work(peer) { continuation.yield($0) }),
        ])
    }
  }

  /// With the buffer that updates have.
  private static func newStream() -> (AsyncStream<Int>, AsyncStream<Int>.Continuation) {
    AsyncStream.makeStream(of: Int.self, bufferingPolicy: .bufferingNewest(64))
  }

  /// A task that reads a stream, and tells when a value has arrived.
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

    /// When the value arrived that was expected.
    func arrival() -> Int {
      core.isHere.wait()
      return core.time.load(ordering: .acquiring)
    }
  }
}
