import Defaults

/// Reads what can be read of a damaged journal: every record whose checksum is right, and of the
/// others those changes that can be told.
///
/// What it gives are the entries that changed while the journal was written; the property list
/// beside it has the others.
struct JournalSalvage {
  private let number: UInt64
  private var edits: [String: Edit] = [:]
  private var salvage = Salvage(.journal)
  /// What looking for records may cost yet.
  private var budget: Int

  private init(_ bytes: UnsafeRawBufferPointer, number: UInt64) {
    self.number = number
    budget = 64 * bytes.count + 1 << 16
  }

  /// The entries; nil if there is no record.
  static func read(_ bytes: [UInt8]) -> Salvage? {
    bytes.withUnsafeBytes { bytes in
      let header = JournalDecoder.header(bytes)
      guard let number = header?.id ?? JournalNumber.find(in: bytes) ?? said(in: bytes) else {
        return nil
      }
      var reader = Self(bytes, number: number)
      if header == nil { reader.salvage.lose("the header is damaged") }
      reader.read(bytes, from: header == nil ? nil : JournalContents.headerSize)
      for (name, edit) in reader.edits {
        if let value = edit.entry { reader.salvage.take(value, named: name) }
      }
      return reader.salvage
    }
  }

  /// The number in a header that is damaged: there may be no sound record to prove it.
  private static func said(in bytes: UnsafeRawBufferPointer) -> UInt64? {
    let magic = zip(bytes.prefix(7), "DfltJnl".utf8).count { $0 == $1 }
    guard bytes.count > JournalContents.headerSize, magic >= 4 else { return nil }
    return UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
  }

  /// Reads all records; `start`: where the first one begins, if that is known.
  private mutating func read(_ bytes: UnsafeRawBufferPointer, from start: Int?) {
    // Behind the records there is empty room.
    let end = (bytes.lastIndex { $0 != 0 } ?? -1) + 1
    var position = start ?? nextRecord(bytes, from: 0, before: end) ?? end
    if start == nil, position > JournalContents.headerSize {
      let first = JournalContents.headerSize..<position
      save(bytes, first, isLast: position == end)
    }
    while position < end {
      if let (record, next) = JournalDecoder.record(bytes, at: position, journal: number) {
        for change in record.changes where record.counts { edits[change.name] = change.edit }
        position = next
        continue
      }
      let next = nextRecord(bytes, from: position + 1, before: end)
      save(bytes, position..<(next ?? end), isLast: next == nil)
      position = next ?? end
    }
  }

  private mutating func nextRecord(
    _ bytes: UnsafeRawBufferPointer, from start: Int, before end: Int
  ) -> Int? {
    var position = start
    while position + 29 <= end, budget > 0 {
      let length = Int(
        UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt32.self)))
      budget -= 1
      // The kind of a record is one of few, and the number of its changes is bounded.
      if 21...bytes.count ~= length, length <= bytes.count - position - 8,
        bytes[position + 8] <= 5
      {
        budget -= length
        if JournalDecoder.record(bytes, at: position, journal: number) != nil { return position }
      }
      position += 1
    }
    return nil
  }

  /// Takes the changes that can be read where a record, or several, should be.
  private mutating func save(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>, isLast: Bool) {
    var record = DamagedRecord(bytes, range, isLast: isLast)
    var changes = record.changes()
    // Records that say what an older file had say nothing of today.
    if range.count > 8, bytes[range.lowerBound + 8] == 4 { changes = [] }
    for change in changes { edits[change.name] = change.edit }
    salvage.lose(
      "bytes \(range.lowerBound)..<\(range.upperBound) are no sound record"
        + (changes.isEmpty
          ? "; the changes there are lost"
          : "; what they say of these may be wrong: "
            + changes.prefix(10).map { Salvage.shown($0.name) }.joined(separator: ", ")
            + (changes.count > 10 ? " and \(changes.count - 10) more" : "")))
  }
}

