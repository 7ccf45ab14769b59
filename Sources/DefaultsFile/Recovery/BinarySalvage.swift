import Defaults

/// Reads a damaged binary property list entry by entry. A damaged object loses only the entries
/// that contain it.
struct BinarySalvage {
  private enum Memory {
    case underWay, damaged
    case value(PropertyListValue, height: Int, cost: Int)
  }

  private let map: BinaryMap
  /// By index, the values that were read so far.
  private var memory: [Int: Memory] = [:]
  /// By index, whether an object is the root, a name, or inside a value.
  private var isUsed: [Bool]
  /// The number of values that may still be created. Shared values are counted each time.
  private var budget: Int

  private init(_ map: BinaryMap) {
    self.map = map
    isUsed = Array(repeating: false, count: map.indices.count)
    budget = map.file.bytes.count + 1 << 20
  }

  /// The readable entries; nil if there is no root.
  static func read(_ bytes: [UInt8]) -> Salvage? {
    if let map = BinaryMap.byFit(bytes), let found = read(map), !found.entries.isEmpty {
      return found
    }
    let moved = readMoved(bytes)
    if let found = moved.found { return found }
    // One map at a time, since each takes several times the memory of the file.
    var best: Salvage?
    func take(_ map: BinaryMap?) {
      guard let map, let found = read(map) else { return }
      if found.entries.count > best?.entries.count ?? -1 { best = found }
    }
    func takeTables(where isIncluded: (BinaryMap) -> Bool) {
      for size in [nil, 1, 2, 4, 8] {
        if let map = BinaryMap.byTable(bytes, referenceSize: size), isIncluded(map) { take(map) }
      }
    }
    // An object that contradicts the declared size of references is damaged, too.
    takeTables { $0.quality >= 0.5 }
    if let best, !best.entries.isEmpty { return best }
    for size in [1, 2, 4, 8] { take(BinaryMap.bySequence(bytes, referenceSize: size)) }
    takeTables { $0.quality < 0.5 }
    if moved.isPossible { best?.lose(doubt) }
    return best
  }

  /// The entries of a file with missing or inserted bytes; nil if the table doesn't tell how far
  /// the objects have moved. `isPossible` is false if none have.
  private static func readMoved(_ bytes: [UInt8]) -> (found: Salvage?, isPossible: Bool) {
    let (inRoot, behindRoot) = BinaryMap.byMovedTable(bytes)
    return (readMoved(inRoot, behindRoot), inRoot != nil || behindRoot != nil)
  }

  private static func readMoved(_ inRoot: BinaryMap?, _ behindRoot: BinaryMap?) -> Salvage? {
    switch (inRoot.flatMap(readAlone), behindRoot.flatMap(readAlone)) {
    case (let first?, let second?) where first.isPlausible && second.isPlausible:
      // The object after the root has its marker and size, which proves where the damage is.
      if behindRoot?.isNearRoot == false { return second.found }
      return first.found.common(with: second.found)
    case (let first?, _) where first.isPlausible: return first.found
    case (_, let second?) where second.isPlausible: return second.found
    case (_, var second?) where behindRoot.map { $0.quality >= 0.5 } ?? false:
      second.found.lose(doubt)
      return second.found
    default: return nil
    }
  }

  private static func readAlone(_ map: BinaryMap) -> (found: Salvage, isPlausible: Bool)? {
    BinaryRoot(map, at: map.root).map { root in
      var reader = Self(map)
      return (reader.entries(of: root, at: map.root), root.isPlausible)
    }
  }

  private static let doubt =
    "there are values that belong to no entry, so an entry may have the value of another entry"

  /// The entries of a map, with the root that gives the most.
  private static func read(_ map: BinaryMap) -> Salvage? {
    let roots = map.root == 0 ? [0] : [map.root, 0]
    let found = roots.compactMap { index in
      BinaryRoot(map, at: index).map { root in
        var reader = Self(map)
        return reader.entries(of: root, at: index)
      }
    }
    return found.max { $0.entries.count < $1.entries.count }
  }

