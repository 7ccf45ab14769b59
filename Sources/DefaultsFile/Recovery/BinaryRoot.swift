import Defaults

/// The root of a damaged binary property list, as pairs of name and value objects.
///
/// A dictionary stores the references to its names before those to its values. Known writers give
/// the names consecutive indices after the root's, so a damaged reference to a name can be
/// reconstructed.
struct BinaryRoot {
  /// Whether the readable references have the order of known writers.
  private(set) var isPlausible = false

  private let map: BinaryMap
  private let content: Int
  private let count: Int
  /// The index of the first name, if the names have consecutive indices.
  private var firstName: Int?
  /// The indices of the values, if some references are damaged.
  private var proven: [Int?]?

  /// The indices of each entry's name and value; nil if the file doesn't tell.
  var entries: some Collection<(name: Int?, value: Int?)> {
    (0..<count).lazy.map { (name: name($0), value: value($0)) }
  }

  private func name(_ place: Int) -> Int? { firstName.map { $0 + place } ?? reference(place) }

  private func value(_ place: Int) -> Int? {
    if let proven { return proven[place] }
    return reference(count + place)
  }

  /// Finds the root at an index of a map; nil if it isn't a dictionary, and wasn't one.
  init?(_ map: BinaryMap, at root: Int) {
    self.map = map
    let size = map.file.referenceSize
    if let object = map[root] {
      guard object.kind == .dictionary else { return nil }
      (content, count) = (object.content, object.count)
    } else {
      guard root == 0, let found = Self.damaged(map, size) else { return nil }
      (content, count) = found
    }
    // The names differ. Without this limit, a large count would take much memory.
    guard size > 3 || count <= 1 << (8 * size) else { return nil }
    firstName = firstName(behind: root)
    if map.isRootMoved {
      (proven, isPlausible) = provenValues(firstValue: root + 1 + count)
    } else {
      isPlausible = hasPlausibleReferences(behind: root)
    }
  }

  private func hasPlausibleReferences(behind root: Int) -> Bool {
    var order = ValueOrder(map, firstValue: root + 1 + count)
    return (0..<count).allSatisfy { reference($0) == root + 1 + $0 }
      && order.isPlausible((count..<2 * count).lazy.map { .to(reference($0)) }) ?? true
  }

  /// The content and count of a damaged root at the beginning of the file, from its end or marker.
  private static func damaged(_ map: BinaryMap, _ size: Int) -> (content: Int, count: Int)? {
    let start = BinaryObjects.magicSize
    guard start < map.file.bytes.count else { return nil }
    if let end = map.rootEnd, end <= map.file.limit {
      let length = end - start - (map.isRootMoved ? map.shift : 0)
      for (head, counts) in [(1, 0...14), (3, 15...255), (4, 256...65_535), (6, 65_536...1 << 31)] {
        let (count, rest) = (length - head).quotientAndRemainder(dividingBy: 2 * size)
        // Each name is an object, and so is the root.
        if rest == 0, counts.contains(count), count < map.indices.count {
          return (start + head, count)
        }
      }
    }
    guard map.file.bytes[start] >> 4 == 0xd, let (count, content) = map.file.count(at: start),
      count <= (map.file.bytes.count - content) / size
    else { return nil }
    return (content, count)
  }

  /// The reference at an index of the content, or at its moved position.
  private func reference(_ place: Int, movedBy shift: Int = 0) -> Int? {
    let offset = content + place * map.file.referenceSize + shift
    guard offset >= 0, let index = map.file.reference(at: offset),
      map.indices.contains(index)
    else { return nil }
    return index
  }

  /// The index of the first name, if the names have consecutive indices.
  private func firstName(behind root: Int) -> Int? {
    // The possible first indices of consecutive names, with the number of references that agree.
    var votes: [Int: Int] = [:]
    for shift in map.isRootMoved ? [0, map.shift] : [0] {
      for place in 0..<count {
        if let index = reference(place, movedBy: shift) { votes[index - place, default: 0] += 1 }
      }
    }
    let first = votes.max { ($0.value, -$0.key) < ($1.value, -$1.key) }
    // If references to names are missing, the references to values may have more votes.
    let isUnsure = map.isRootMoved || map[root] == nil
    let isRow = !isUnsure && (first.map { 2 * $0.value >= count } ?? false)
    let start = isRow ? first?.key ?? root + 1 : root + 1
    let looksRight = (start..<start + count).allSatisfy { index in
      map[index].map { [.asciiString, .utf16String].contains($0.kind) } ?? true
    }
    return looksRight && (isRow || isUnsure || hasDoubles) ? start : nil
  }

  /// Whether references to names are missing or equal. They must be distinct.
  private var hasDoubles: Bool {
    let names = (0..<count).compactMap { reference($0) }
    return Set(names).count < count
  }

