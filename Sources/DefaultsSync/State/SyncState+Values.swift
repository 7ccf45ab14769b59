import Defaults

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

  /// Returns the elements of all arrays without duplicates, in the canonical order. Nil if a value
  /// isn't an array.
  private static func union(of values: [PropertyListValue]) -> Edit? {
    var elements: Set<PropertyListValue> = []
    for value in values {
      guard case .array(let array) = value else { return nil }
      elements.formUnion(array)
    }
    return values.isEmpty ? nil : .set(.array(elements.sorted { $0.compare(to: $1) < 0 }))
  }

  /// Returns the greatest number or date. Nil if the values have no order.
  private static func greatest(of values: [PropertyListValue]) -> PropertyListValue? {
    guard values.allSatisfy({ $0.magnitude != nil }) else { return nil }
    return values.max { $0.isBefore($1) }
  }
}

extension PropertyListValue {
  /// The value for a comparison; nil unless it is a number or a date.
  fileprivate var magnitude: Double? {
    switch self {
    case .integer(let number): Double(number)
    case .unsignedInteger(let number): Double(number)
    case .real(let number): number.isNaN ? nil : number
    case .date(let date): date.timeIntervalSinceReferenceDate
    case .bool, .string, .data, .array, .dictionary: nil
    }
  }

  /// Returns whether another number or date is greater. The canonical order decides between those
  /// that are equal as reals, so that all devices choose the same.
  fileprivate func isBefore(_ other: Self) -> Bool {
    guard let mine = magnitude, let theirs = other.magnitude, mine != theirs else {
      return compare(to: other) < 0
    }
    return mine < theirs
  }
}
