import Defaults
import Foundation
import Harness

/// The effect of running transactions and of other processes on a set or an update.
struct BodyLines {
  let fixtures: Fixtures

  private static let size = 10
  private static let samples = 4_000

  var lines: [Line] {
    [
      besideStoppedBody("set while another process is stopped in a body, p99") { suite, number in
        suite[Self.own] = number
      },
      besideStoppedBody("update while another process is stopped in a body, p99") { suite, _ in
        try suite.update(Self.own) { $0 += 1 }
      },
      besideThread, crowd,
    ]
  }

  private static let own = Defaults.Key("own", default: 0)
  private static let other = Defaults.Key("other", default: 0)

  // MARK: - During a body

  private func besideStoppedBody(
    _ name: String, _ work: @escaping (Defaults.PropertyListSuite, Int) throws -> Void
  ) -> Line {
    Line(name: name, size: Self.size) { rounds in
      let file = try fixtures.scratch.newFolder("stopped").appending(path: "suite.plist")
      let suite = try Self.suite(file)
      let child = try Child(ChildCommand.arguments(["stop", file.path]))
      guard child.waitForStop() else { throw HarnessError("The child didn't stop") }
      let times = try (0..<rounds * Self.samples).map { number in
        try time { try work(suite, number) }
      }
      child.resume()
      guard child.wait() == .exited(0) else { throw HarnessError("The child failed") }
      return [Self.row(name, times, limit: 1_000_000, "1 ms")]
    }
  }

  private var besideThread: Line {
    let name = "set while another thread's body takes 100 ms, p99"
    return Line(name: name, size: Self.size) { rounds in
      let file = try fixtures.scratch.newFolder("thread").appending(path: "suite.plist")
      let suite = try Self.suite(file)
      var times: [Int] = []
      for _ in 0..<rounds {
        let (isInside, end) = (DispatchSemaphore(value: 0), Background.Result())
        Thread.detachNewThread {
          var runs = 0
          try? suite.update(Self.other) { value in
            runs += 1
            value += 1
            isInside.signal()
            usleep(100_000)
          }
          end.deliver(runs)
        }
        isInside.wait()
        let start = MonotonicTime.now
        while MonotonicTime.now - start < 90_000_000 {
          times.append(time { suite[Self.own] = times.count })
        }
        guard end.wait() == 1 else { throw HarnessError("The body ran more than once") }
      }
      return [Self.row(name, times, limit: 100_000, "0.1 ms")]
    }
  }

  /// A row whose peer is a limit.
  private static func row(_ name: String, _ times: [Int], limit: Double, _ words: String) -> Row {
    let sorted = times.sorted()
    return Row(
      line: name, size: size, ours: Double(sorted[sorted.count * 99 / 100]), peer: limit,
      peerName: words, unit: .nanoseconds, bar: .faster(1))
  }

  /// A suite with some entries.
  private static func suite(_ file: URL) throws -> Defaults.PropertyListSuite {
    let suite = try Defaults.PropertyListSuite(url: file)
    for (name, entry) in Entries.mixed(size) { suite.set(entry, forKey: name) }
    return suite
  }

  /// A process that stops in the body of its transaction, and commits after it is resumed.
  static func stop(in file: URL) throws {
    let suite = try Defaults.PropertyListSuite(url: file)
    try suite.update(other) { value in
      value += 1
      raise(SIGSTOP)
    }
  }

  // MARK: - Many processes

  private static let processes = 8

  /// Eight processes that set a key each as often as possible.
  private var crowd: Line {
    let name = "set by 8 processes, a key each, time for one of all sets"
    return Line(name: name, size: Self.size) { rounds in
      let (many, one) = try Self.medians(rounds) { count, processes in
        let file = try fixtures.scratch.newFolder("crowd").appending(path: "suite.plist")
        _ = try Self.suite(file)
        let children = try (0..<processes).map { number in
          try Child(
            ChildCommand.arguments(["loop", file.path, "\(number)", "\(count / processes)"]))
        }
        for child in children { _ = try child.output.next() }
        let start = MonotonicTime.now
        for child in children { child.send("g") }
        for child in children { _ = try child.output.next() }
        let length = MonotonicTime.now - start
        for child in children where child.wait() != .exited(0) {
          throw HarnessError("A child failed")
        }
        return Double(length) / Double(count)
      }
      return [
        Row(
          line: name, size: Self.size, ours: many, peer: one, peerName: "one process alone",
          unit: .nanoseconds, bar: .atMost(1.25))
      ]
    }
  }

  private static func medians(
    _ rounds: Int, _ measure: (_ count: Int, _ processes: Int) throws -> Double
  ) throws -> (many: Double, one: Double) {
    var (many, one): ([Double], [Double]) = ([], [])
    for _ in 0..<max(3, rounds) {
      many.append(try measure(200_000, processes))
      one.append(try measure(200_000, 1))
    }
    return (Contest.median(many), Contest.median(one))
  }

  /// One of the processes.
  static func loop(in file: URL, number: Int, count: Int) throws {
    let suite = try Defaults.PropertyListSuite(url: file)
    let key = Defaults.Key("key\(number)", default: 0)
    let parent = Parent()
    suite[key] = -1
    parent.tell("ready")
    parent.awaitStart()
    for number in 0..<count { suite[key] = number }
    parent.tell("done")
  }
}
