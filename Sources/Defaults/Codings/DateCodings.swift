import Foundation

struct ISO8601Bridge: Defaults.PropertyListBridge {
  var shape: Defaults.Shape { .either(.string(.date), or: [.date]) }

  func encode(_ value: Date) throws(ConversionError) -> PropertyListValue {
    let interval = value.timeIntervalSinceReferenceDate
    guard let text = ISO8601Text.exactText(secondsSince2001: interval) else {
      // Not the date's description, which traps for a NaN.
      throw ConversionError(
        "the date \(interval) seconds after 2001 has no text in ISO 8601, which has no years "
          + "after 9999")
    }
    return .string(text)
  }

  func decode(_ stored: PropertyListValue) throws(ConversionError) -> Date {
    switch stored {
    case .date: return try Date.bridge.decode(stored)
    case .string(let text):
      guard let seconds = ISO8601Text(text)?.secondsSince2001 else {
        throw ConversionError(
          "\"\(text)\" isn't a date, time and offset such as \"2026-11-21T08:30:00Z\"")
      }
      return Date(timeIntervalSinceReferenceDate: seconds)
    default:
      throw .mismatch(
        stored, expected: "a date in ISO 8601", inJSON: #""2026-01-01T00:00:00Z""#)
    }
  }
}

extension Defaults.Coding where Value == Date {
  /// Text in ISO 8601, in UTC: "2026-11-21T08:30:00Z".
  ///
  /// The fraction of the second has as many digits as it takes to be exact, at most seven for
  /// current dates; a zero fraction is left out. Dates outside of the years 0 to 9999 and NaN are
  /// rejected.
  ///
  /// Reading accepts any number of digits after a point or a comma, any offset, a space instead of
  /// the T, lowercase letters, and a stored date. A date without a time or an offset is rejected,
  /// because it isn't an instant.
  public static var iso8601: Self { Self(ISO8601Bridge()) }
}

extension Defaults.CodingStart where Value == Date {
  /// Text in ISO 8601, as the first step of a ``CodingChain``.
  @_documentation(visibility: internal)
  public static var iso8601: Defaults.CodingChain<Date, String> {
    Defaults.CodingChain(Defaults.Coding(ISO8601Bridge()))
  }
}

struct TimeIntervalBridge: Defaults.PropertyListBridge {
  /// Whether seconds are counted from the first instant of 1970; otherwise, from that of 2001.
  let isSince1970: Bool

  var shape: Defaults.Shape { .either(.real, or: [.date]) }

  func encode(_ value: Date) throws(ConversionError) -> PropertyListValue {
    let interval = try Defaults.DateBridge.instant(value).timeIntervalSinceReferenceDate
    guard isSince1970 else { return .real(interval) }
    let seconds = value.timeIntervalSince1970
    let copy = Date(timeIntervalSince1970: seconds)
    guard copy.timeIntervalSinceReferenceDate.bitPattern == interval.bitPattern else {
      throw ConversionError(
        "the date is too precise for seconds since 1970; round it with "
          + "Date(timeIntervalSince1970: date.timeIntervalSince1970)")
    }
    return .real(seconds)
  }

  func decode(_ stored: PropertyListValue) throws(ConversionError) -> Date {
    if case .date = stored { return try Date.bridge.decode(stored) }
    let seconds = try Double.bridge.decode(stored)
    return try Defaults.DateBridge.instant(
      isSince1970
        ? Date(timeIntervalSince1970: seconds) : Date(timeIntervalSinceReferenceDate: seconds))
  }
}

extension Defaults.Coding where Value == Date {
  /// Seconds since the first instant of 2001, like the storage of `Date`: exact for every date
  /// but NaN, which is rejected. Also reads a stored date.
  public static var timeInterval: Self { Self(TimeIntervalBridge(isSince1970: false)) }

  /// Seconds since the first instant of 1970. Also reads a stored date.
  ///
  /// About half of all current dates have one digit more than a `Double` can hold, and are
  /// rejected. The nearest accepted date is
  /// `Date(timeIntervalSince1970: date.timeIntervalSince1970)`.
  ///
  /// A stored number is read as the nearest `Date`, which counts seconds since 2001. Before about
  /// 1984, a `Date` has fewer digits after the point than such a number may have: 0.1, as another
  /// program may write it, is read as 0.10000002384185791.
  public static var secondsSince1970: Self { Self(TimeIntervalBridge(isSince1970: true)) }
}

extension Defaults.CodingStart where Value == Date {
  /// Seconds since the first instant of 2001, as the first step of a ``CodingChain``.
  @_documentation(visibility: internal)
  public static var timeInterval: Defaults.CodingChain<Date, Double> {
    Defaults.CodingChain(Defaults.Coding(TimeIntervalBridge(isSince1970: false)))
  }
}
