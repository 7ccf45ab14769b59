extension Defaults {
  /// A day of the Gregorian calendar, which goes on before its introduction and has a year 0.
  ///
  /// By Howard Hinnant's "chrono-Compatible Low-Level Date Algorithms". They begin the year with
  /// March: the leap day is then its last, and five months have 153 days. 400 years, an era, have
  /// 146,097.
  struct CalendarDay {
    // Not `Int`, which has 32 bits on some watches.
    let year: Int64
    let month: Int64
    let day: Int64

    /// The days from 0000-03-01 to 2001-01-01.
    private static let daysTo2001: Int64 = 730_791

    /// Nil if there is no such day.
    init?(year: Int64, month: Int64, day: Int64) {
      guard 1...12 ~= month, 1...Self.length(ofMonth: month, in: year) ~= day else { return nil }
      (self.year, self.month, self.day) = (year, month, day)
    }

    /// The day so many days after 2001-01-01.
    init(daysSince2001 days: Int64) {
      let days = days + Self.daysTo2001
      let era = (days >= 0 ? days : days - 146_096) / 146_097
      let dayOfEra = days - era * 146_097
      let yearOfEra =
        (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
      let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
      let monthFromMarch = (5 * dayOfYear + 2) / 153
      month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
      day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
      year = yearOfEra + era * 400 + (month < 3 ? 1 : 0)
    }

    /// The days from 2001-01-01.
    var daysSince2001: Int64 {
      let year = month < 3 ? year - 1 : year
      let era = (year >= 0 ? year : year - 399) / 400
      let yearOfEra = year - era * 400
      let dayOfYear = (153 * (month < 3 ? month + 9 : month - 3) + 2) / 5 + day - 1
      let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
      return era * 146_097 + dayOfEra - Self.daysTo2001
    }

    private static func length(ofMonth month: Int64, in year: Int64) -> Int64 {
      switch month {
      case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
      case 4, 6, 9, 11: 30
      default: 31
      }
    }
  }
}
