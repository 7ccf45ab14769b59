import Foundation

extension Defaults {
  /// Stores a `Date` as a number of seconds; reads such a number, and a stored date.
  ///
  /// From 2001 on, which is how a `Date` counts, every date is exact. From 1970 on about half of
  /// the dates of our time have a digit more than a `Double` holds, and are refused;
  /// `Date(timeIntervalSince1970: date.timeIntervalSince1970)` is the nearest that isn't.
  public struct TimeIntervalBridge: PropertyListBridge {
    /// The instant that seconds are counted from.
    public enum Origin: Sendable {
      /// The first instant of 2001.
      case reference
      /// The first instant of 1970.
      case unixEpoch
    }

    /// The instant that seconds are counted from.
    public let origin: Origin

    /// A bridge to seconds from `origin`.
    public init(since origin: Origin = .reference) { self.origin = origin }

    /// A real; throws if it doesn't stand for the date exactly.
    public func encode(_ value: Date) throws(ConversionError) -> PropertyListValue {
      let interval = value.timeIntervalSinceReferenceDate
      switch origin {
      case .reference:
        return .real(interval)
      case .unixEpoch:
        let seconds = value.timeIntervalSince1970
        let copy = Date(timeIntervalSince1970: seconds)
        guard copy.timeIntervalSinceReferenceDate.bitPattern == interval.bitPattern else {
          throw ConversionError(
            "the date has a digit more than its seconds since 1970 can hold; round it with "
              + "Date(timeIntervalSince1970: date.timeIntervalSince1970)")
        }
        return .real(seconds)
      }
    }

    /// The date of a number, or a stored date.
    public func decode(_ stored: PropertyListValue) throws(ConversionError) -> Date {
      if case .date(let date) = stored { return date }
      let seconds = try Double.bridge.decode(stored)
      switch origin {
      case .reference: return Date(timeIntervalSinceReferenceDate: seconds)
      case .unixEpoch: return Date(timeIntervalSince1970: seconds)
      }
    }
  }
}

extension Defaults.Coding where Value == Date {
  /// Seconds since the first instant of 2001, exact for every date.
  public static var timeInterval: Self { Self(Defaults.TimeIntervalBridge()) }

  /// Seconds since an instant; see `TimeIntervalBridge` for what is exact.
  public static func timeInterval(since origin: Defaults.TimeIntervalBridge.Origin) -> Self {
    Self(Defaults.TimeIntervalBridge(since: origin))
  }
}

extension Defaults.CodingStart where Value == Date {
  /// Begins a chain with the seconds since the first instant of 2001.
  public static var timeInterval: Defaults.CodingChain<Date, Double> {
    Defaults.CodingChain(Defaults.Coding(Defaults.TimeIntervalBridge()))
  }
}
