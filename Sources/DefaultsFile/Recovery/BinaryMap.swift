/// The positions of the objects of a damaged binary property list, by index.
///
/// With an intact trailer, the offset table gives the positions. Each object is then checked: it
/// must end where the next one begins. If bytes were inserted or are missing, everything after them
/// has moved as far as the table itself. Without a trailer, objects are read one after another.
struct BinaryMap {
  typealias Object = BinaryObjects.Object

  let file: BinaryObjects
  /// nil for damaged objects.
  private(set) var objects: [Object?] = []
  /// The index of the root according to the trailer.
  let root: Int
  /// The end of the root, if other objects determine it.
  private(set) var rootEnd: Int?
  /// How far everything after the damage has moved.
  private(set) var shift = 0
  /// Whether the damage is in the root.
  private(set) var isRootMoved = false
  /// Whether the damage after the root could also be in the root.
  private(set) var isNearRoot = false

  private init(_ file: BinaryObjects, root: Int) {
    self.file = file
    self.root = root
  }

  /// The fraction of intact objects, from 0 to 1.
  var quality: Double {
    objects.isEmpty ? 0 : Double(objects.count { $0 != nil }) / Double(objects.count)
  }

  subscript(index: Int) -> Object? { objects.indices.contains(index) ? objects[index] : nil }
}

// MARK: - By the table

/// The content of a trailer.
private struct Trailer {
  static let size = 32

  let offsetSize: Int
  let referenceSize: Int
  let count: Int
  let root: Int
  /// The declared and the actual offset of the table. The latter is counted back from the end.
  let declaredTable: Int
  let table: Int

  init?(_ bytes: [UInt8]) {
    let start = bytes.count - Self.size
    guard start > BinaryObjects.magicSize else { return nil }
    let reader = BinaryObjects(bytes: bytes, referenceSize: 1, limit: bytes.count)
    offsetSize = Int(bytes[start + 6])
    referenceSize = Int(bytes[start + 7])
    guard 1...8 ~= offsetSize, 1...8 ~= referenceSize,
      let count = reader.integer(at: start + 8, size: 8).flatMap({ Int(exactly: $0) }),
      let root = reader.integer(at: start + 16, size: 8).flatMap({ Int(exactly: $0) }),
      let declared = reader.integer(at: start + 24, size: 8).flatMap({ Int(exactly: $0) }),
      count > 0, count <= (start - BinaryObjects.magicSize) / offsetSize, declared <= 1 << 40
    else { return nil }
    self.count = count
    self.root = root < count ? root : 0
    declaredTable = declared
    table = start - count * offsetSize
  }
}

extension BinaryMap {
  /// The map according to trailer and table; nil without a trailer, or if bytes are missing or were
  /// inserted. `referenceSize` overrides the size in the trailer.
  static func byTable(_ bytes: [UInt8], referenceSize: Int? = nil) -> BinaryMap? {
    guard let trailer = Trailer(bytes), trailer.table == trailer.declaredTable else { return nil }
    var map = BinaryMap(bytes, trailer, referenceSize)
    map.walk(offsets(trailer, map.file))
    return map
  }

  /// The maps according to trailer and table if bytes are missing or were inserted: one with the
  /// damage in the root, one with the damage after it; nil where that is impossible.
  static func byMovedTable(_ bytes: [UInt8]) -> (inRoot: BinaryMap?, behindRoot: BinaryMap?) {
    guard let trailer = Trailer(bytes), trailer.table != trailer.declaredTable else {
      return (nil, nil)
    }
    let map = BinaryMap(bytes, trailer)
    let offsets = offsets(trailer, map.file)
    // Otherwise the table itself lost or gained bytes.
    guard offsets[0] == BinaryObjects.magicSize else { return (nil, nil) }
    return (map.moved(offsets), map.met(offsets))
  }

  private init(_ bytes: [UInt8], _ trailer: Trailer, _ referenceSize: Int? = nil) {
    file = BinaryObjects(
      bytes: bytes, referenceSize: referenceSize ?? trailer.referenceSize, limit: trailer.table)
    root = trailer.root
    objects = Array(repeating: nil, count: trailer.count)
    shift = trailer.table - trailer.declaredTable
  }

  /// The offsets of the table, and at the end the offset at which the last object ends.
  private static func offsets(_ trailer: Trailer, _ file: BinaryObjects) -> [Int] {
    (0...trailer.count).map { index in
      guard index < trailer.count else { return trailer.declaredTable }
      let position = trailer.table + index * trailer.offsetSize
      let offset = file.integer(at: position, size: trailer.offsetSize) ?? 0
      return Int(clamping: min(offset, 1 << 40))
    }
  }

