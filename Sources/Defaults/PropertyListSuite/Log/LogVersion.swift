/// The time of a change in microseconds since 1970, by a clock that never goes backward.
///
/// A hybrid logical clock (Kulkarni and others, "Logical Physical Clocks", 2014): the wall clock
/// or, if the clock is behind, one more than the latest known version.
package struct LogVersion: Hashable, Comparable, Sendable {
  package let microseconds: UInt64

  /// The version before all others.
  package static let zero = Self(0)

  /// The beginning of the year 2500. No clock is that wrong by accident, so a record with a later
  /// version is damaged, and the counter can't overflow.
  static let limit = Self(16_725_225_600_000_000)

  init(_ microseconds: UInt64) { self.microseconds = microseconds }

  /// Creates the version of a change that is made now.
  init(clock: Self, after latest: Self) {
    self = min(Self.limit, max(clock, Self(latest.microseconds + 1)))
  }

  package static func < (left: Self, right: Self) -> Bool { left.microseconds < right.microseconds }
}
