import Foundation

extension Defaults.PropertyListValue: Hashable {
  /// Whether storing one value in place of the other changes nothing; see the type's description.
  @_documentation(visibility: internal)
  public static func == (left: Self, right: Self) -> Bool {
    switch (left, right) {
    case (.bool(let left), .bool(let right)): left == right
    case (.integer(let left), .integer(let right)): left == right
    case (.unsignedInteger(let left), .unsignedInteger(let right)): left == right
    case (.integer(let signed), .unsignedInteger(let unsigned)),
      (.unsignedInteger(let unsigned), .integer(let signed)):
      signed == unsigned
    case (.real(let left), .real(let right)): left.bitPattern == right.bitPattern
    case (.string(let left), .string(let right)): left.hasSameScalars(as: right)
    case (.date(let left), .date(let right)):
      left.timeIntervalSinceReferenceDate.bitPattern
        == right.timeIntervalSinceReferenceDate.bitPattern
    case (.data(let left), .data(let right)): left == right
    case (.array(let left), .array(let right)): left == right
    case (.dictionary(let left), .dictionary(let right)):
      left.count == right.count
        && left.allSatisfy { name, value in
          guard let index = right.index(forKey: name) else { return false }
          return right[index].key.hasSameScalars(as: name) && right[index].value == value
        }
    default: false
    }
  }

  /// Hashes the content, consistently with `==`: texts by their scalars and data by all bytes,
  /// since many equal hashes in a file would make each set of values slow.
  @_documentation(visibility: internal)
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .bool(let value): hasher.combine(value)
    // By number, so that equal integers of both cases hash alike.
    case .integer(let value): hasher.combine(UInt64(truncatingIfNeeded: value))
    case .unsignedInteger(let value): hasher.combine(value)
    case .real(let value): hasher.combine(value.bitPattern)
    case .string(let value): Self.hash(value, into: &hasher)
    case .date(let value): hasher.combine(value.timeIntervalSinceReferenceDate.bitPattern)
    case .data(let value):
      hasher.combine(value.count)
      value.withUnsafeBytes { hasher.combine(bytes: $0) }
    case .array(let value): hasher.combine(value)
    case .dictionary(let value):
      // The order of the names has no meaning.
      var combined = 0
      for (name, value) in value {
        var element = hasher
        Self.hash(name, into: &element)
        element.combine(value)
        combined ^= element.finalize()
      }
      hasher.combine(combined)
    }
  }

  private static func hash(_ text: String, into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    // No text has this byte, so the next one begins after it.
    hasher.combine(0xff as UInt8)
  }
}

extension String {
  /// Returns whether two strings have the same scalars; `==` ignores how characters are composed.
  package func hasSameScalars(as other: String) -> Bool {
    // `==` first, which rules out most pairs in one pass: strings with the same UTF-8 are equal.
    self == other && (utf8.count == other.utf8.count && utf8.elementsEqual(other.utf8))
  }
}

// MARK: - Order

extension Defaults.PropertyListValue {
  /// Compares two values in the canonical order.
  ///
  /// The order has no meaning. It is total, the same in every process, and consistent with `==`:
  /// kinds one after the other, numbers of a kind by size, strings and data by their bytes.
  ///
  /// - Returns: A negative number if this value comes first, a positive number if the other value
  ///   comes first, zero if they are equal.
  package func compare(to other: Self) -> Int {
    switch (self, other) {
    case (.bool(let left), .bool(let right)): Self.compare(left ? 1 : 0, right ? 1 : 0)
    case (.integer(let left), .integer(let right)): Self.compare(left, right)
    case (.unsignedInteger(let left), .unsignedInteger(let right)): Self.compare(left, right)
    case (.integer(let left), .unsignedInteger(let right)):
      Self.compare(Int128(left), Int128(right))
    case (.unsignedInteger(let left), .integer(let right)):
      Self.compare(Int128(left), Int128(right))
    case (.real(let left), .real(let right)): Self.compare(Self.rank(left), Self.rank(right))
    case (.date(let left), .date(let right)):
      Self.compare(
        Self.rank(left.timeIntervalSinceReferenceDate),
        Self.rank(right.timeIntervalSinceReferenceDate))
    case (.string(let left), .string(let right)): Self.compare(left.utf8, right.utf8)
    case (.data(let left), .data(let right)): Self.compare(left, right)
    case (.array(let left), .array(let right)): Self.compare(left, right) { $0.compare(to: $1) }
    case (.dictionary(let left), .dictionary(let right)):
      Self.compare(left.sortedByName, right.sortedByName) {
        let names = Self.compare($0.key.utf8, $1.key.utf8)
        return names == 0 ? $0.value.compare(to: $1.value) : names
      }
    default: Self.compare(kindRank, other.kindRank)
    }
  }

  var kindRank: Int {
    switch self {
    case .bool: 0
    case .integer, .unsignedInteger: 1
    case .real: 2
    case .date: 3
    case .string: 4
    case .data: 5
    case .array: 6
    case .dictionary: 7
    }
  }

  /// Returns a number that grows with the real, and distinguishes zeros and NaNs as `==` does.
  private static func rank(_ real: Double) -> Int64 {
    let bits = Int64(bitPattern: real.bitPattern)
    return bits < 0 ? bits ^ .max : bits
  }

  private static func compare<Element: Comparable>(_ left: Element, _ right: Element) -> Int {
    left < right ? -1 : left == right ? 0 : 1
  }

  private static func compare<Bytes: Collection<UInt8>>(_ left: Bytes, _ right: Bytes) -> Int {
    compare(left, right) { compare($0, $1) }
  }

  private static func compare<Elements: Collection>(
    _ left: Elements, _ right: Elements, by order: (Elements.Element, Elements.Element) -> Int
  ) -> Int {
    for (left, right) in zip(left, right) {
      let result = order(left, right)
      if result != 0 { return result }
    }
    return compare(left.count, right.count)
  }
}
