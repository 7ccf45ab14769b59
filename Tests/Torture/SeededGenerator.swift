import Mutation

/// The same numbers for the same seed, on every machine.
struct SeededGenerator: RandomNumberGenerator {
  private var numbers: SplitMix64

  /// Seeds of neighbouring lanes give unrelated numbers.
  init(seed: UInt64, lane: Int = 0) {
    numbers = SplitMix64(state: seed)
    for _ in 0...lane { numbers = SplitMix64(state: numbers.next()) }
  }

  mutating func next() -> UInt64 {
    numbers.next()
  }

  /// True in so many of a hundred cases.
  mutating func happens(percent: Int) -> Bool {
    Int.random(in: 0..<100, using: &self) < percent
  }
}
