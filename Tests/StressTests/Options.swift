import Harness

/// The options of the command line.
struct Options {
  var minutes = Self.usualMinutes
  var seed: UInt64 = Self.usualSeed
  var filter: String?
  /// The number of tries of a campaign that isn't limited by time.
  var count: Int?
  /// Keeps the files of the run.
  var keeps = false
  /// The package whose pages quote the figures.
  var package: String?

  static let usualMinutes = 5.0
  static let usualSeed: UInt64 = 20_260_101
  /// Three to four minutes in all, since some campaigns have a least length.
  static let shortMinutes = 0.2

  static let usage = """
    usage: StressTests [--minutes N] [--seed S] [--filter ROW] [--count N] [--short] [--keep]
                   [--record PACKAGE]
           StressTests simulate FIRST COUNT [RULE] | replay SEED [RULE] | shrink SEED [RULE]

      --minutes N   the approximate time of all rows together; by default \(usualMinutes)
      --seed S      the seed of random choices; by default \(usualSeed)
      --filter ROW  runs only the campaign of this name or, without one, those that contain it
      --count N     the number of schedules of the simulation
      --short       takes three to four minutes in all
      --record PACKAGE  writes the figures into Tests/numbers.json and the pages of the
                        package in this folder
      --keep        keeps the files and prints their folder
      --help        prints this help

    Exits with 1 if anything was lost, with 64 for wrong arguments.
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

  /// The length of the campaigns. With `ofOne` there is only one, which gets all the time.
  func scale(ofOne isAlone: Bool) -> Scale {
    Scale(
      factor: minutes / Self.usualMinutes, seconds: isAlone ? minutes * 60 : nil, tries: count)
  }

  /// The command that repeats a campaign.
  func command(repeating name: String) -> String {
    let length = minutes == Self.usualMinutes ? "" : " --minutes \(minutes)"
    return "swift run -c release StressTests\(length) --seed \(seed) --filter \(name)"
  }
}
