extension Defaults {
  package struct DurationBridge: PropertyListBridge {
    package init() {}

    package var shape: Shape { .duration }

    package func encode(_ value: Duration) throws(ConversionError) -> PropertyListValue {
      guard let text = Self.text(of: value) else {
        throw ConversionError("the seconds of the duration don't fit into 64 bits")
      }
      // Swift's text of a real has the fewest digits that give the real back. So reading that text
      // gives the duration that was stored, unless its seconds have more digits than a real holds.
      if let seconds = Double(text), Self.duration("\(seconds)") == value { return .real(seconds) }
      return .string(text)
    }

    package func decode(_ stored: PropertyListValue) throws(ConversionError) -> Duration {
      let value: Duration?
      switch stored {
      case .real(let seconds): value = Self.duration("\(seconds)")
      case .integer(let seconds): value = Self.duration("\(seconds)")
      case .unsignedInteger(let seconds): value = Self.duration("\(seconds)")
      case .string(let text): value = Self.duration(inUnits: text)
      default: throw .mismatch(stored, expected: "a number of seconds")
      }
      guard let value else {
        throw ConversionError(
          "\(stored) isn't a number of seconds in the range of Duration, nor a text such as 1h 30m")
      }
      return value
    }

    /// The number of attoseconds in a second. A `Duration` counts attoseconds.
    private static let unit: Int128 = 1_000_000_000_000_000_000

    /// Returns the seconds in decimal with all digits; nil if they don't fit 64 bits.
    package static func text(of value: Duration) -> String? {
      // A duration with more seconds has no components.
      guard value >= .seconds(Int64.min), value <= .seconds(Int64.max) else { return nil }
      let (seconds, attoseconds) = value.components
      var fraction = String((unit + Int128(attoseconds.magnitude))).dropFirst()
      while fraction.last == "0" { fraction.removeLast() }
      let sign = seconds < 0 || attoseconds < 0 ? "-" : ""
      return "\(sign)\(seconds.magnitude)" + (fraction.isEmpty ? "" : ".\(fraction)")
    }

    /// Returns the duration of a decimal number such as `-1.5` or `1e-05`; nil for any other text,
    /// or for parts of an attosecond.
    static func duration(_ text: String) -> Duration? {
      let isNegative = text.hasPrefix("-")
      let halves = text.dropFirst(isNegative ? 1 : 0)
        .split(separator: "e", maxSplits: 1, omittingEmptySubsequences: false)
      guard let exponent = halves.count == 2 ? Int(digits: halves[1]) : 0,
        let number = attoseconds(halves[0], exponent: exponent)
      else { return nil }
      return duration(ofAttoseconds: isNegative ? -number : number)
    }

    /// Returns the number of attoseconds in a decimal number of a unit; nil for any other text, or
    /// for parts of an attosecond.
    private static func attoseconds(
      _ text: Substring, of unit: (factor: Int128, power: Int) = (1, 18), exponent: Int = 0
    ) -> Int128? {
      let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
      let fraction = parts.count == 2 ? parts[1] : ""
      let digits = parts[0] + fraction
      guard !parts[0].isEmpty, parts.count == 1 || !fraction.isEmpty,
        digits.utf8.allSatisfy(\.isDigit), let count = Int128(digits: digits)
      else { return nil }
      if count == 0 { return 0 }
      var (number, isOver) = count.multipliedReportingOverflow(by: unit.factor)
      let (power, isFar) = exponent.subtractingReportingOverflow(fraction.count - unit.power)
      guard !isOver, !isFar else { return nil }
      for _ in 0..<min(power.magnitude, 64) {
        if power > 0 {
          (number, isOver) = number.multipliedReportingOverflow(by: 10)
          guard !isOver else { return nil }
        } else {
          guard number % 10 == 0 else { return nil }
          number /= 10
        }
      }
      return number
    }

    /// Returns nil if the seconds don't fit 64 bits.
    private static func duration(ofAttoseconds number: Int128) -> Duration? {
      Int64(exactly: number / unit).map {
        Duration(secondsComponent: $0, attosecondsComponent: Int64(number % unit))
      }
    }
  }
}

// MARK: - Units

extension Defaults.DurationBridge {
  /// The units that can be read, in attoseconds: a factor and a power of ten.
  private static let units: [String: (factor: Int128, power: Int)] = [
    "d": (864, 20), "h": (36, 20), "m": (6, 19), "min": (6, 19), "s": (1, 18), "ms": (1, 15),
    "us": (1, 12), "µs": (1, 12), "ns": (1, 9),
  ]

  /// Returns the duration of a number of seconds, or of numbers with units in any order, such as
  /// `1h 30m`; nil for any other text, or for parts of an attosecond.
  static func duration(inUnits text: String) -> Duration? {
    if let seconds = duration(text) { return seconds }
    let isNegative = text.first == "-"
    var rest = text.dropFirst(isNegative ? 1 : 0)
    var sum: Int128 = 0
    while !rest.isEmpty {
      let number = rest.prefix { ("0"..."9").contains($0) || $0 == "." }
      rest = rest.dropFirst(number.count).drop { $0 == " " }
      let name = rest.prefix { $0.isLetter }
      rest = rest.dropFirst(name.count).drop { $0 == " " }
      guard let unit = units[String(name)], let part = attoseconds(number, of: unit)
      else { return nil }
      let (total, isOver) = sum.addingReportingOverflow(part)
      guard !isOver else { return nil }
      sum = total
    }
    guard text.count > (isNegative ? 1 : 0) else { return nil }
    return duration(ofAttoseconds: isNegative ? -sum : sum)
  }
}

extension Duration: Defaults.Serializable {
  /// Stores a `Duration` as its number of seconds: a real if a real represents it, such as 0.3;
  /// otherwise a string with all digits.
  ///
  /// Exact for every duration whose seconds fit 64 bits; longer durations are rejected. Reads any
  /// number that is a whole number of attoseconds, a text of such a number, and a text with units:
  /// `90s`, `1h 30m`, `500ms`. The units are d, h, m, min, s, ms, us, µs and ns.
  @_documentation(visibility: internal)
  public static var bridge: some Defaults.Bridge<Self> { Defaults.DurationBridge() }
}
