/// A generator that gives the same numbers in every run.
package struct SplitMix64: RandomNumberGenerator {
  package var state: UInt64

  package init(state: UInt64) { self.state = state }

  package mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }

  /// A random element of a nonempty collection.
  package mutating func pick<Elements: RandomAccessCollection>(
    _ elements: Elements
  ) -> Elements.Element {
    elements[elements.index(elements.startIndex, offsetBy: below(elements.count))]
  }

  /// A number below the limit, or 0 without a limit. The tiny bias of the remainder doesn't matter
  /// here, and avoiding it would be much slower.
  package mutating func below(_ limit: Int) -> Int {
    limit < 2 ? 0 : Int(truncatingIfNeeded: next() % UInt64(limit))
  }

  /// Returns true once in `count` times on average.
  package mutating func oneIn(_ count: Int) -> Bool { below(count) == 0 }
}
