/// A stress test, which repeats an action very often and counts the losses in rows.
protocol Campaign {
  /// The name, which `--filter` selects.
  var name: String { get }

  /// Runs the campaign in the length of the scale. The same seed makes the same choices, but the
  /// system's scheduler may order them differently. Throws if the campaign can't run.
  func run(scale: Scale, seed: UInt64) throws -> [Row]
}

/// The length of a campaign: 1 is the default, in which all campaigns together take five minutes.
struct Scale {
  let factor: Double
  /// The seconds for a single campaign; nil if it is one of several.
  var seconds: Double?
  /// The number of tries of a campaign that isn't limited by time; nil for the scale's default.
  var tries: Int?

  /// Scales a default number of tries.
  func count(_ usual: Int, atLeast minimum: Int = 1) -> Int {
    max(minimum, Int((Double(usual) * factor).rounded()))
  }

  /// Scales a default number of seconds.
  func seconds(_ usual: Double, atLeast minimum: Double) -> Double {
    max(minimum, seconds ?? usual * factor)
  }

  /// The number of rounds of a fixed size, by default one.
  var rounds: Int { count(1) }

  /// Whether `UserDefaults` is tested for comparison. A short campaign has no time for it.
  var hasReference: Bool { factor >= 0.25 }
}