  /// The references to values that are the same wherever the damage in the root is; nil for all
  /// others, since losing an entry is better than giving it the value of another one.
  private func provenValues(firstValue: Int) -> (values: [Int?], isPlausible: Bool) {
    let here = (0..<2 * count).map { reference($0) }
    let moved = (0..<2 * count).map { reference($0, movedBy: map.shift) }
    let nothing = [Int?](repeating: nil, count: count)
    var order = ValueOrder(map, firstValue: firstValue)
    var proven: [Int?]?
    // The references to names before the damage are in place, and those after it have moved.
    let firstWrongHere = (0..<count).first { here[$0] != name($0) } ?? 2 * count
    let lastWrongMoved = (0..<count).last { moved[$0] != name($0) } ?? -1
    for damage in damages
    where damage.lowerBound <= firstWrongHere && damage.upperBound > lastWrongMoved {
      let values = (count..<2 * count).lazy.map { place -> ValueOrder.Reference in
        if damage.contains(place) { return .lost }
        return .to((place < damage.lowerBound ? here : moved)[place])
      }
      guard let isPlausible = order.isPlausible(values) else { return (nothing, true) }
      guard isPlausible else { continue }
      proven = zip(values, proven ?? values.map(\.index)).map { $0.index == $1 ? $1 : nil }
    }
    return (proven ?? nothing, proven != nil)
  }

  /// The possible ranges of destroyed references. References before the range are in place, and
  /// those after it have moved.
  private var damages: [Range<Int>] {
    let size = map.file.referenceSize
    // Further missing bytes aren't the root's.
    let missing = min(max(0, -map.shift), 2 * count * size)
    var damages: [Range<Int>] = []
    for start in -missing...2 * count * size {
      let first = max(0, start) / size
      let end = min(2 * count, (max(0, start + missing) + size - 1) / size)
      let damage = first..<max(first, end)
      if damages.last != damage { damages.append(damage) }
    }
    return damages
  }
}

/// Checks whether the references to a root's values are plausible.
///
/// Known writers number objects in the order of the first references to them, and the objects
/// inside a value before the next value. So each reference points to an object that was referenced
/// before or to the next new object, and no object is left out.
private struct ValueOrder {
  enum Reference {
    case lost
    /// nil: a reference to a nonexistent object.
    case to(Int?)

    var index: Int? { if case .to(let index) = self { index } else { nil } }
  }

  /// The index after the objects inside a value.
  private struct End: Hashable {
    var index: Int
    /// Whether the value may contain more objects, because one of them is damaged.
    var isOpen = false
  }

  private let map: BinaryMap
  private let firstValue: Int
  /// The ends, by the index of the value.
  private var ends: [Int: End] = [:]
  /// The number of references that may still be checked. Each possible damage requires a check of
  /// all references.
  private var budget = 1 << 24

  init(_ map: BinaryMap, firstValue: Int) {
    self.map = map
    self.firstValue = firstValue
  }

  /// Whether these can be the references to all values; nil if the check takes too long.
  mutating func isPlausible(_ references: some Sequence<Reference>) -> Bool? {
    // The possible next new values. A lost reference pointed to one of them or to an earlier value.
    var nexts: Set = [End(index: firstValue)]
    for reference in references {
      budget -= nexts.count
      guard budget > 0 else { return nil }
      switch reference {
      case .lost:
        for next in nexts where next.index < map.indices.count {
          nexts.insert(end(of: next.index))
        }
      case .to(nil): return false
      case .to(let index?):
        var remaining: Set<End> = []
        for next in nexts {
          if let end = self.next(after: index, from: next) { remaining.insert(end) }
        }
        nexts = remaining
      }
      if nexts.isEmpty { return false }
    }
    let count = map.indices.count
    return nexts.contains { $0.index == count || $0.isOpen && $0.index < count }
  }

  /// The next new object after a reference to an earlier or the next new value; nil for any other.
  private mutating func next(after index: Int, from next: End) -> End? {
    if index == next.index || index > next.index && next.isOpen { return end(of: index) }
    guard index < next.index else { return nil }
    return End(index: self.next(after: index, from: next.index), isOpen: next.isOpen)
  }

  private mutating func end(of index: Int) -> End {
    if let known = ends[index] { return known }
    let end = end(of: index, depth: 0)
    ends[index] = end
    return end
  }

  private func end(of index: Int, depth: Int) -> End {
    guard let object = map[index], depth < PropertyListValue.maximumDepth else {
      return End(index: index + 1, isOpen: true)
    }
    let references =
      switch object.kind {
      case .array: object.count
      case .dictionary: 2 * object.count
      default: 0
      }
    var end = End(index: index + 1)
    for place in 0..<references where !end.isOpen {
      let offset = object.content + place * map.file.referenceSize
      guard let child = map.file.reference(at: offset) else { continue }
      if child == end.index {
        end = self.end(of: child, depth: depth + 1)
      } else {
        end.index = next(after: child, from: end.index)
      }
    }
    return end
  }

  /// The index of the next new object after a reference to an earlier one. Foundation writes an
  /// equal bool again each time, but refers to the first one.
  private func next(after index: Int, from next: Int) -> Int {
    guard index < next, let earlier = map[index], earlier.kind == .bool, let again = map[next],
      again.kind == .bool, again.count == earlier.count
    else { return next }
    return next + 1
  }
}