  private mutating func entries(of root: BinaryRoot, at index: Int) -> Salvage {
    var salvage = Salvage(.binary)
    use(index)
    for (name, value) in root.entries {
      let text = name.flatMap { self.name($0) }
      let entry = value.flatMap { self.value($0, depth: 1) }
      switch (text, entry) {
      case (let text?, let entry?): salvage.take(entry, named: text)
      case (let text?, nil): salvage.lose("the value of \(Salvage.shown(text)) is damaged")
      case (nil, let entry?):
        salvage.lose("the name of the entry with the value \(entry.summary) is damaged")
      case (nil, nil): salvage.lose("an entry is damaged")
      }
    }
    // Otherwise the file would have been read as intact.
    if salvage.isSound { salvage.lose("the tables at the end, or the first bytes, are damaged") }
    // No known writer stores a value without an entry. After damage in several places it is unknown
    // how the references have moved.
    if map.indices.contains(where: { map[$0] != nil && !isUsed[$0] }) {
      salvage.lose(Self.doubt)
    }
    return salvage
  }

  private mutating func use(_ index: Int) {
    if isUsed.indices.contains(index) { isUsed[index] = true }
  }

  private mutating func value(_ index: Int, depth: Int) -> PropertyListValue? {
    use(index)
    guard depth <= PropertyListValue.maximumDepth else { return nil }
    switch memory[index] {
    case .underWay, .damaged: return nil
    case .value(let value, let height, let cost):
      guard depth + height - 1 <= PropertyListValue.maximumDepth, spend(cost) else { return nil }
      return value
    case nil: break
    }
    guard let object = map[index], spend(1) else { return nil }
    memory[index] = .underWay
    let before = budget
    var height = 1
    let value: PropertyListValue? =
      switch object.kind {
      case .array: elements(object, depth, &height).map { .array($0) }
      case .dictionary: content(object, depth, &height).map { .dictionary($0) }
      default: spend(bytesOf: object) ? map.file.scalar(object) : nil
      }
    memory[index] =
      value.map { .value($0, height: height, cost: 1 + before - budget) } ?? .damaged
    return value
  }

  private mutating func spend(_ cost: Int) -> Bool {
    budget -= cost
    return budget > 0
  }

  private mutating func spend(bytesOf object: BinaryMap.Object) -> Bool {
    spend((object.end - object.start) / 64)
  }

  /// The text of a name. Many entries may have the same long name.
  private mutating func name(_ index: Int) -> String? {
    use(index)
    guard let object = map[index], spend(bytesOf: object) else { return nil }
    return map.file.text(object)
  }

  private mutating func element(
    at offset: Int, _ depth: Int, _ height: inout Int
  ) -> PropertyListValue? {
    guard let index = map.file.reference(at: offset), let value = value(index, depth: depth + 1)
    else { return nil }
    if case .value(_, let inner, _) = memory[index] { height = max(height, inner + 1) }
    return value
  }

  private mutating func elements(
    _ object: BinaryMap.Object, _ depth: Int, _ height: inout Int
  ) -> [PropertyListValue]? {
    var elements: [PropertyListValue] = []
    for place in 0..<object.count {
      let offset = object.content + place * map.file.referenceSize
      guard let element = element(at: offset, depth, &height) else { return nil }
      elements.append(element)
    }
    return elements
  }

  private mutating func content(
    _ object: BinaryMap.Object, _ depth: Int, _ height: inout Int
  ) -> [String: PropertyListValue]? {
    var content: [String: PropertyListValue] = [:]
    let values = object.count * map.file.referenceSize
    for place in 0..<object.count {
      let offset = object.content + place * map.file.referenceSize
      guard let key = map.file.reference(at: offset) else { return nil }
      guard let text = name(key),
        let value = element(at: offset + values, depth, &height),
        content.updateValue(value, forKey: text) == nil
      else { return nil }
    }
    return content
  }
}

extension PropertyListValue {
  /// A short form of the value, for a message.
  var summary: String {
    let text = "\(self)"
    return text.count > 60 ? "\(text.prefix(60))…" : text
  }
}
