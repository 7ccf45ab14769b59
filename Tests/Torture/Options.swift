/// What the command line asks for.
struct Options {
  var minutes = Self.usualMinutes
  var seed: UInt64 = Self.usualSeed
  var filter: String?
  /// Leaves the files where they are.
  var keeps = false

  static let usualMinutes = 2.0
  static let usualSeed: UInt64 = 20_260_101
  /// About ten seconds.
  static let shortMinutes = 0.15

  static let usage = """
    usage: Torture [--minutes N] [--seed S] [--filter ROW] [--short] [--keep]

      --minutes N   about how long all rows take together; usually \(usualMinutes)
      --seed S      which random choices are made; usually \(usualSeed)
      --filter ROW  only the campaigns whose names contain this
      --short       about ten seconds in all
      --keep        leaves the files in place, and says where they are

    Exits with 1 if anything was lost, with 64 if it wasn't called like this.
    """

  init(_ arguments: [String]) throws {
    var arguments = arguments[...]
    while let option = arguments.popFirst() {
      switch option {
      case "--short": minutes = Self.shortMinutes
      case "--keep": keeps = true
      case "--minutes": minutes = try Self.number(after: option, &arguments)
      case "--seed": seed = try Self.number(after: option, &arguments)
      case "--filter":
        guard let word = arguments.popFirst() else {
          throw TortureError("--filter needs the name of a campaign")
        }
        filter = word
      default: throw TortureError("There is no option \(option)")
      }
    }
    guard minutes > 0, minutes.isFinite else { throw TortureError("--minutes must be above 0") }
  }

  private static func number<Number: LosslessStringConvertible>(
    after option: String, _ arguments: inout ArraySlice<String>
  ) throws -> Number {
    guard let word = arguments.popFirst(), let number = Number(word) else {
      throw TortureError("\(option) needs a number")
    }
    return number
  }

  var scale: Scale { Scale(factor: minutes / Self.usualMinutes) }

  /// The command that runs one campaign as it was run.
  func command(repeating name: String) -> String {
    let length = minutes == Self.usualMinutes ? "" : " --minutes \(minutes)"
    return "swift run -c release Torture\(length) --seed \(seed) --filter \(name)"
  }
}
