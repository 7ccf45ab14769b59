import Foundation

extension HostileForm {
  /// Property list files that are known to harm their readers, and typical damage.
  static let files = damagedFiles + binaryFiles + xmlFiles

  /// The remains of a file after a power loss, a kill or a full disk.
  private static let damagedFiles: [Self] = [
    HostileForm("nothing", []),
    HostileForm("only zeros, of a power cut", [UInt8](repeating: 0, count: 4_096)),
    HostileForm(
      "zeros after a sound start", Array("bplist00".utf8) + [UInt8](repeating: 0, count: 88)),
    HostileForm("white space, which Foundation reads as an empty file", " \n\t".utf8),
    HostileForm("a word, which Foundation reads as a string", "hello".utf8),
    HostileForm("OpenStep syntax", "{ a = 1; b = (x, <0fbd77>); }".utf8),
    HostileForm("JSON", "{\"a\": [1, 2]}".utf8),
    HostileForm("only the magic number", "bplist00".utf8),
    HostileForm("another version of the binary format", "bplist16".utf8 + sound.dropFirst(8)),
    HostileForm("garbage after the end", sound + "garbage".utf8),
    HostileForm("the same file twice", sound + sound),
    HostileForm(
      "64 wrong bytes", sound.prefix(8) + [UInt8](repeating: 0xa5, count: 64) + sound.suffix(32)),
    HostileForm("garbage after the end of XML", "<plist><dict/></plist>garbage".utf8),
    HostileForm("UTF-16", [0xff, 0xfe] + "<plist><dict/></plist>".utf8.flatMap { [$0, 0] }),
  ]

  private static let sound: [UInt8] = Array(BinaryPropertyListBuilder.entry([0x10, 1]).data)

  private static let binaryFiles: [Self] = [
    HostileForm("a set, on which Foundation dies", entry([0xc1, 3], [0x10, 1])),
    HostileForm("an ordered set", entry([0xb1, 3], [0x10, 1])),
    HostileForm("a null", entry([0x00])),
    HostileForm("a UID", entry([0x80, 1])),
    HostileForm("a URL without content", entry([0x0c])),
    HostileForm(
      "an integer as key", BinaryPropertyListBuilder(objects: [[0xd1, 1, 2], [0x10, 1], [9]])),
    HostileForm(
      "a key twice",
      BinaryPropertyListBuilder(objects: [[0xd2, 1, 2, 3, 3], [0x51, 0x61], [0x51, 0x61], [9]])),
    HostileForm("an array in itself", entry([0xa1, 2])),
    HostileForm("a dictionary in itself", entry([0xd1, 1, 0])),
    HostileForm("a root that isn't a dictionary", BinaryPropertyListBuilder(objects: [[0xa0]])),
    HostileForm("shared references that stand for 2 to the 60 values", doubling(60)),
    HostileForm("shared references that stand for 2 to the 250 values", doubling(250)),
    HostileForm("256 levels of arrays", nested(256), isRead: true),
    HostileForm("257 levels of arrays", nested(257)),
    HostileForm("100,000 levels of arrays", nested(100_000)),
    HostileForm("a reference to an object that isn't there", entry([0xa1, 200])),
    HostileForm("a count of 2 to the 63", entry([0xaf, 0x13, 0x80, 0, 0, 0, 0, 0, 0, 0])),
    HostileForm("a count of 2 to the 64 less 1", entry([0x5f, 0x13] + ones(8))),
    HostileForm("a count that is a real", entry([0x4f, 0x22, 0, 0, 0, 0])),
    HostileForm("a count of 16 bytes", entry([0x4f, 0x14] + ones(16))),
    HostileForm("an integer of 128 bits", entry([0x14] + ones(7) + [0] + ones(8))),
    HostileForm(
      "an integer above those of Int64", entry([0x14] + zeros(8) + ones(8)), isRead: true),
    HostileForm("a real of 2 bytes", entry([0x21, 0, 0])),
    HostileForm("a NaN with a payload", entry([0x23, 0x7f, 0xf8, 0, 0, 0, 0, 0, 1]), isRead: true),
    HostileForm("an infinite date", entry([0x33, 0x7f, 0xf0] + zeros(6)), isRead: true),
    HostileForm("a date that is a NaN", entry([0x33] + ones(8)), isRead: true),
    HostileForm("an ASCII string that isn't ASCII", entry([0x51, 0xe9])),
    HostileForm("a surrogate without its partner", entry([0x61, 0xd8, 0x00])),
    HostileForm(
      "NUL and non-BMP characters", entry([0x63, 0, 0, 0xd8, 0x3d, 0xde, 0]), isRead: true),
    HostileForm(
      "names that differ in their composition only",
      BinaryPropertyListBuilder(
        objects: [[0xd2, 1, 2, 3, 3], [0x61, 0, 0xe9], [0x62, 0, 0x65, 3, 1], [9]])),
    HostileForm("offsets of 0 bytes", trailer(6, 0)),
    HostileForm("offsets of 255 bytes", trailer(6, 255)),
    HostileForm("references of 0 bytes", trailer(7, 0)),
    HostileForm("2 to the 63 objects", trailer(8, 0x80)),
    HostileForm("2 to the 61 objects, which times 8 is 0", trailer(8, 0x20)),
    HostileForm("a root that isn't there", trailer(23, 200)),
    HostileForm("an offset table beyond the end", trailer(24, 0x7f)),
    HostileForm("an offset table in the magic number", trailer(31, 1)),
  ]

