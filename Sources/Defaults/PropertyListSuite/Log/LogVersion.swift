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

  /// Returns whether a change was made within the duration before now. A version far after now is
  /// of a clock that was ahead, and doesn't show the time of its change.
  func isRecent(at now: UInt64, within duration: Duration) -> Bool {
    let length = UInt64(min(duration / .microseconds(1), 1e12))
    return microseconds + length > now && microseconds < now + length
  }

  package static func < (left: Self, right: Self) -> Bool { left.microseconds < right.microseconds }
}

// MARK: - Times of files

extension FileVersion {
  /// The modification time; at most ``LogVersion/limit``, and zero before 1970.
  var time: LogVersion {
    let microseconds = modified.seconds.multipliedReportingOverflow(by: 1_000_000)
    guard modified.seconds > 0, !microseconds.overflow else { return .zero }
    let time = LogVersion(UInt64(microseconds.partialValue) + UInt64(modified.nanoseconds) / 1_000)
    return min(time, .limit)
  }
}

extension FileSystem {
  /// Returns the time in microseconds or, if the file system's clock is behind, the time of a file
  /// that was just written. The times of edited files are of that clock.
  func now(atMost written: FileVersion?) -> UInt64 {
    min(now, written?.time.microseconds ?? .max)
  }
}

extension FileTime {
  init(_ version: LogVersion) {
    self.init(
      seconds: Int(version.microseconds / 1_000_000),
      nanoseconds: Int(version.microseconds % 1_000_000) * 1_000)
  }
}
