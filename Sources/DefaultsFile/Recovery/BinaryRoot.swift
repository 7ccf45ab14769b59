import Defaults

/// The root of a damaged binary property list: which objects are its names, and which its values.
///
/// A dictionary's references to its names stand before those to its values. Known writers give the
/// names the indices behind the root's, one after the other, so that a reference to a name that is
/// damaged is known all the same.
struct BinaryRoot {
  /// By entry: the index of the name and that of the value; nil where the file doesn't say.
  private(set) var entries: [(name: Int?, value: Int?)] = []

  private let map: BinaryMap
  private let content: Int
  private let count: Int

  /// The root at an index of a map; nil if it is no dictionary, nor was one.
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
    let names = names(behind: root)
    let values = values(behind: names)
    for index in 0..<count { entries.append((names[index], values[index])) }
  }

  /// Content and count of a root that begins the file and isn't sound itself: by where it ends, or
  /// by what it says.
  private static func damaged(_ map: BinaryMap, _ size: Int) -> (content: Int, count: Int)? {
    let start = BinaryObjects.magicSize
    guard start < map.file.bytes.count else { return nil }
    if let end = map.rootEnd, end <= map.file.limit {
      let length = end - start - (map.isRootMoved ? map.shift : 0)
      for (head, counts) in [(1, 0...14), (3, 15...255), (4, 256...65_535), (6, 65_536...1 << 31)] {
        let (count, rest) = (length - head).quotientAndRemainder(dividingBy: 2 * size)
        if rest == 0, counts.contains(count) { return (start + head, count) }
      }
    }
    guard map.file.bytes[start] >> 4 == 0xd, let (count, content) = map.file.count(at: start),
      count <= (map.file.bytes.count - content) / size
    else { return nil }
    return (content, count)
  }

  /// The reference at a place of the content, or at that to which it has moved.
  private func reference(_ place: Int, movedBy shift: Int = 0) -> Int? {
    let offset = content + place * map.file.referenceSize + shift
    guard offset >= 0, let index = map.file.reference(at: offset),
      map.objects.indices.contains(index)
    else { return nil }
    return index
  }

  private func names(behind root: Int) -> [Int?] {
    // The first indices of such a row, by how many references agree.
    var votes: [Int: Int] = [:]
    for shift in map.isRootMoved ? [0, map.shift] : [0] {
      for place in 0..<count {
        if let index = reference(place, movedBy: shift) { votes[index - place, default: 0] += 1 }
      }
    }
    let first = votes.max { ($0.value, -$0.key) < ($1.value, -$1.key) }
    // Where some of them are missing, those to values may agree on more.
    let isUnsure = map.isRootMoved || map[root] == nil
    let isRow = !isUnsure && (first.map { 2 * $0.value >= count } ?? false)
    let start = isRow ? first?.key ?? root + 1 : root + 1
    let looksRight = (start..<start + count).allSatisfy { index in
      map[index].map { [.asciiString, .utf16String].contains($0.kind) } ?? true
    }
    if looksRight, isRow || isUnsure || hasDoubles {
      return (0..<count).map { start + $0 }
    }
    return (0..<count).map { reference($0) }
  }

  /// Whether references to names aren't all different, or not there, as they have to be.
  private var hasDoubles: Bool {
    let names = (0..<count).compactMap { reference($0) }
    return Set(names).count < count
  }

  private func values(behind names: [Int?]) -> [Int?] {
    let here = (0..<count).map { reference(count + $0) }
    guard map.isRootMoved else { return here }
    let moved = (0..<count).map { reference(count + $0, movedBy: map.shift) }
    // If the names' references aren't where they should be, all values' have moved.
    let areNamesHere = (0..<count).allSatisfy { reference($0) == names[$0] }
    guard areNamesHere else { return moved }
    // Of what is missing, nothing can be said.
    let size = map.file.referenceSize
    let lost = map.shift < 0 ? (-map.shift + size - 1) / size : 0
    // Where exactly the damage is may not show; what differs by that isn't known.
    let splits = splits(here, moved, lost: lost)
    return (0..<count).map { place in
      let readings = Set(
        splits.map { split in
          place < split ? here[place] : place < split + lost ? nil : moved[place]
        })
      return readings.count == 1 ? readings.first ?? nil : nil
    }
  }

  /// The places where the damage may be in the references to values: those by which most of the
  /// objects belong to something. In front of it references are where they should be, behind it
  /// they have moved.
  private func splits(_ here: [Int?], _ moved: [Int?], lost: Int) -> [Int] {
    // To look at each place takes the square of their number.
    guard count <= 2_000 else { return [0, count] }
    var ends: [Int: Int] = [:]
    func end(behind index: Int) -> Int {
      if let known = ends[index] { return known }
      let end = self.end(of: index, depth: 0)
      ends[index] = end
      return end
    }
    // A reference is to what others before have been to, or to the next new object. What is left
    // out in between belongs to nothing.
    func follow(_ index: Int?, _ next: inout Int, _ cost: inout Int) {
      guard let index else { return cost += 1 }
      guard index >= next else { return }
      cost += index - next
      next = end(behind: index)
    }
    var (costs, gaps): ([Int], [Int]) = ([], [])
    var (front, frontCost) = (count + 1, 0)
    for split in 0...count {
      var (next, cost, gap) = (front, frontCost, 0)
      for (place, index) in moved[min(count, split + lost)...].enumerated() {
        // The objects that what is missing would have referred to don't count.
        if place == 0, lost > 0, let index, index > next { (gap, next) = (index - next, index) }
        follow(index, &next, &cost)
      }
      costs.append(cost + max(0, map.objects.count - next))
      gaps.append(gap)
      if split < count { follow(here[split], &front, &frontCost) }
    }
    // Files may have objects that belong to nothing; then a gap isn't known to be that of the damage.
    if lost > 0, costs.min() != 0 { costs = zip(costs, gaps).map(+) }
    let least = costs.min()
    return costs.indices.filter { costs[$0] == least }
  }

  /// The index behind those that an object has for itself.
  private func end(of index: Int, depth: Int) -> Int {
    guard let object = map[index], depth < PropertyListValue.maximumDepth else { return index + 1 }
    let references =
      switch object.kind {
      case .array: object.count
      case .dictionary: 2 * object.count
      default: 0
      }
    var end = index + 1
    for place in 0..<references {
      let offset = object.content + place * map.file.referenceSize
      guard let child = map.file.reference(at: offset), child == end else { continue }
      end = self.end(of: child, depth: depth + 1)
    }
    return end
  }
}
