/// Edits of a text, which are applied in one pass.
struct TextEdits {
  private var list: [(range: Range<Int>, text: [UInt8])] = []

  var isEmpty: Bool { list.isEmpty }

  mutating func replace(_ range: Range<Int>, with text: [UInt8]) { list.append((range, text)) }

  mutating func insert(_ text: [UInt8], at offset: Int) { replace(offset..<offset, with: text) }

  mutating func delete(_ range: Range<Int>) { replace(range, with: []) }

  /// Returns the edited text. Deleted ranges may overlap. Insertions at one place keep their order,
  /// and precede the replacement of the text behind that place.
  ///
  /// - Complexity: O(*n* + *m* log *m*) for *n* bytes and *m* edits.
  func applied(to bytes: [UInt8]) -> [UInt8] {
    let order = list.indices.sorted { left, right in
      let (one, other) = (list[left].range, list[right].range)
      if one.lowerBound != other.lowerBound { return one.lowerBound < other.lowerBound }
      if one.isEmpty != other.isEmpty { return one.isEmpty }
      return left < right
    }
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var position = 0
    for index in order {
      let (range, text) = list[index]
      if range.lowerBound > position {
        result += bytes[position..<range.lowerBound]
        position = range.lowerBound
      }
      result += text
      position = max(position, range.upperBound)
    }
    return result + bytes[position...]
  }
}
