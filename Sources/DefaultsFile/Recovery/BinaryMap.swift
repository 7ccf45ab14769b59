/// The positions of the objects of a damaged binary property list, by index.
///
/// With an intact trailer, the offset table gives the positions. Each object is then checked: it
/// must end where the next one begins. If bytes were inserted or are missing, everything after them
/// has moved as far as the table itself. Without a trailer, objects are read one after another.
struct BinaryMap {
  typealias Object = BinaryObjects.Object

  let file: BinaryObjects
  /// The offsets of the objects by index; 0 for damaged objects. A file may have as many objects as
  /// bytes, and at most ``RawFile/limitOfDamaged``.
  private var starts: [UInt32] = []
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
    starts.isEmpty ? 0 : Double(starts.count { $0 != 0 }) / Double(starts.count)
  }

  /// The indices of all objects, including damaged objects.
  var indices: Range<Int> { starts.indices }

  /// The object at an index; nil if it is damaged or there is none.
  private(set) subscript(index: Int) -> Object? {
    get {
      guard starts.indices.contains(index), starts[index] != 0 else { return nil }
      return file.object(at: Int(starts[index]))
    }
    set { starts[index] = newValue.map { UInt32($0.start) } ?? 0 }
  }
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

/// The offsets of a table, and at the end the offset at which the last object ends.
private struct Offsets {
  let trailer: Trailer
  let file: BinaryObjects

  subscript(index: Int) -> Int {
    guard index < trailer.count else { return trailer.declaredTable }
    let position = trailer.table + index * trailer.offsetSize
    let offset = file.integer(at: position, size: trailer.offsetSize) ?? 0
    return Int(clamping: min(offset, 1 << 40))
  }
}

extension BinaryMap {
  /// The map according to trailer and table; nil without a trailer, or if bytes are missing or were
  /// inserted. `referenceSize` overrides the size in the trailer.
  static func byTable(_ bytes: [UInt8], referenceSize: Int? = nil) -> BinaryMap? {
    guard let trailer = Trailer(bytes), trailer.table == trailer.declaredTable else { return nil }
    var map = BinaryMap(bytes, trailer, referenceSize)
    map.walk(Offsets(trailer: trailer, file: map.file))
    return map
  }

  /// The maps according to trailer and table if bytes are missing or were inserted: one with the
  /// damage in the root, one with the damage after it; nil where that is impossible.
  static func byMovedTable(_ bytes: [UInt8]) -> (inRoot: BinaryMap?, behindRoot: BinaryMap?) {
    guard let trailer = Trailer(bytes), trailer.table != trailer.declaredTable else {
      return (nil, nil)
    }
    let map = BinaryMap(bytes, trailer)
    let offsets = Offsets(trailer: trailer, file: map.file)
    // Otherwise the table itself lost or gained bytes.
    guard offsets[0] == BinaryObjects.magicSize else { return (nil, nil) }
    return (map.moved(offsets), map.met(offsets))
  }

  private init(_ bytes: [UInt8], _ trailer: Trailer, _ referenceSize: Int? = nil) {
    file = BinaryObjects(
      bytes: bytes, referenceSize: referenceSize ?? trailer.referenceSize, limit: trailer.table)
    root = trailer.root
    starts = Array(repeating: 0, count: trailer.count)
    shift = trailer.table - trailer.declaredTable
  }

  /// Checks all objects when nothing has moved. A damaged object loses only itself, and a wrong
  /// entry of the table is corrected by the object before it.
  private mutating func walk(_ offsets: Offsets) {
    var (index, position) = (0, BinaryObjects.magicSize)
    if offsets[0] != position, file.object(at: offsets[0])?.end == offsets[1] {
      position = offsets[0]
    }
    while index < starts.count {
      let object = file.object(at: position)
      let next = offsets[index + 1]
      if let object, object.end == next {
        self[index] = object
        position = next
      } else if let object, index + 1 < starts.count,
        file.object(at: object.end)?.end == offsets[index + 2]
      {
        if isSound(index + 1, offsets) {
          // The next object is intact according to the table, but this object's end leads to a
          // different one. Which of the two is damaged is unknown, so both are skipped.
          index += 1
          position = offsets[index + 1]
        } else {
          self[index] = object
          position = object.end
        }
      } else if next > position, next < file.limit,
        file.object(at: next) != nil
          || isSound(index + 2, offsets)
      {
        position = next
      } else if let object {
        self[index] = object
        position = object.end
      } else {
        guard let other = (index + 1..<starts.count).first(where: { isSound($0, offsets) }) else {
          return
        }
        index = other - 1
        position = offsets[other]
      }
      if index == root { rootEnd = position }
      index += 1
    }
  }

