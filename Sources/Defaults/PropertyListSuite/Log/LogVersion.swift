/// The time of a change: microseconds since 1970, by a clock that never goes back.
///
/// A hybrid logical clock (Kulkarni and others, "Logical Physical Clocks", 2014): the wall clock, or
/// one more than the latest version that is known where the wall clock is behind it.
package struct LogVersion: Hashable, Comparable, Sendable {
  package let microseconds: UInt64

  /// The version before all others.
  package static let zero = Self(0)

  /// The first microsecond of the year 2500. No clock is that wrong by accident, so a record with
  /// a later version is damaged; the counter can't overflow.
  static let limit = Self(16_725_225_600_000_000)

  init(_ microseconds: UInt64) { self.microseconds = microseconds }

  /// The version of a change that is made now.
  init(clock: Self, after latest: Self) {
    self = min(Self.limit, max(clock, Self(latest.microseconds + 1)))
  }

  package static func < (left: Self, right: Self) -> Bool { left.microseconds < right.microseconds }
}
