extension Mutation {
  /// Damages the structure of a binary property list: trailer, offsets, markers, counts and
  /// references.
  mutating func damageBinary() {
    guard bytes.count > 50 else { return }
    let trailer = bytes.count - 32
    let offsetSize = max(1, min(8, Int(bytes[trailer + 6])))
    let table = min(trailer - 1, bytes[(bytes.count - 4)...].reduce(0) { $0 << 8 | Int($1) })
    let count = max(1, (trailer - table) / offsetSize)
    let entry = table + random.below(count) * offsetSize
    let object = bytes[entry..<min(trailer, entry + offsetSize)].reduce(0) {
      min($0, bytes.count) << 8 | Int($1)
    }
    let marker = object < table ? object : 8 + random.below(max(1, table - 8))
    switch random.below(9) {
    case 0:
      bytes[trailer + random.pick([0, 5, 6, 6, 7, 7])] = random.pick([0, 1, 2, 3, 8, 9, 255])
    case 1: overwrite(trailer + random.pick([8, 12, 15, 16, 20, 23, 24, 28, 31]), extreme())
    case 2: overwrite(entry, extreme())
    case 3:
      let other = table + random.below(count) * offsetSize
      overwrite(entry, Array(bytes[other..<min(trailer, other + offsetSize)]))
    case 4, 5:
      let markers: [UInt8] = [
        0x00, 0x08, 0x09, 0x0f, 0x10, 0x11, 0x12, 0x13, 0x14, 0x22, 0x23, 0x33, 0x40, 0x4f, 0x50,
        0x5f, 0x60, 0x6f, 0x80, 0x81, 0xa0, 0xa1, 0xaf, 0xb1, 0xc1, 0xd0, 0xd1, 0xdf, 0xef,
      ]
      bytes[marker] = random.pick(markers)
    case 6:
      bytes[marker] |= 0x0f
      overwrite(marker + 1, [random.pick([0x10, 0x11, 0x12, 0x13, 0x14])] + extreme())
    default:
      // In a collection, these are references. A small object number probably creates a cycle.
      overwrite(marker + 1 + random.below(4), [UInt8(random.below(min(count, 256)))])
    }
  }

  /// Damages tags, entities and nesting.
  mutating func damageXML() {
    let tags = bytes.indices.filter { bytes[$0] == UInt8(ascii: "<") }
    guard !tags.isEmpty else { return }
    let (first, second) = (random.pick(tags), random.pick(tags))
    let range = min(first, second)..<max(first, second)
    switch random.below(6) {
    case 0: insert(random.pick(Self.snippets).utf8, at: first)
    case 1: insert(random.pick(Self.snippets).utf8, at: random.below(bytes.count))
    case 2:
      let times = random.pick([1, 2, 250, 300, 1_000])
      let (open, close) = random.pick([
        ("<array>", "</array>"), ("<dict><key>k</key>", "</dict>"), ("<!--", "-->"), ("<a>", ""),
      ])
      insert(close.utf8, at: range.upperBound, times: times)
      insert(open.utf8, at: range.lowerBound, times: times)
    case 3: insert(bytes[range].prefix(2_000), at: first, times: random.pick([1, 1, 2, 20]))
    case 4: bytes.removeSubrange(range.prefix(500))
    default:
      guard let close = bytes[first...].firstIndex(of: UInt8(ascii: ">")) else { return }
      bytes.replaceSubrange(close..<close + 1, with: random.pick([">>", "/>", "", " x='y'>"]).utf8)
    }
  }

  private static let snippets = [
    "&#0;", "&#x110000;", "&#xd800;", "&#99999999999999999999;", "&amp;amp;", "&lol;", "&", "]]>",
    "<![CDATA[<]]>", "<![CDATA[", "<!--", "-->", "<!-- -- -->", "<?x y?>", "<?", "\u{feff}", "\0",
    "<!DOCTYPE plist [<!ENTITY lol \"lol\"><!ENTITY lol2 \"&lol;&lol;\">]>", "<plist>", "</plist>",
    "<?xml version=\"1.0\" encoding=\"UTF-16\"?>", "<dict>", "</dict>", "<dict/>", "<array/>",
    "<key>", "</key>", "<key/>", "<key>CF$UID</key>", "<string>", "</string>", "<true/>", "<true>",
    "<integer>0x7fffffffffffffff</integer>", "<integer>18446744073709551616</integer>",
    "<integer>-9223372036854775809</integer>", "<integer></integer>", "<real>1e999</real>",
    "<real>nan</real>", "<real>0x1p3</real>", "<date>2001-99-99T99:99:99Z</date>",
    "<date>99999999999-01-01T00:00:00Z</date>", "<data>AA=A</data>", "<data>////</data>",
    "<data>A</data>", "<null/>", "<\u{fc}>",
  ]

  /// Damages the records of a journal, their fields, and their order.
  mutating func damageJournal() {
    let records = JournalImage.records(in: bytes)
    guard !records.isEmpty else { return }
    let record = random.pick(records)
    let other = random.pick(records)
    let index = random.pick(record)
    switch random.below(10) {
    case 0: overwrite(record.lowerBound, extreme().prefix(4))
    case 1, 2: overwrite(index, extreme())
    case 3: bytes[index] = UInt8(random.below(12))
    case 4: insert(bytes[other], at: record.lowerBound, times: random.pick([1, 1, 3]))
    case 5: bytes.removeSubrange(record)
    case 6: for index in index..<record.upperBound { bytes[index] = 0 }
    case 7: bytes.replaceSubrange(record, with: bytes[other])
    case 8:
      // Nested collections, each with the largest plausible count.
      let count = random.pick([1, 2, max(1, (record.upperBound - index) / 7)])
      let tag: UInt8 = random.pick([8, 9])
      let header = [tag] + (0..<4).map { UInt8(truncatingIfNeeded: count >> (8 * $0)) }
      insert(tag == 8 ? header : header + [0, 0, 0, 0], at: index, times: random.pick([1, 300]))
    default: bytes[8 + random.below(JournalImage.headerSize - 8)] = random.byte
    }
  }
}
