import Harness

/// The options of the command line.
struct Options {
  var rounds = Self.usualRounds
  var filter: String?
  /// The paths for the figures and for the chart.
  var json: String?
  var chart: String?
  /// The package whose pages quote the figures, and a note about the machine.
  var package: String?
  var note: String?
  /// Whether a missed bar is an error.
  var checks = false
  var wantsHelp = false

  static let usualRounds = 9

  static let usage = """
    usage: Benchmarks [--filter TEXT] [--rounds N] [--json FILE] [--chart FILE]
                      [--record PACKAGE] [--note TEXT] [--check]

      --filter TEXT  measures only lines whose name and size contain the text, such as
                     "set of a changed Int 1000"
      --rounds N     the number of measurements per line; by default \(usualRounds)
      --json FILE    writes the figures in nanoseconds or bytes
      --chart FILE   draws six of the ratios as an SVG
      --record PACKAGE  writes the figures into Tests/numbers.json and the pages of the
                        package in this folder and, without a filter, draws the chart
      --note TEXT    adds a note about the machine to the recorded figures
      --check        exits with 1 if a bar is missed
      --help         prints this help

    A ratio is the peer's figure divided by ours: above 1, ours is better. Build with
    `-c release`. Exits with 64 for wrong arguments.
    """

  init(_ arguments: [String]) throws {
    var words = Words(arguments)
    while let option = words.next() {
      switch option {
      case "--help", "-h": wantsHelp = true
      case "--check": checks = true
      case "--filter": filter = try words.word(after: option)
      case "--json": json = try words.word(after: option)
      case "--chart": chart = try words.word(after: option)
      case "--record": package = try words.word(after: option)
      case "--note": note = try words.word(after: option)
      case "--rounds":
        rounds = try words.number(after: option)
        guard rounds > 0 else { throw HarnessError("--rounds needs a number above 0") }
      default: throw HarnessError("There is no option \(option)")
      }
    }
  }

  func wants(_ line: Line) -> Bool {
    filter.map { "\(line.name) \(line.size)".contains($0) } ?? true
  }
}
