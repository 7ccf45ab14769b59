import Defaults
import Foundation

/// How the concurrent entries of a setting become one value.
package enum SyncResolution: String, Sendable {
  /// The newest entry wins.
  case latest
  /// The array gets the elements of all concurrent values.
  case union
  /// The greatest number or date wins.
  case max
  /// The newest entry is shown until a person decides.
  case ask
}

extension SyncState {
  /// Returns the edit that gives a setting its value.
  package func value(of name: String, _ resolution: SyncResolution) -> Edit {
    guard let entries = entries[name], let newest = entries.last else { return .remove }
    if entries.count == 1 { return newest.edit }
    let values = entries.compactMap(\.edit.entry)
    switch resolution {
    case .latest, .ask: return newest.edit
    case .union: return Self.union(of: values) ?? newest.edit
    case .max: return Self.greatest(of: values).map(Edit.set) ?? newest.edit
    }
  }

  /// Returns the entry that a setting's value comes from; nil if there is none. Of a combined
  /// value, it is the newest.
  package func source(of name: String) -> SyncEntry? { entries[name]?.last }

  /// Returns the entries between which a person has to decide: concurrent and different. Empty if
  /// there is no conflict.
  package func conflict(of name: String) -> [SyncEntry] {
    guard let entries = entries[name], Set(entries.map(\.edit)).count > 1 else { return [] }
    return entries
  }

  /// Returns the elements of all arrays without duplicates, in the canonical order. Of elements
  /// whose strings are equal in Swift, the first one counts. Nil if a value isn't an array.
  private static func union(of values: [PropertyListValue]) -> Edit? {
    var elements: Set<PropertyListValue> = []
    for value in values {
      guard case .array(let array) = value else { return nil }
      elements.formUnion(array)
    }
    if values.isEmpty { return nil }
    var seen: Set<PropertyListValue> = []
    let sorted = elements.sorted { $0.compare(to: $1) < 0 }
    return .set(.array(sorted.filter { seen.insert($0.precomposed).inserted }))
  }

  /// Returns the greatest number or date. Nil if the values have no order.
  private static func greatest(of values: [PropertyListValue]) -> PropertyListValue? {
    let magnitudes = values.compactMap(Magnitude.init)
    guard magnitudes.count == values.count else { return nil }
    return magnitudes.max { $0.isBefore($1) }?.entry
  }
}

/// A number or a date for a comparison. It may be stored as text.
private struct Magnitude {
  let entry: PropertyListValue
  /// The nearest real.
  private let real: Double
  /// The exact number; nil for a date, or if it isn't known.
  private var decimal: Decimal?

  /// Nil unless the entry is a number or a date.
  init?(_ entry: PropertyListValue) {
    self.entry = entry
    switch entry {
    case .integer(let number): (real, decimal) = (Double(number), Decimal(number))
    case .unsignedInteger(let number): (real, decimal) = (Double(number), Decimal(number))
    case .real(let number): (real, decimal) = (number, Int64(exactly: number).map { Decimal($0) })
    case .date(let date): real = date.timeIntervalSinceReferenceDate
    case .string(let text):
      let text = text.withoutOuterSpace
      if let number = Double(text) {
        real = number
        decimal = try? Decimal.bridge.value(ofEntry: .string(text))
      } else if let date = try? Defaults.Coding<Date>.iso8601.value(ofEntry: .string(text)) {
        real = date.timeIntervalSinceReferenceDate
      } else {
        return nil
      }
    case .bool, .data, .array, .dictionary: return nil
    }
    if real.isNaN { return nil }
  }

  /// Returns whether another number or date is greater. The canonical order decides between equal
  /// ones, so that all devices choose the same.
  func isBefore(_ other: Self) -> Bool {
    if real != other.real { return real < other.real }
    switch (decimal, other.decimal) {
    case (let mine?, let theirs?) where mine != theirs: return mine < theirs
    case (nil, _?): return true
    case (_?, nil): return false
    default: return entry.compare(to: other.entry) < 0
    }
  }
}

extension PropertyListValue {
  /// The value with the precomposed form of all strings, which is the same for equal strings.
  fileprivate var precomposed: Self {
    switch self {
    case .string(let text): .string(text.precomposedStringWithCanonicalMapping)
    case .array(let elements): .array(elements.map(\.precomposed))
    case .dictionary(let entries):
      .dictionary(
        entries.reduce(into: [:]) {
          $0[$1.key.precomposedStringWithCanonicalMapping] = $1.value.precomposed
        })
    default: self
    }
  }
}
