import Harness

/// What the command line asks for.
struct Options {
  var rounds = Self.usualRounds
  var filter: String?
  /// Where the figures go, and the chart.
  var json: String?
  var chart: String?
  /// The package whose texts quote the figures, and what to say of the machine.
  var package: String?
  var note: String?
  /// Whether a bar that isn't reached is an error.
  var checks = false
  var wantsHelp = false

  static let usualRounds = 9

  static let usage = """
    usage: Benchmarks [--filter TEXT] [--rounds N] [--json FILE] [--chart FILE]
                      [--record PACKAGE] [--note TEXT] [--check]

      --filter TEXT  only the lines whose name and size, as in "set of a changed Int 1000",
                     contain this
      --rounds N     how often each line is measured; usually \(usualRounds)
      --json FILE    writes the figures, in nanoseconds or bytes
      --chart FILE   draws six of the ratios as an SVG
      --record PACKAGE  puts the figures into Tests/numbers.json of the package in this
                        folder, and into its texts; without a filter, the chart too
      --note TEXT    is written there, too: what is to be known of the machine
      --check        exits with 1 if a bar isn't reached
      --help         says this

    A ratio is the peer's figure divided by ours: above 1, ours is better. Build with
    `-c release`. Exits with 64 if it wasn't called like this.
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
