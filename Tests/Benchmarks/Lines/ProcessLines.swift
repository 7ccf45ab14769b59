import Foundation

/// From a set in one process to the handler in another, beside a bare write and inotify.
///
/// Both processes are tied to cores: left alone, the scheduler moves them, and the figures jump
/// between those of one placement and the other.
struct ProcessLines {
  let fixtures: Fixtures

  private static let size = 10

  var lines: [Line] {
    #if canImport(Darwin)
      return []
    #else
      let two = ProcessInfo.processInfo.activeProcessorCount > 1
      return [line("both on one core", listener: 0, sender: 0)]
        + (two ? [line("each on a core of its own", listener: 0, sender: 1)] : [])
    #endif
  }

  private func line(_ placement: String, listener: Int, sender: Int) -> Line {
    let name = "another process's change to our handler, \(placement)"
    return Line(name: name, size: Self.size) { rounds in
      let folder = try fixtures.scratch.newFolder("latency")
      let answers = Pipe()
      let listening = try Child(
        ["listen", folder.path, "\(listener)"], output: answers)
      defer { listening.end() }
      let sending = try Child(
        ["send", folder.path, "\(sender)", "\(rounds)"], input: answers)
      // Ends of the pipe that stay open here would hide that a child is gone.
      try answers.fileHandleForReading.close()
      try answers.fileHandleForWriting.close()
      let lines = try sending.lines()
      func median(_ word: String) throws -> Double {
        let figures = lines.filter { $0.hasPrefix(word) }
          .compactMap { Double($0.dropFirst(word.count)) }
        guard figures.count == rounds else { throw BenchmarkError("\(name): \(lines)") }
        return Contest.median(figures)
      }
      return [
        Row(
          line: name, size: Self.size, ours: try median("set "), peer: try median("bare "),
          peerName: "bare write and inotify", unit: .nanoseconds, bar: .atMost(2))
      ]
    }
  }
}
