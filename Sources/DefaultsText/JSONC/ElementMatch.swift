import Defaults

/// An element that stays in order when an array changes: its index in the old and the new array.
struct ElementMatch {
  let old: Int
  let new: Int

  /// The limit for the product of the numbers of elements that are compared.
  private static let limit = 1 << 20

  /// Returns as many pairs of equal elements as possible, in the order of both arrays: a longest
  /// common subsequence. Beyond the limit, returns none.
  ///
  /// - Complexity: O(*n* · *m*) for *n* and *m* elements, at most a million steps.
  static func pairs(
    _ old: ArraySlice<PropertyListValue>, _ new: ArraySlice<PropertyListValue>
  ) -> [Self] {
    let (size, isTooMuch) = (old.count + 1).multipliedReportingOverflow(by: new.count + 1)
    guard !old.isEmpty, !new.isEmpty, !isTooMuch, size <= limit else { return [] }
    // Equal elements get the same number, since comparing large values takes long.
    var numbers: [PropertyListValue: Int] = [:]
    func numbered(_ elements: ArraySlice<PropertyListValue>) -> [Int] {
      elements.map { element in
        let number = numbers[element] ?? numbers.count
        numbers[element] = number
        return number
      }
    }
    let (left, right) = (numbered(old), numbered(new))
    let width = right.count + 1
    // For each pair of places, the length of the longest common subsequence behind them.
    var lengths = [Int32](repeating: 0, count: size)
    for row in left.indices.reversed() {
      for column in right.indices.reversed() {
        let here = row * width + column
        lengths[here] =
          left[row] == right[column]
          ? lengths[here + width + 1] + 1 : max(lengths[here + width], lengths[here + 1])
      }
    }
    var pairs: [Self] = []
    var (row, column) = (0, 0)
    while row < left.count, column < right.count {
      let here = row * width + column
      if left[row] == right[column] {
        pairs.append(Self(old: old.startIndex + row, new: new.startIndex + column))
        (row, column) = (row + 1, column + 1)
      } else if lengths[here + width] >= lengths[here + 1] {
        row += 1
      } else {
        column += 1
      }
    }
    return pairs
  }
}
