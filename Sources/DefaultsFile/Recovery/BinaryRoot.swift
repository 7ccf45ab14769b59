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
    guard offset >= content, let index = map.file.reference(at: offset),
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
    let isRow = first.map { 2 * $0.value >= count } ?? false
    let start = isRow ? first?.key ?? root + 1 : root + 1
    let looksRight = (start..<start + count).allSatisfy { index in
      map[index].map { [.asciiString, .utf16String].contains($0.kind) } ?? true
    }
    if looksRight, isRow || map[root] == nil || hasDoubles {
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
    // In front of the damage each reference is to an object that others before have been to, or to
    // the next new one.
    var next = count + 1
    var (front, sure) = (0, 0)
    var nexts = [next]
    while front < count, let index = here[front], index <= next {
      front += 1
      if index == next {
        next = end(of: index, depth: 0)
        sure = front
      }
      nexts.append(next)
    }
    let all = map.objects.count
    if map.shift < 0, front == count, next == all { return here }
    // Of what is missing, nothing can be said.
    let size = map.file.referenceSize
    let lost = map.shift < 0 ? (-map.shift + size - 1) / size : 0
    // Where the damage is shows by what follows: it goes on to the last object.
    var splits: [Int] = []
    if map.shift > 0 {
      splits = (0...front).filter { row(moved[$0...], from: nexts[$0], mayJump: false) == all }
    }
    if splits.isEmpty {
      splits = (max(sure, front - 64)...front).filter {
        row(moved[min(count, $0 + lost)...], from: nexts[$0], mayJump: true) == all
      }
    }
    // Of what differs by that, and where nothing shows, nothing is known.
    if splits.isEmpty { splits = [0, count] }
    return (0..<count).map { place in
      let readings = Set(
        splits.map { split in
          place < split ? here[place] : place < split + lost ? nil : moved[place]
        })
      return readings.count == 1 ? readings.first ?? nil : nil
    }
  }

  /// Behind which object references end, if they are as those to values are: to what others have
  /// been to, or to the next new one, where one jump over what is missing may be allowed.
  private func row(_ references: ArraySlice<Int?>, from start: Int, mayJump: Bool) -> Int? {
    var (next, mayJump) = (start, mayJump)
    for index in references {
      guard let index, index <= next || mayJump else { return nil }
      if index < next { continue }
      if index > next { mayJump = false }
      next = end(of: index, depth: 0)
    }
    return next
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