  private static let xmlFiles: [Self] = [
    HostileForm("10,000 levels of XML", xml: entry(nested("array", 10_000))),
    HostileForm("10,000 levels of dictionaries", xml: nested("dict><key>k</key", 10_000)),
    HostileForm("a million opening tags", String(repeating: "<dict>", count: 1_000_000).utf8),
    HostileForm("month 99", xml: entry("<date>2001-99-01T00:00:00Z</date>")),
    HostileForm("a date that isn't a number", xml: entry("<date>nan</date>")),
    HostileForm(
      "a year of 20 digits", xml: entry("<date>99999999999999999999-01-01T00:00:00Z</date>")),
    HostileForm(
      "an integer above those of UInt64", xml: entry("<integer>18446744073709551616</integer>")),
    HostileForm("an integer without digits", xml: entry("<integer>-</integer>")),
    HostileForm("a real that isn't one", xml: entry("<real>1,5</real>")),
    HostileForm("data that isn't base64", xml: entry("<data>A===</data>")),
    HostileForm("an XML key twice", xml: "<dict><key>k</key><true/><key>k</key><false/></dict>"),
    HostileForm("a key without a value", xml: "<dict><key>k</key></dict>"),
    HostileForm("a value without a key", xml: "<dict><true/></dict>"),
    HostileForm(
      "a UID in XML", xml: entry("<dict><key>CF$UID</key><integer>1</integer></dict>"), isRead: true
    ),
    HostileForm("a raw control character", xml: entry("<string>\u{1}</string>"), isRead: true),
    HostileForm("a character reference to NUL", xml: entry("<string>&#0;</string>"), isRead: true),
    HostileForm("a character reference to a surrogate", xml: entry("<string>&#xd800;</string>")),
    HostileForm("an entity of its own", xml: entry("<string>&lol;</string>")),
    HostileForm(
      "a billion laughs",
      """
      <!DOCTYPE plist [<!ENTITY a "lol"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">\
      <!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;">]><plist><dict><key>k</key>\
      <string>&c;</string></dict></plist>
      """.utf8),
    HostileForm(
      "an entity in a file",
      "<!DOCTYPE plist [<!ENTITY a SYSTEM \"file:///etc/passwd\">]><plist><dict/></plist>".utf8),
    HostileForm("a comment without an end", "<plist><!--".utf8),
    HostileForm("a section without an end", "<plist><dict><key><![CDATA[".utf8),
    HostileForm("bytes that aren't UTF-8", xml: "<dict><key>").appending([0xff, 0xc0, 0x80]),
  ]
}

extension HostileForm {
  private init(_ name: String, _ builder: BinaryPropertyListBuilder, isRead: Bool = false) {
    self.init(name, builder.data, isRead: isRead)
  }

  private func appending(_ more: [UInt8]) -> Self { HostileForm(name, bytes + more) }

  private static func entry(_ value: [UInt8], _ other: [UInt8] = [9]) -> BinaryPropertyListBuilder {
    .entry(value, other)
  }

  private static func entry(_ xml: String) -> String { "<dict><key>k</key>\(xml)</dict>" }

  private static func ones(_ count: Int) -> [UInt8] { Array(repeating: 0xff, count: count) }
  private static func zeros(_ count: Int) -> [UInt8] { Array(repeating: 0, count: count) }

  /// Each of these arrays contains the next one twice.
  private static func doubling(_ count: Int) -> BinaryPropertyListBuilder {
    var builder = BinaryPropertyListBuilder(objects: [[0xd1, 1, 2], [0x51, 0x6b]])
    builder.offsetSize = 2
    for index in 0..<count { builder.objects.append([0xa2, UInt8(index + 3), UInt8(index + 3)]) }
    builder.objects.append([9])
    return builder
  }

  private static func nested(_ levels: Int) -> BinaryPropertyListBuilder {
    var builder = BinaryPropertyListBuilder(objects: [], offsetSize: 4, referenceSize: 4)
    builder.objects = [[0xd1, 0, 0, 0, 1, 0, 0, 0, 2], [0x51, 0x6b]]
    for index in 0..<levels - 1 {
      builder.objects.append([0xa1] + BinaryPropertyListBuilder.integer(index + 3, size: 4))
    }
    builder.objects.append([0xa0])
    return builder
  }

  private static func nested(_ tag: String, _ levels: Int) -> String {
    let name = tag.prefix { $0 != ">" }
    return String(repeating: "<\(tag)>", count: levels) + "<true/>"
      + String(repeating: "</\(name)>", count: levels)
  }

  /// An intact file with one byte of its trailer replaced.
  private static func trailer(_ index: Int, _ byte: UInt8) -> [UInt8] {
    Array(Data(sound).replacing(index - 32, with: byte))
  }
}
