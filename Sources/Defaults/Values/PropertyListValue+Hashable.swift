import Foundation

extension Defaults.PropertyListValue: Hashable {
  /// Whether storing one in place of the other would change nothing; see the type's description.
  public static func == (left: Self, right: Self) -> Bool {
    switch (left, right) {
    case (.bool(let left), .bool(let right)):
      left == right
    case (.integer(let left), .integer(let right)):
      left == right
    case (.unsignedInteger(let left), .unsignedInteger(let right)):
      left == right
    case (.integer(let signed), .unsignedInteger(let unsigned)),
      (.unsignedInteger(let unsigned), .integer(let signed)):
      signed == unsigned
    case (.real(let left), .real(let right)):
      left.bitPattern == right.bitPattern
    case (.string(let left), .string(let right)):
      left.hasSameScalars(as: right)
    case (.date(let left), .date(let right)):
      left.timeIntervalSinceReferenceDate.bitPattern
        == right.timeIntervalSinceReferenceDate.bitPattern
    case (.data(let left), .data(let right)):
      left == right
    case (.array(let left), .array(let right)):
      left == right
    case (.dictionary(let left), .dictionary(let right)):
      left.count == right.count
        && left.allSatisfy { name, value in
          guard let index = right.index(forKey: name) else { return false }
          return right[index].key.hasSameScalars(as: name) && right[index].value == value
        }
    default:
      false
    }
  }

  /// Feeds the content to the hasher, consistently with `==`.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .bool(let value): hasher.combine(value)
    // Integers of both cases hash alike where they are equal: by the number.
    case .integer(let value): hasher.combine(UInt64(truncatingIfNeeded: value))
    case .unsignedInteger(let value): hasher.combine(value)
    case .real(let value): hasher.combine(value.bitPattern)
    case .string(let value): hasher.combine(value)
    case .date(let value): hasher.combine(value.timeIntervalSinceReferenceDate.bitPattern)
    case .data(let value): hasher.combine(value)
    case .array(let value): hasher.combine(value)
    case .dictionary(let value): hasher.combine(value)
    }
  }
}

extension String {
  /// Equality by content, where `==` takes composed and decomposed characters for the same.
  fileprivate func hasSameScalars(as other: String) -> Bool {
    // Two strings with the same UTF-8 are equal, so this settles most pairs without a second pass.
    self == other && (utf8.count == other.utf8.count && utf8.elementsEqual(other.utf8))
  }
}
