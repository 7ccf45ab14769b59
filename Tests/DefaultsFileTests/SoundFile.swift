import Defaults
import Foundation
import FuzzInputs

@testable import DefaultsFile

/// An intact file with the bytes that each entry needs.
struct SoundFile {
  typealias Value = Defaults.PropertyListValue

  let bytes: [UInt8]
  let entries: [String: Value]
  /// By name: the bytes that are required to recover the entry.
  let places: [String: [Range<Int>]]

  /// The entries that must at least be recovered after a damage.
  func entries(outside damage: OneDamage) -> [String: Value] {
    entries.filter { name, _ in !(places[name] ?? []).contains { damage.hits($0) } }
  }
}

extension SoundFile {
  static func binary(_ entries: [String: Value]) throws -> Self {
    let bytes = Array(try Defaults.PropertyListFormat.binary.encode(entries))
    guard let map = BinaryMap.byTable(bytes), let root = BinaryRoot(map, at: 0),
      let dictionary = map[0]
    else { throw CocoaError(.coderInvalidValue) }
    var places: [String: [Range<Int>]] = [:]
    let size = map.file.referenceSize
    for (place, entry) in root.entries.enumerated() {
      guard let name = entry.name, let key = map[name], let text = map.file.text(key),
        let value = entry.value
      else { throw CocoaError(.coderInvalidValue) }
      let references = [place, root.entries.count + place].map {
        let start = dictionary.content + $0 * size
        return start..<start + size
      }
      places[text] = references + [key.start..<key.end] + Self.places(of: value, map)
    }
    return Self(bytes: bytes, entries: entries, places: places)
  }

  private static func places(of index: Int, _ map: BinaryMap) -> [Range<Int>] {
    guard let object = map[index] else { return [] }
    let children =
      switch object.kind {
      case .array: object.count
      case .dictionary: 2 * object.count
      default: 0
      }
    let size = map.file.referenceSize
    return [object.start..<object.end]
      + (0..<children).flatMap { place in
        map.file.reference(at: object.content + place * size).map { Self.places(of: $0, map) } ?? []
      }
  }

  static func xml(_ entries: [String: Value]) throws -> Self {
    let mild = entries.filter {
      (try? Defaults.PropertyListFormat.xml.encode([$0.key: $0.value])) != nil
    }
    let data = try Defaults.PropertyListFormat.xml.encode(mild)
    let text = String(decoding: data, as: UTF8.self)
    var places: [String: [Range<Int>]] = [:]
    // Each entry's text is between the beginnings of two top-level keys.
    var offset = 0
    let parts = text.components(separatedBy: "\n\t<key>")
    for (index, part) in parts.enumerated() {
      let end = offset + part.utf8.count
      if index > 0 {
        let content = part.components(separatedBy: "\n</dict>\n</plist>")[0]
        let document = "<plist><dict><key>\(content)</dict></plist>"
        let decoded = try Defaults.PropertyListFormat.decode(Data(document.utf8)).entries
        for name in decoded.keys { places[name] = [offset - 5..<offset + content.utf8.count] }
      }
      offset = end + "\n\t<key>".utf8.count
    }
    return Self(bytes: Array(data), entries: mild, places: places)
  }

  /// A journal with a record for each group of entries; the last change of an entry is used.
  static func journal(_ groups: [[String: Value]]) -> Self {
    var image = JournalImage(id: 0x0123_4567_89ab_cdef)
    var (entries, places): ([String: Value], [String: [Range<Int>]]) = ([:], [:])
    for group in groups {
      let start = image.bytes.count + 8 + 29
      let changes = group.sorted { $0.key < $1.key }
      image.append(changes.map { .init($0.key, $0.value) })
      var position = start
      for (name, value) in changes {
        let length = 1 + 4 + name.utf8.count + JournalImage.bytes(of: value).count
        entries[name] = value
        places[name] = [position..<position + length]
        position += length
      }
    }
    return Self(bytes: image.bytes, entries: entries, places: places)
  }
}

/// Entries as in real settings, the same for the same number.
struct SampleEntries {
  private var random: SplitMix64

  static func of(_ seed: UInt64, count: Int) -> [String: SoundFile.Value] {
    var samples = Self(random: SplitMix64(state: seed))
    var entries: [String: SoundFile.Value] = [:]
    for index in 0..<count { entries["\(samples.word())\(index)"] = samples.value(depth: 0) }
    return entries
  }

  private mutating func word() -> String {
    let words = ["theme", "window.frame", "größe", "recent files", "on", "volume", "💡"]
    return random.pick(words)
  }

  private mutating func value(depth: Int) -> SoundFile.Value {
    switch random.below(depth < 2 ? 10 : 7) {
    case 0: return .bool(random.oneIn(2))
    case 1: return .integer(Int64(random.below(random.pick([100, 60_000, 1 << 40]))))
    case 2: return .real(Double(random.below(1_000)) / 8)
    case 3: return .string(word() + String(random.below(1_000_000)))
    case 4: return .date(Date(timeIntervalSinceReferenceDate: Double(random.below(900_000_000))))
    case 5: return .data(Data((0..<random.below(40)).map { _ in UInt8(random.below(256)) }))
    case 6: return .string((0...random.below(20)).map { _ in word() }.joined(separator: " "))
    case 7, 8: return .array((0..<random.below(5)).map { _ in value(depth: depth + 1) })
    default:
      var content: [String: SoundFile.Value] = [:]
      for _ in 0..<random.below(5) { content[word()] = value(depth: depth + 1) }
      return .dictionary(content)
    }
  }
}
