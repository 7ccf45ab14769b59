import Defaults
import Foundation

/// Reads a damaged XML property list. Each entry is decoded separately, from its `<key>` to the end
/// of its value. After a damaged entry, reading continues at the next `<key>` of the first level.
///
/// The level of a `<key>` follows from its indentation, which all known writers use, or else from
/// the collections that are open before it.
struct XMLSalvage {
  private let bytes: [UInt8]
  private let tokens: [XMLTokens.Token]
  /// The token indices of the keys that appear to be on the first level.
  private let keys: [Int]

  /// The token index of the last key of any level.
  private let lastKey: Int

  private init(_ bytes: [UInt8]) {
    self.bytes = bytes
    let tokens = XMLTokens(bytes).tokens
    self.tokens = tokens
    lastKey = tokens.lastIndex { $0.isKey } ?? 0
    let indented = tokens.indices.filter {
      tokens[$0].isKey && Self.isIndentedOnce(bytes, tokens[$0].range.lowerBound)
    }
    keys = indented.isEmpty ? Self.shallowKeys(tokens) : indented
  }

  /// The readable entries; nil if there are no keys.
  static func read(_ bytes: [UInt8]) -> Salvage? {
    let reader = Self(bytes)
    return reader.keys.isEmpty ? nil : reader.entries()
  }

  /// Whether a tag follows a single tab at the beginning of a line.
  private static func isIndentedOnce(_ bytes: [UInt8], _ start: Int) -> Bool {
    guard start >= 2, bytes[start - 1] == UInt8(ascii: "\t") else { return false }
    return bytes[start - 2] == UInt8(ascii: "\n")
  }

  /// The keys inside at most one collection.
  private static func shallowKeys(_ tokens: [XMLTokens.Token]) -> [Int] {
    var depth = 0
    var keys: [Int] = []
    for (place, token) in tokens.enumerated() {
      if token.isCollection, token.kind != .empty { depth += token.kind == .opening ? 1 : -1 }
      if token.isKey, depth <= 1 { keys.append(place) }
    }
    return keys
  }

  private func entries() -> Salvage {
    var salvage = Salvage(.xml)
    var (place, marked) = (displacedKey(0..<keys[0]) ?? keys[0], 0)
    var expected = place
    while place < tokens.count {
      while marked < keys.count, keys[marked] <= place { marked += 1 }
      let limit = marked < keys.count ? keys[marked] : tokens.count
      if place > expected {
        salvage.lose("there are tags where an entry was expected, \(line(expected))")
      }
      if let end = end(ofEntryAt: place, before: limit), isFirstLevel(end, before: limit),
        let entry = entry(place..<end)
      {
        salvage.take(entry.value, named: entry.name)
        expected = end
        // The next key needn't be indented if it follows immediately.
        place = end < limit && tokens[end].isKey ? end : limit
      } else {
        let name = name(at: place).map { " of \(Salvage.shown($0))" } ?? ""
        salvage.lose("the entry\(name) is damaged, \(line(place))")
        place = displacedKey(place + 1..<limit) ?? limit
        expected = place
      }
      if place == tokens.count || isEnd(expected) { break }
    }
    if salvage.isSound { salvage.lose("the text around the entries is damaged") }
    return salvage
  }

  /// Whether the tag after an entry fits the first level: it closes no collection but the root.
  private func isFirstLevel(_ end: Int, before limit: Int) -> Bool {
    end >= limit || !(tokens[end].kind == .closing && tokens[end].isCollection) || isEnd(end)
  }

  /// The key of an entry that ends where damaged tags end. The key isn't where a key of the first
  /// level should be.
  private func displacedKey(_ places: Range<Int>) -> Int? {
    guard places.upperBound < tokens.count else { return nil }
    return places.lazy.filter { tokens[$0].isKey }.prefix(8).first {
      end(ofEntryAt: $0, before: places.upperBound) == places.upperBound
    }
  }

  /// Whether only the end of the root is left.
  private func isEnd(_ place: Int) -> Bool { place > lastKey }

  /// The line of a tag, for messages.
  private func line(_ place: Int) -> String {
    let end = place < tokens.count ? tokens[place].range.lowerBound : bytes.count
    return "line \(bytes[..<end].count { $0 == UInt8(ascii: "\n") } + 1)"
  }

  /// The index after the tags of a key and its value.
  private func end(ofEntryAt place: Int, before limit: Int) -> Int? {
    var place = place + 1
    guard place < limit, tokens[place].kind == .closing, tokens[place].role == .key else {
      return nil
    }
    place += 1
    guard place < limit else { return nil }
    if tokens[place].kind == .empty { return place + 1 }
    guard tokens[place].kind == .opening else { return nil }
    guard tokens[place].isCollection else {
      let isClosed =
        place + 1 < limit && tokens[place + 1].kind == .closing
        && bytes[tokens[place + 1].name] == bytes[tokens[place].name]
      return isClosed ? place + 2 : nil
    }
    var depth = 0
    while place < limit {
      if tokens[place].isCollection, tokens[place].kind != .empty {
        depth += tokens[place].kind == .opening ? 1 : -1
      }
      place += 1
      if depth == 0 { return place }
    }
    return nil
  }

  /// The entry in these tags, decoded as strictly as a whole file.
  private func entry(_ places: Range<Int>) -> (name: String, value: PropertyListValue)? {
    let range =
      tokens[places.lowerBound].range
      .lowerBound..<tokens[places.upperBound - 1].range
      .upperBound
    // No writer stores NUL. It comes from a lost block of a disk.
    guard !bytes[range].contains(0) else { return nil }
    let document = Data("<plist><dict>".utf8) + bytes[range] + Data("</dict></plist>".utf8)
    guard let entries = try? Defaults.PropertyListFormat.decode(document).entries,
      entries.count == 1
    else { return nil }
    return entries.first.map { ($0.key, $0.value) }
  }

  /// The name in a key, if it is intact.
  private func name(at place: Int) -> String? {
    guard place + 1 < tokens.count, tokens[place + 1].kind == .closing else { return nil }
    let text = bytes[tokens[place].range.upperBound..<tokens[place + 1].range.lowerBound]
    return String(validating: text, as: UTF8.self)
  }
}
