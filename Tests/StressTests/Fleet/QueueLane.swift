import Foundation
import Harness
import Synchronization

/// A program of the queue campaign, which is killed at times, and the proxy between it and the
/// cluster.
final class QueueLane {
  struct Result: Sendable {
    let process: Int
    var record: QueueRecord
    var deeds = 0
    var kills = 0
    /// The time of the last kill.
    var lastKill = 0
    var problems: [String] = []
  }

  private let process: Int
  private let folder: URL
  private let end: Int
  private let proxy: TroubledProxy
  private var random: SeededGenerator
  private var result: Result

  init(process: Int, folder: URL, port: Int, seed: UInt64, end: Int) throws {
    self.process = process
    self.folder = folder
    self.end = end
    proxy = try TroubledProxy(to: port)
    random = SeededGenerator(seed: seed, lane: 7_000 + process)
    result = Result(process: process, record: QueueRecord(process: process))
  }

  func run() -> Result {
    defer { proxy.close() }
    do {
      while MonotonicTime.now < end { try runProgram() }
    } catch {
      result.problems.append("program \(process): \(error)")
    }
    result.problems += result.record.others.prefix(5)
    return result
  }

  /// Starts the program, and causes network failures until it is killed or the run ends.
  private func runProgram() throws {
    let child = try Child(
      ChildCommand.arguments(
        "queue", .defaults, folder, process, proxy.port,
        Int.random(in: 0..<1_000_000, using: &random)), patience: 120)
    let isRead = DispatchSemaphore(value: 0)
    let reader = Reader(record: result.record)
    // From now on, only the thread uses the output.
    nonisolated(unsafe) let output = child.output
    Thread.detachNewThread {
      reader.read(output)
      isRead.signal()
    }
    var isKilled = false
    while MonotonicTime.now < end, !isKilled {
      try trouble()
      isKilled = random.happens(percent: 12)
    }
    if isKilled, MonotonicTime.now < end {
      // A failure is likely here, so that the next start has a queue.
      if random.happens(percent: 50) { proxy.mode = .droppingAnswers }
      usleep(UInt32.random(in: 0...700_000, using: &random))
      child.kill()
      result.kills += 1
      result.lastKill = MonotonicTime.now
      isRead.wait()
    } else {
      calm()
      child.send("e")
      isRead.wait()
      let ending = child.wait()
      if ending != .exited(0) { result.problems.append("program \(process) ended: \(ending)") }
    }
    result.record = reader.record
  }

  private func trouble() throws {
    switch Int.random(in: 0..<10, using: &random) {
    case 0..<6: proxy.mode = .droppingAnswers
    case 6: proxy.mode = .dropping
    case 7: proxy.mode = .cutting
    default: proxy.mode = .delaying(Int.random(in: 20...400, using: &random))
    }
    result.deeds += 1
    usleep(UInt32.random(in: 50_000...1_500_000, using: &random))
    calm()
    usleep(UInt32.random(in: 50_000...1_000_000, using: &random))
  }

  private func calm() {
    // Connections with dropped data can't continue.
    proxy.mode = .cutting
    proxy.mode = .passing
  }

  /// Reads the output of the program.
  private final class Reader: Sendable {
    private let state: Mutex<QueueRecord>

    init(record: QueueRecord) { state = Mutex(record) }

    var record: QueueRecord { state.withLock { $0 } }

    func read(_ output: LineReader) {
      while let line = try? output.next() { state.withLock { $0.take(line) } }
    }
  }
}
