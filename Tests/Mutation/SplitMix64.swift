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

  /// One of the elements; the caller knows that there are some.
  package mutating func pick<Elements: RandomAccessCollection>(
    _ elements: Elements
  ) -> Elements.Element {
    elements[elements.index(elements.startIndex, offsetBy: below(elements.count))]
  }

  /// A number from 0 up to, but not including, the limit, or 0 if there is none; the tiny bias of
  /// the remainder doesn't matter here, and it is much faster than without.
  package mutating func below(_ limit: Int) -> Int {
    limit < 2 ? 0 : Int(truncatingIfNeeded: next() % UInt64(limit))
  }

  /// True once in so many times.
  package mutating func oneIn(_ count: Int) -> Bool { below(count) == 0 }
}
