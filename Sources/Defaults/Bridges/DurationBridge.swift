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
      case .string(let text): value = DurationText.duration(text)
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
    package static func duration(_ text: String) -> Duration? {
      let isNegative = text.hasPrefix("-")
      let halves = text.dropFirst(isNegative ? 1 : 0)
        .split(separator: "e", maxSplits: 1, omittingEmptySubsequences: false)
      let parts = halves[0].split(
        separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
      let fraction = parts.count == 2 ? parts[1] : ""
      let digits = parts[0] + fraction
      guard !parts[0].isEmpty, parts.count == 1 || !fraction.isEmpty,
        digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
        var number = Int128(digits: digits),
        let exponent = halves.count == 2 ? Int(digits: halves[1]) : 0
      else { return nil }
      if number == 0 { return .zero }
      let (power, isFar) = exponent.subtractingReportingOverflow(fraction.count - 18)
      guard !isFar else { return nil }
      for _ in 0..<min(power.magnitude, 64) {
        if power > 0 {
          let (product, overflow) = number.multipliedReportingOverflow(by: 10)
          guard !overflow else { return nil }
          number = product
        } else {
          guard number % 10 == 0 else { return nil }
          number /= 10
        }
      }
      if isNegative { number.negate() }
      return duration(ofAttoseconds: number)
    }

    /// Returns nil if the seconds don't fit 64 bits.
    package static func duration(ofAttoseconds number: Int128) -> Duration? {
      Int64(exactly: number / unit).map {
        Duration(secondsComponent: $0, attosecondsComponent: Int64(number % unit))
      }
    }
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
