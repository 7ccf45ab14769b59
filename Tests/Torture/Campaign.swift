/// One part of the harness: tries something very often, and tells in rows what was lost.
protocol Campaign {
  /// What `--filter` selects it by.
  var name: String { get }

  /// Tries it as often as the scale says. The same seed makes the same choices; what the scheduler
  /// of the system does with them differs. Throws if it can't be tried.
  func run(scale: Scale, seed: UInt64) throws -> [Row]
}

/// How long a campaign may be: 1 is the usual one, which takes two minutes with all others.
struct Scale {
  let factor: Double

  /// A number of tries, of which the usual campaign makes so many.
  func count(_ usual: Int, atLeast minimum: Int = 1) -> Int {
    max(minimum, Int((Double(usual) * factor).rounded()))
  }

  /// The sizes of rounds that have a fixed size: one shorter round, or several full ones.
  func rounds(of size: Int, atLeast minimum: Int) -> [Int] {
    guard factor >= 1 else { return [count(size, atLeast: minimum)] }
    return Array(repeating: size, count: Int(factor.rounded()))
  }
}
