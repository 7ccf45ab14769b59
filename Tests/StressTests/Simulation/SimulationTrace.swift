/// The steps of one schedule, as lines of text.
final class SimulationTrace {
  private(set) var lines: [String] = []

  func add(_ step: Int, _ thread: String, _ text: String) {
    lines.append("\(step) \(thread) \(text)")
  }

  var text: String { lines.map { $0 + "\n" }.joined() }
}
