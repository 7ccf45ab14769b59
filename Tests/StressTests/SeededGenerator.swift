import FuzzInputs

/// A generator with the same numbers for the same seed on every machine.
struct SeededGenerator: RandomNumberGenerator {
  private var numbers: SplitMix64

  /// Consecutive lanes get unrelated numbers.
  init(seed: UInt64, lane: Int = 0) {
    numbers = SplitMix64(state: seed)
    for _ in 0...lane { numbers = SplitMix64(state: numbers.next()) }
  }

  mutating func next() -> UInt64 {
    numbers.next()
  }

  /// Returns true with a probability in percent.
  mutating func happens(percent: Int) -> Bool {
    Int.random(in: 0..<100, using: &self) < percent
  }
}
