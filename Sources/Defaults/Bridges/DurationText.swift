/// Durations as text for people: `1h 30m`, `-2.5s`, `250ms`, or a number of seconds.
package enum DurationText {
  /// The units in which a text is written, in seconds.
  private static let written: [(name: String, seconds: UInt64)] = [("h", 3_600), ("m", 60)]

  /// The units that can be read, in attoseconds.
  private static let read: [String: Int128] = [
    "d": 86_400_000_000_000_000_000_000, "h": 3_600_000_000_000_000_000_000,
    "m": 60_000_000_000_000_000_000, "min": 60_000_000_000_000_000_000,
    "s": 1_000_000_000_000_000_000, "ms": 1_000_000_000_000_000, "us": 1_000_000_000_000,
    "µs": 1_000_000_000_000, "ns": 1_000_000_000,
  ]

  /// Returns hours, minutes and seconds with all digits of the fraction: `1h 30m 0.25s`; nil if the
  /// seconds don't fit 64 bits.
  package static func text(of duration: Duration) -> String? {
    guard let digits = Defaults.DurationBridge.text(of: duration) else { return nil }
    let isNegative = digits.hasPrefix("-")
    let parts = digits.dropFirst(isNegative ? 1 : 0).split(separator: ".")
    guard let whole = parts.first, var seconds = UInt64(whole) else { return nil }
    var words: [String] = []
    for unit in written where seconds >= unit.seconds {
      words.append("\(seconds / unit.seconds)\(unit.name)")
      seconds %= unit.seconds
    }
    if seconds > 0 || parts.count == 2 || words.isEmpty {
      words.append("\(seconds)\(parts.count == 2 ? ".\(parts[1])" : "")s")
    }
    return (isNegative ? "-" : "") + words.joined(separator: " ")
  }

  /// Returns the duration of such a text, with units in any order; nil for any other text, or for
  /// parts of an attosecond.
  package static func duration(_ text: String) -> Duration? {
    if let seconds = Defaults.DurationBridge.duration(text) { return seconds }
    let isNegative = text.first == "-"
    var rest = text.dropFirst(isNegative ? 1 : 0)
    var sum: Int128 = 0
    while !rest.isEmpty {
      let number = rest.prefix { ("0"..."9").contains($0) || $0 == "." }
      rest = rest.dropFirst(number.count).drop { $0 == " " }
      let name = rest.prefix { $0.isLetter }
      rest = rest.dropFirst(name.count).drop { $0 == " " }
      guard let unit = read[String(name)], let part = product(number, unit) else { return nil }
      let (total, isOver) = sum.addingReportingOverflow(part)
      guard !isOver else { return nil }
      sum = total
    }
    guard text.count > (isNegative ? 1 : 0) else { return nil }
    return Defaults.DurationBridge.duration(ofAttoseconds: isNegative ? -sum : sum)
  }

  /// Returns the product of a decimal number and a unit; nil if it has parts of an attosecond.
  private static func product(_ number: Substring, _ unit: Int128) -> Int128? {
    let parts = number.split(separator: ".", omittingEmptySubsequences: false)
    let fraction = parts.count == 2 ? parts[1] : ""
    guard (1...2).contains(parts.count), !parts[0].isEmpty, parts.count == 1 || !fraction.isEmpty,
      let digits = Int128(parts[0] + fraction), fraction.count < 30
    else { return nil }
    let (product, isOver) = digits.multipliedReportingOverflow(by: unit)
    let divisor = (0..<fraction.count).reduce(Int128(1)) { power, _ in power * 10 }
    guard !isOver, product % divisor == 0 else { return nil }
    return product / divisor
  }
}
