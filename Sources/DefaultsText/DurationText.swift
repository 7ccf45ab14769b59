import Defaults

/// Durations as text for people: `1h 30m`, `-2.5s`, `250ms`.
enum DurationText {
  /// The units in which a text is written, in seconds.
  private static let units: [(name: String, seconds: UInt64)] = [("h", 3_600), ("m", 60)]

  /// Returns hours, minutes and seconds with all digits of the fraction: `1h 30m 0.25s`; nil if the
  /// seconds don't fit 64 bits.
  static func text(of duration: Duration) -> String? {
    guard let digits = Defaults.DurationBridge.text(of: duration) else { return nil }
    let isNegative = digits.hasPrefix("-")
    let parts = digits.dropFirst(isNegative ? 1 : 0).split(separator: ".")
    guard let whole = parts.first, var seconds = UInt64(whole) else { return nil }
    var words: [String] = []
    for unit in units where seconds >= unit.seconds {
      words.append("\(seconds / unit.seconds)\(unit.name)")
      seconds %= unit.seconds
    }
    if seconds > 0 || parts.count == 2 || words.isEmpty {
      words.append("\(seconds)\(parts.count == 2 ? ".\(parts[1])" : "")s")
    }
    return (isNegative ? "-" : "") + words.joined(separator: " ")
  }
}
