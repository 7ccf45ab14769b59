import Harness

/// What the command line asks for.
struct Options {
  var minutes = Self.usualMinutes
  var seed: UInt64 = Self.usualSeed
  var filter: String?
  /// How many tries a campaign makes that goes by their number.
  var count: Int?
  /// Leaves the files where they are.
  var keeps = false
  /// The package whose texts quote the figures.
  var package: String?

  static let usualMinutes = 5.0
  static let usualSeed: UInt64 = 20_260_101
  /// About half a minute.
  static let shortMinutes = 0.375

  static let usage = """
    usage: Torture [--minutes N] [--seed S] [--filter ROW] [--count N] [--short] [--keep]
                   [--record PACKAGE]
           Torture simulate FIRST COUNT [RULE] | replay SEED [RULE] | shrink SEED [RULE]

      --minutes N   about how long all rows take together; usually \(usualMinutes)
      --seed S      which random choices are made; usually \(usualSeed)
      --filter ROW  only the campaigns whose names contain this
      --count N     how many schedules the simulation runs
      --short       about half a minute in all
      --record PACKAGE  puts the figures into Tests/numbers.json of the package in this
                        folder, and into its texts
      --keep        leaves the files in place, and says where they are

    Exits with 1 if anything was lost, with 64 if it wasn't called like this.
    """

  init(_ arguments: [String]) throws {
    var words = Words(arguments)
    while let option = words.next() {
      switch option {
      case "--short": minutes = Self.shortMinutes
      case "--keep": keeps = true
      case "--record": package = try words.word(after: option)
      case "--minutes": minutes = try words.number(after: option)
      case "--seed": seed = try words.number(after: option)
      case "--count": count = try words.number(after: option)
      case "--filter": filter = try words.word(after: option)
      default: throw HarnessError("There is no option \(option)")
      }
    }
    guard minutes > 0, minutes.isFinite else { throw HarnessError("--minutes must be above 0") }
    guard count ?? 1 > 0 else { throw HarnessError("--count must be above 0") }
  }

  /// How long the campaigns are; `ofOne` if there is only one, which has all the time.
  func scale(ofOne isAlone: Bool) -> Scale {
    Scale(
      factor: minutes / Self.usualMinutes, seconds: isAlone ? minutes * 60 : nil, tries: count)
  }

  /// The command that runs one campaign as it was run.
  func command(repeating name: String) -> String {
    let length = minutes == Self.usualMinutes ? "" : " --minutes \(minutes)"
    return "swift run -c release Torture\(length) --seed \(seed) --filter \(name)"
  }
}
