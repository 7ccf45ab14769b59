import Foundation
import FuzzInputs

extension HostileForm {
  /// Journals: damaged ones, and ones in which only the checksums are correct.
  static let journals = damagedJournals + forgedRecords + forgedValues

  private static let sound: [UInt8] = {
    var image = JournalImage(id: 5)
    for index in 0..<3 { image.append([.init("k", .integer(Int64(index)))]) }
    return image.bytes
  }()

  private static let damagedJournals: [Self] = [
    HostileForm("no journal", []),
    HostileForm("a journal of zeros", [UInt8](repeating: 0, count: 500)),
    HostileForm("half a header", sound.prefix(10)),
    HostileForm("a header alone", sound.prefix(JournalImage.headerSize)),
    HostileForm("another magic number", "DfltJnl9".utf8 + sound.dropFirst(8)),
    HostileForm("a header with a wrong bit", sound.prefix(12) + [0x80] + sound.dropFirst(13)),
    HostileForm("a torn tail", sound.dropLast(1), isRead: true),
    HostileForm("zeros at the end", sound + [UInt8](repeating: 0, count: 100), isRead: true),
    HostileForm(
      "records of another journal", JournalImage(id: 6).bytes + records),
    HostileForm(
      "a record in the middle of zeros",
      sound.prefix(12) + [UInt8](repeating: 0, count: 30) + records, isRead: false),
  ]

  private static let records = sound.dropFirst(JournalImage.headerSize)

  private static let forgedRecords: [Self] = [
    forged("a body without content", []),
    forged("a body of 20 bytes", zeros(20)),
    forged("no changes", start(0, count: 0), isRead: true),
    forged("fewer bytes than changes", start(0, count: 1)),
    forged("2 to the 32 changes", start(0, count: .max) + zeros(64)),
    forged("bytes after the changes", start(0, count: 0) + [0]),
    forged("a kind that doesn't exist", start(99, count: 0)),
    forged("a joined change without a version", start(1, count: 1) + [0] + name("k")),
    forged("flags that don't exist", start(0, count: 1) + [0x80] + name("k")),
    forged("flags of another kind of record", start(0, count: 1) + [2] + name("k")),
    forged("a name without characters", start(0, count: 1) + [0] + name("") + zeros(8)),
    forged("a name that isn't UTF-8", start(0, count: 1) + [0, 1, 0, 0, 0, 0xff]),
    forged("a name longer than the record", start(0, count: 1) + [0] + ones(4) + zeros(9)),
    // Found when the decoder trusted a length before it checked the following offset.
    HostileForm(
      "a length of 2 to the 32", sound.prefix(JournalImage.headerSize) + ones(4) + zeros(60)),
    HostileForm(
      "durable up to the end of all numbers", journal([1: .max]), isRead: true),
    HostileForm("a temporary name that isn't UTF-8", badName),
  ]

  private static let forgedValues: [Self] = [
    value("no value", []),
    value("a tag that doesn't exist", [0, 0]),
    value("another tag that doesn't exist", [10, 0]),
    value("a bool of 2", [1, 2]),
    value("an integer that ends early", [2, 0, 0]),
    value("an unsigned integer below 2 to the 63", [3] + zeros(8)),
    value("an unsigned integer just below 2 to the 63", [3] + ones(7) + [0x7f]),
    value("a real that is a NaN with a payload", [4] + ones(8), isRead: true),
    value("a date that is a NaN", [6] + ones(8), isRead: true),
    value("text with a NUL", [5] + name("\0"), isRead: true),
    value("text that isn't UTF-8", [5, 2, 0, 0, 0, 0xc0, 0x80]),
    value("data longer than the record", [7] + ones(4) + zeros(9)),
    value("an array longer than the record", [8] + ones(4) + zeros(9)),
    value("a dictionary longer than the record", [9] + ones(4) + zeros(9)),
    value(
      "a dictionary with text a byte longer than the record",
      [9, 1, 0, 0, 0] + name("a") + [5, 2, 0, 0, 0, 0x78]),
    value("a key twice", [9, 2, 0, 0, 0] + name("a") + [1, 1] + name("a") + [1, 1]),
    value("256 levels", levels(255) + [1, 1], isRead: true),
    value("257 levels", levels(256) + [1, 1]),
    value("100,000 levels", levels(100_000) + [1, 1]),
    // Each of them would be valid alone; together they reserved 250 times the available bytes.
    value("arrays that all claim the same bytes", claims),
  ]

  /// Nested arrays, each of which claims all remaining bytes as its elements.
  static let claims: [UInt8] = {
    let content = 1 << 19
    let claim = [8] + UInt32(content / 2).littleEndianBytes
    return (0..<250).flatMap { _ in claim } + [UInt8](repeating: 1, count: content)
  }()
}

extension HostileForm {
  private static func forged(_ name: String, _ body: [UInt8], isRead: Bool = false) -> Self {
    var image = JournalImage(id: 5)
    image.append(body: body)
    return HostileForm("a record with \(name)", image.bytes, isRead: isRead)
  }

  private static func value(_ name: String, _ bytes: [UInt8], isRead: Bool = false) -> Self {
    var image = JournalImage(id: 5)
    image.append(value: bytes, named: "k")
    return HostileForm("a record with \(name) as value", image.bytes, isRead: isRead)
  }

  private static func journal(_ durable: [Int: UInt64]) -> [UInt8] {
    var image = JournalImage(id: 5)
    for index in 0..<2 { image.append([.init("k", 1)], durable: durable[index] ?? 0) }
    return image.bytes
  }

  private static let badName: [UInt8] = {
    var bytes = sound
    for index in 17..<26 { bytes[index] = 0xff }
    JournalImage.mend(&bytes)
    return bytes
  }()

  /// The beginning of a body.
  private static func start(_ kind: UInt8, count: UInt32) -> [UInt8] {
    [kind] + zeros(24) + count.littleEndianBytes
  }

  private static func name(_ text: String) -> [UInt8] {
    UInt32(text.utf8.count).littleEndianBytes + text.utf8
  }

  private static func levels(_ count: Int) -> [UInt8] {
    (0..<count).flatMap { _ in [8, 1, 0, 0, 0] as [UInt8] }
  }

  private static func ones(_ count: Int) -> [UInt8] { Array(repeating: 0xff, count: count) }
  private static func zeros(_ count: Int) -> [UInt8] { Array(repeating: 0, count: count) }
}

extension UInt32 {
  fileprivate var littleEndianBytes: [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: self >> (8 * $0)) }
  }
}