  private func isSound(_ index: Int, _ offsets: Offsets, movedBy shift: Int = 0) -> Bool {
    index < starts.count
      && file.object(at: offsets[index] + shift)?.end == offsets[index + 1] + shift
  }

  /// The index from which all objects are intact at their moved positions.
  private func back(_ offsets: Offsets) -> Int {
    var back = starts.count
    while back > 0, isSound(back - 1, offsets, movedBy: shift) { back -= 1 }
    return back
  }

  /// The map with the damage in the root, or from it into the next objects; nil if that is
  /// impossible.
  private func moved(_ offsets: Offsets) -> BinaryMap? {
    let back = max(1, back(offsets))
    let firstByte = back == 1 ? offsets[0] : offsets[back - 1] + 1 + min(0, shift)
    guard root == 0, back < starts.count, firstByte < offsets[1] else { return nil }
    var map = self
    for index in back..<starts.count {
      map[index] = file.object(at: offsets[index] + shift)
    }
    map.rootEnd = offsets[1] + shift
    map.isRootMoved = true
    return map
  }

  /// The map with the damage after the root, read from both ends; nil if that is impossible.
  private func met(_ offsets: Offsets) -> BinaryMap? {
    var front = 0
    while front < starts.count, isSound(front, offsets) { front += 1 }
    let back = max(root + 1, back(offsets))
    guard front > root else { return nil }
    var map = self
    // An object that lost bytes still seems complete, because it includes bytes of the next one. If
    // both objects seem complete, it is unknown to which of them the shared bytes belong.
    let backStart = offsets[back] + shift
    // The offsets of both kinds ascend, since intact objects end where the next ones begin.
    var place = 0
    for index in indices {
      let here = index < front ? file.object(at: offsets[index]) : nil
      let moved = index >= back ? file.object(at: offsets[index] + shift) : nil
      if let here, let moved {
        let isSame = file.bytes[here.start..<here.end] == file.bytes[moved.start..<moved.end]
        map[index] = isSame ? here : nil
      } else if let here, here.end <= backStart || index == root {
        map[index] = here
      } else if let moved {
        while place < front, offsets[place] < moved.start { place += 1 }
        let isFront = place < front && offsets[place] == moved.start
        map[index] = isFront ? nil : moved
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
    while map.starts.count < trailer.count, let object = file.object(at: position) {
      map.starts.append(UInt32(object.start))
      position = object.end
    }
    guard position == trailer.table, map.starts.count == trailer.count else { return nil }
    // After damage, objects may seem to fit by chance. The table contradicts them if one of its
    // objects ends where the next one begins, at its offset or moved.
    let offsets = Offsets(trailer: trailer, file: file)
    let shift = trailer.table - trailer.declaredTable
    let hasMoved = shift != 0 && offsets[0] == BinaryObjects.magicSize
    let isContradicted = map.indices.contains { index in
      let start = Int(map.starts[index])
      guard start != offsets[index] else { return false }
      // The table is intact, so objects have moved, and not all that fit are the original ones.
      if hasMoved { return true }
      return start == offsets[index] + shift
        || file.object(at: offsets[index])?.end == offsets[index + 1]
    }
    if isContradicted { return nil }
    // Either the trailer names a wrong offset of the table, or these objects have moved.
    var index = map.starts.count
    while hasMoved, index > 0, map.isSound(index - 1, offsets, movedBy: shift) {
      index -= 1
      map[index] = nil
    }
    return map
  }

  /// The map of consecutive objects from the first one on, which all known writers make the root;
  /// nil if that isn't a dictionary.
  static func bySequence(_ bytes: [UInt8], referenceSize: Int) -> BinaryMap? {
    let file = BinaryObjects(bytes: bytes, referenceSize: referenceSize, limit: bytes.count)
    var map = BinaryMap(file, root: 0)
    var position = BinaryObjects.magicSize
    guard file.object(at: position)?.kind == .dictionary else { return nil }
    while let object = file.object(at: position) {
      map.starts.append(UInt32(object.start))
      position = object.end
    }
    return map
  }
}