extension JournalRecord {
  /// Whether its changes say what entries are now.
  var counts: Bool { kind != .filed && kind != .succeeded }
}

/// The bytes of a journal where a sound record should be.
private struct DamagedRecord {
  private let bytes: UnsafeRawBufferPointer
  private let range: Range<Int>
  /// Whether empty room may follow, in which the record's own zeros can't be told.
  private let isLast: Bool
  /// How many places may be looked at yet that look like a change.
  private var budget = 16_384
  /// Places from which changes don't go on to the end.
  private var dead: Set<Int> = []

  /// What is behind a record's prefix before its changes, of those without and those with a file.
  private static let heads = [8 + 21, 8 + 78]
  /// How far a change may reach behind damage.
  private static let window = 1 << 16

  /// Changes that follow each other, where they begin, and where the last one ends.
  private typealias Chain = (changes: [JournalRecord.Change], places: [Int], end: Int)

  init(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>, isLast: Bool) {
    self.bytes = UnsafeRawBufferPointer(
      rebasing: bytes[range.lowerBound..<(isLast ? bytes.count : range.upperBound)])
    self.range = 0..<range.count
    self.isLast = isLast
  }

  private func isEnd(_ position: Int) -> Bool {
    isLast ? position >= range.upperBound : position == range.upperBound
  }

  mutating func changes() -> [JournalRecord.Change] {
    // In front of the damage.
    let fronts = Self.heads.map { (head: $0, chain: chain(from: $0)) }
    guard let (head, front) = fronts.max(by: { $0.chain.changes.count < $1.chain.changes.count })
    else { return [] }
    if isEnd(front.end) { return front.changes }
    return changes(around: front, announced: announced(at: head - 4))
  }

  /// The changes in front of the damage and those behind it, the first that go on to the end.
  private mutating func changes(
    around front: Chain, announced: Int
  ) -> [JournalRecord.Change] {
    // The last one may be the damaged one, and reach too far.
    let start = front.places.last.map { $0 + 1 } ?? 0
    for position in start..<range.upperBound where looksLikeChange(position) {
      if dead.contains(position) { continue }
      guard budget > 0 else { break }
      budget -= 1
      let near = UnsafeRawBufferPointer(
        rebasing: bytes[..<min(bytes.count, position + Self.window)])
      guard JournalDecoder.change(near, at: position) != nil else { continue }
      let back = chain(from: position)
      guard isEnd(back.end) else {
        dead.formUnion(back.places)
        continue
      }
      let kept = position < front.end ? front.changes.dropLast() : front.changes[...]
      // The end of a dictionary may look like one change more than the record says there are.
      let excess = kept.count + back.changes.count - announced
      let isKnown = !kept.isEmpty && 1...2 ~= excess
      return Array(kept) + (isKnown ? back.changes.dropFirst(excess) : back.changes[...])
    }
    return front.changes
  }

  /// How many changes a record says it has.
  private func announced(at offset: Int) -> Int {
    guard offset + 4 <= bytes.count else { return 0 }
    return Int(UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
  }

  /// Whether a change may begin here, looked at cheaply.
  private func looksLikeChange(_ position: Int) -> Bool {
    guard position + 6 <= range.upperBound, bytes[position] < 16 else { return false }
    let length = UInt32(
      littleEndian: bytes.loadUnaligned(fromByteOffset: position + 1, as: UInt32.self))
    guard 1...4_096 ~= length, position + 5 + Int(length) <= bytes.count else { return false }
    // Nobody has control characters in names; zeros of numbers look like such a name.
    return bytes[position + 5..<position + 5 + Int(length)].allSatisfy { $0 >= 0x20 }
  }

  /// The changes that follow each other from a place on.
  private func chain(from start: Int) -> Chain {
    var (changes, places, position): ([JournalRecord.Change], [Int], Int) = ([], [], start)
    while position < range.upperBound,
      let (change, end) = JournalDecoder.change(bytes, at: position)
    {
      changes.append(change)
      places.append(position)
      position = end
    }
    return (changes, places, position)
  }
}
