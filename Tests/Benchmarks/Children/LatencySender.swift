import Defaults
import Foundation

/// Sets values, or writes bytes, each as soon as the one before has arrived.
struct LatencySender {
  let folder: URL

  /// How many of a kind come after each other. The kinds take turns, so that both see the machine
  /// in the same moods.
  private static let blockSize = 25
  private static let blocksPerRound = 5

  /// Tells the medians of both kinds, of each round.
  func run(rounds: Int) throws {
    let files = try LatencyFiles(folder: folder)
    _ = try LatencyFiles.Answer.time(of: LatencyFiles.Answer.ready)
    for round in 0...rounds {
      var sets: [Double] = [], bare: [Double] = []
      for _ in 0..<Self.blocksPerRound {
        for _ in 0..<Self.blockSize { sets.append(try timeSet(files)) }
        for _ in 0..<Self.blockSize { bare.append(try timeBare(files)) }
      }
      // The first one warms up.
      guard round > 0 else { continue }
      print("set \(Contest.median(sets))")
      print("bare \(Contest.median(bare))")
    }
  }

  private func timeSet(_ files: LatencyFiles) throws -> Double {
    let start = MonotonicTime.now
    files.suite[files.key] = start
    return Double(try LatencyFiles.Answer.time(of: start) - start)
  }

  private func timeBare(_ files: LatencyFiles) throws -> Double {
    let start = MonotonicTime.now
    guard write(files.bareFile, "x", 1) == 1 else { throw BenchmarkError("A byte isn't written") }
    return Double(try LatencyFiles.Answer.time(of: LatencyFiles.Answer.bare) - start)
  }
}
