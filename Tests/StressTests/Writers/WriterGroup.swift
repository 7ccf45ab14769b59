import Foundation
import Harness

/// Several processes that start to write at the same time.
struct WriterGroup {
  /// The seconds from the start signal to the end of the last process.
  let seconds: Double
  /// The failures of the processes.
  let failures: [String]

  static let size = 8

  /// Runs processes to their end. The closure returns the arguments of a child for its number.
  init(of size: Int = Self.size, in folder: URL, _ arguments: (Int) -> [String]) throws {
    let children = try (0..<size).map {
      try Child(arguments($0), environment: Subject.environment(for: folder))
    }
    var failures: [String] = []
    func collect(_ lines: [String]) {
      failures += lines.filter { $0.hasPrefix("!") }.map { "Issue: \($0.dropFirst(2))" }
    }
    for child in children {
      while let line = try child.output.next(), line != "ready" { collect([line]) }
    }
    let start = MonotonicTime.now
    for child in children { child.send("g") }
    for (number, child) in children.enumerated() {
      collect(try child.output.rest())
      let ending = child.wait()
      if ending != .exited(0) { failures.append("Writer \(number) ended with \(ending)") }
    }
    seconds = MonotonicTime.seconds(since: start)
    self.failures = failures
  }
}
