/// One part of the harness: tries something very often, and tells in rows what was lost.
protocol Campaign {
  /// What `--filter` selects it by.
  var name: String { get }

  /// Tries it as often as the scale says. The same seed makes the same choices; what the scheduler
  /// of the system does with them differs. Throws if it can't be tried.
  func run(scale: Scale, seed: UInt64) throws -> [Row]
}

/// How long a campaign may be: 1 is the usual one, which takes five minutes with all others.
struct Scale {
  let factor: Double
  /// How many seconds a campaign has that is the only one; nil for one among others.
  var seconds: Double?
  /// How many tries a campaign makes that goes by their number; nil for as many as the scale says.
  var tries: Int?

  /// A number of tries, of which the usual campaign makes so many.
  func count(_ usual: Int, atLeast minimum: Int = 1) -> Int {
    max(minimum, Int((Double(usual) * factor).rounded()))
  }

  /// How many seconds a campaign may take that goes by time, of which it takes so many usually.
  func seconds(_ usual: Double, atLeast minimum: Double) -> Double {
    max(minimum, seconds ?? usual * factor)
  }

  /// How many rounds of a fixed size, of which the usual campaign makes one.
  var rounds: Int { count(1) }

  /// Whether `UserDefaults` is tried beside this library; a short campaign has no time for it.
  var hasReference: Bool { factor >= 0.25 }
}