  /// Checks all objects when nothing has moved. A damaged object loses only itself, and a wrong
  /// entry of the table is corrected by the object before it.
  private mutating func walk(_ offsets: [Int]) {
    var (index, position) = (0, BinaryObjects.magicSize)
    if offsets[0] != position, file.object(at: offsets[0])?.end == offsets[1] {
      position = offsets[0]
    }
    while index < objects.count {
      let object = file.object(at: position)
      let next = offsets[index + 1]
      if let object, object.end == next {
        objects[index] = object
        position = next
      } else if let object, index + 2 < offsets.count,
        file.object(at: object.end)?.end == offsets[index + 2]
      {
        if isSound(index + 1, offsets) {
          // The next object is intact according to the table, but this object's end leads to a
          // different one. Which of the two is damaged is unknown, so both are skipped.
          index += 1
          position = offsets[index + 1]
        } else {
          objects[index] = object
          position = object.end
        }
      } else if next > position, next < file.limit,
        file.object(at: next) != nil
          || isSound(index + 2, offsets)
      {
        position = next
      } else if let object {
        objects[index] = object
        position = object.end
      } else {
        guard let other = (index + 1..<objects.count).first(where: { isSound($0, offsets) }) else {
          return
        }
        index = other - 1
        position = offsets[other]
      }
      if index == root { rootEnd = position }
      index += 1
    }
  }

  private func isSound(_ index: Int, _ offsets: [Int], movedBy shift: Int = 0) -> Bool {
    index < objects.count
      && file.object(at: offsets[index] + shift)?.end == offsets[index + 1] + shift
  }

  /// The index from which all objects are intact at their moved positions.
  private func back(_ offsets: [Int]) -> Int {
    var back = objects.count
    while back > 0, isSound(back - 1, offsets, movedBy: shift) { back -= 1 }
    return back
  }

  /// The map with the damage in the root, or from it into the next objects; nil if that is
  /// impossible.
  private func moved(_ offsets: [Int]) -> BinaryMap? {
    let back = max(1, back(offsets))
    let firstByte = back == 1 ? offsets[0] : offsets[back - 1] + 1 + min(0, shift)
    guard root == 0, back < objects.count, firstByte < offsets[1] else { return nil }
    var map = self
    for index in back..<objects.count {
      map.objects[index] = file.object(at: offsets[index] + shift)
    }
    map.rootEnd = offsets[1] + shift
    map.isRootMoved = true
    return map
  }

  /// The map with the damage after the root, read from both ends; nil if that is impossible.
  private func met(_ offsets: [Int]) -> BinaryMap? {
    var front = 0
    while front < objects.count, isSound(front, offsets) { front += 1 }
    let back = max(root + 1, back(offsets))
    guard front > root else { return nil }
    var map = self
    // An object that lost bytes still seems complete, because it includes bytes of the next one. If
    // both objects seem complete, it is unknown to which of them the shared bytes belong.
    let backStart = offsets[back] + shift
    let starts = Set(offsets[..<front])
    for index in objects.indices {
      let here = index < front ? file.object(at: offsets[index]) : nil
      let moved = index >= back ? file.object(at: offsets[index] + shift) : nil
      if let here, let moved {
        let isSame = file.bytes[here.start..<here.end] == file.bytes[moved.start..<moved.end]
        map.objects[index] = isSame ? here : nil
      } else if let here, here.end <= backStart || index == root {
        map.objects[index] = here
      } else if let moved, !starts.contains(moved.start) {
        map.objects[index] = moved
      }
    }
    map.rootEnd = offsets[root + 1]
    // Otherwise the damage is after the first object, or left that object's size intact.
    map.isNearRoot = root > 0 || front < 2 || back < 2
    return map
  }
}

// MARK: - Without a table

extension BinaryMap {
  /// The map of objects that fill the file one after another and have the declared number. Then
  /// only the table, the trailer, or content without structure can be damaged.
  static func byFit(_ bytes: [UInt8], referenceSize: Int? = nil) -> BinaryMap? {
    guard let trailer = Trailer(bytes) else { return nil }
    let file = BinaryObjects(
      bytes: bytes, referenceSize: referenceSize ?? trailer.referenceSize, limit: trailer.table)
    var map = BinaryMap(file, root: trailer.root)
    var position = BinaryObjects.magicSize
    while map.objects.count < trailer.count, let object = file.object(at: position) {
      map.objects.append(object)
      position = object.end
    }
    guard position == trailer.table, map.objects.count == trailer.count else { return nil }
    // After damage, objects may seem to fit by chance. The table contradicts them if one of its
    // objects ends where the next one begins, at its offset or moved.
    let offsets = offsets(trailer, file)
    let shift = trailer.table - trailer.declaredTable
    let hasMoved = shift != 0 && offsets[0] == BinaryObjects.magicSize
    let isContradicted = map.objects.indices.contains { index in
      guard let start = map[index]?.start, start != offsets[index] else { return false }
      // The table is intact, so objects have moved, and not all that fit are the original ones.
      if hasMoved { return true }
      return start == offsets[index] + shift
        || file.object(at: offsets[index])?.end == offsets[index + 1]
    }
    if isContradicted { return nil }
    // Either the trailer names a wrong offset of the table, or these objects have moved.
    var index = map.objects.count
    while hasMoved, index > 0, map.isSound(index - 1, offsets, movedBy: shift) {
      index -= 1
      map.objects[index] = nil
    }
    return map
  }

  /// The map of consecutive objects from the first one on; nil if there is none. The first one is
  /// the root, as all known writers place it.
  static func bySequence(_ bytes: [UInt8], referenceSize: Int) -> BinaryMap? {
    let file = BinaryObjects(bytes: bytes, referenceSize: referenceSize, limit: bytes.count)
    var map = BinaryMap(file, root: 0)
    var position = BinaryObjects.magicSize
    while let object = file.object(at: position) {
      map.objects.append(object)
      position = object.end
    }
    return map.objects.isEmpty ? nil : map
  }
}
