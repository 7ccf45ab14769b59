import Defaults

/// Reads a damaged journal: every record with a valid checksum, and the recognizable changes of
/// other records.
///
/// The log begins with all entries, followed by the changes in their order.
struct LogSalvage {
  private let number: UInt64
  private var state = LogState()
  private var salvage = Salvage(.journal)
  /// The remaining budget for the search for records.
  private var budget: Int

  private init(_ bytes: UnsafeRawBufferPointer, number: UInt64) {
    self.number = number
    budget = 64 * bytes.count + 1 << 16
  }

  /// The entries; nil if there is no record.
  static func read(_ bytes: [UInt8]) -> Salvage? {
    bytes.withUnsafeBytes { bytes in
      let header = LogHeader(bytes)
      guard let number = header?.id ?? LogNumber.find(in: bytes) ?? said(in: bytes) else {
        return nil
      }
      var reader = Self(bytes, number: number)
      if header == nil { reader.salvage.lose("the header is damaged") }
      reader.read(bytes, from: header == nil ? nil : LogHeader.size)
      for (name, value) in reader.state.values { reader.salvage.take(value, named: name) }
      return reader.salvage
    }
  }

  /// The number in a damaged header. There may be no valid record to prove it.
  private static func said(in bytes: UnsafeRawBufferPointer) -> UInt64? {
    let magic = zip(bytes.prefix(7), "DfltLog".utf8).count { $0 == $1 }
    guard bytes.count > LogHeader.size, magic >= 4 else { return nil }
    return UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
  }

  /// Reads all records. `start` is the offset of the first one, if it is known.
  private mutating func read(_ bytes: UnsafeRawBufferPointer, from start: Int?) {
    // Unused zero bytes follow the records.
    let end = (bytes.lastIndex { $0 != 0 } ?? -1) + 1
    var position = start ?? nextRecord(bytes, from: 0, before: end) ?? end
    if start == nil, position > LogHeader.size {
      let first = LogHeader.size..<position
      save(bytes, first, isLast: position == end)
    }
    while position < end {
      if let (record, next) = record(bytes, at: position) {
        state.salvage(record)
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
    while position + LogEncoder.prefixSize + LogDecoder.leastBody <= end, budget > 0 {
      budget -= 1
      if record(bytes, at: position) != nil { return position }
      position += 1
    }
    return nil
  }

  /// The record at a position and its end, if it is valid. Its checksum is charged to the budget.
  private mutating func record(
    _ bytes: UnsafeRawBufferPointer, at position: Int
  ) -> (record: LogRecord, end: Int)? {
    guard budget > 0, let body = LogDecoder.likelyBody(bytes, at: position) else { return nil }
    budget -= body.count
    return LogDecoder.record(bytes, at: position, log: number)
  }

  /// Applies the changes that can be read where one or several records should be.
  private mutating func save(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>, isLast: Bool) {
    var record = DamagedRecord(bytes, range, isLast: isLast)
    let changes = record.changes()
    // A record names an entry once. If two changes have one name, one of the names is damaged.
    let counts = Dictionary(changes.map { ($0.name, 1) }, uniquingKeysWith: +)
    state.salvage(changes.filter { counts[$0.name] == 1 })
    salvage.lose(
      "bytes \(range.lowerBound)..<\(range.upperBound) aren't a valid record"
        + (changes.isEmpty
          ? "; the changes there are lost"
          : "; the values of these entries may be wrong: "
            + changes.prefix(10).map { Salvage.shown($0.name) }.joined(separator: ", ")
            + (changes.count > 10 ? " and \(changes.count - 10) more" : "")))
  }
}

/// The bytes of a journal where a valid record should be.
private struct DamagedRecord {
  private let bytes: UnsafeRawBufferPointer
  private let range: Range<Int>
  /// Whether unused zero bytes may follow, which can't be distinguished from the record's own.
  private let isLast: Bool
  /// The number of bytes that may still be read. Apparent changes may overlap.
  private var budget: Int
  /// Positions from which the changes don't continue to the end.
  private var dead: Set<Int> = []

  /// The maximum size of a change after damage.
  private static let window = 1 << 16

  /// Consecutive changes, their positions, and the end of the last one.
  private struct Chain {
    typealias Changes = [(change: LogRecord.Change, counts: Bool)]

    var changes: Changes
    var places: [Int]
    var end: Int

    var edits: [LogRecord.Change] { changes.filter(\.counts).map(\.change) }
  }

  init(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>, isLast: Bool) {
    self.bytes = UnsafeRawBufferPointer(
      rebasing: bytes[range.lowerBound..<(isLast ? bytes.count : range.upperBound)])
    self.range = 0..<range.count
    self.isLast = isLast
    budget = 16 * self.bytes.count
  }

  private func isEnd(_ position: Int) -> Bool {
    isLast ? position >= range.upperBound : position == range.upperBound
  }

  mutating func changes() -> [LogRecord.Change] {
    let kind = range.count > LogEncoder.prefixSize ? bytes[LogEncoder.prefixSize] : 0
    let known = ChangeForm(kind: kind)
    // The changes before the damage.
    let fronts = ChangeForm.allCases.flatMap { form in
      form.starts.map { start in
        let head = LogEncoder.prefixSize + start
        return (form: form, announced: announced(at: head - 4), chain: chain(from: head, form))
      }
    }
    let whole = fronts.first {
      isEnd($0.chain.end) && !$0.chain.changes.isEmpty && $0.chain.places.count == $0.announced
    }
    if let whole { return whole.chain.edits }
    // Records of earlier changes and of file versions contain no entries.
    if known == nil, kind <= LogDecoder.lastKind { return [] }
    let best = fronts.filter { known == nil || $0.form == known }
      .max { $0.chain.changes.count < $1.chain.changes.count }
    guard let best else { return [] }
    if isEnd(best.chain.end) { return best.chain.edits }
    return changes(around: best.chain, announced: best.announced, best.form)
  }

  /// The changes before the damage and after it. The latter are the first to reach the end.
  private mutating func changes(
    around front: Chain, announced: Int, _ form: ChangeForm
  ) -> [LogRecord.Change] {
    // The last change may be the damaged one, and too long.
    let start = front.places.last.map { $0 + 1 } ?? 0
    for position in start..<range.upperBound where looksLikeChange(position) {
      if dead.contains(position) { continue }
      guard budget > 0 else { break }
      let near = UnsafeRawBufferPointer(
        rebasing: bytes[..<min(bytes.count, position + Self.window)])
      guard form.change(near, at: position, charging: &budget) != nil else { continue }
      let back = chain(from: position, form)
      guard isEnd(back.end) else {
        dead.formUnion(back.places)
        continue
      }
      let kept = position < front.end ? front.changes.dropLast() : front.changes[...]
      // The end of a dictionary may look like an additional change, beyond the declared number.
      let excess = kept.count + back.changes.count - announced
      let isKnown = !kept.isEmpty && 1...2 ~= excess
      let all = Array(kept) + (isKnown ? back.changes.dropFirst(excess) : back.changes[...])
      return all.filter(\.counts).map(\.change)
    }
    return front.edits
  }

  /// The declared number of changes of a record.
  private func announced(at offset: Int) -> Int {
    guard offset + 4 <= bytes.count else { return 0 }
    return Int(UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
  }

  /// Whether a change may begin here, by a cheap check.
  private func looksLikeChange(_ position: Int) -> Bool {
    guard position + 6 <= range.upperBound, bytes[position] < 4 else { return false }
    let length = UInt32(
      littleEndian: bytes.loadUnaligned(fromByteOffset: position + 1, as: UInt32.self))
    guard 1...4_096 ~= length, position + 5 + Int(length) <= bytes.count else { return false }
    // Names don't contain control characters, but the zeros of numbers look like such names.
    return bytes[position + 5..<position + 5 + Int(length)].allSatisfy { $0 >= 0x20 }
  }

  /// The consecutive changes from a position on, as long as they may continue to the end.
  private mutating func chain(from start: Int, _ form: ChangeForm) -> Chain {
    var (changes, places, position): (Chain.Changes, [Int], Int) = ([], [], start)
    while position < range.upperBound, !dead.contains(position),
      let (change, counts, end) = form.change(bytes, at: position, charging: &budget)
    {
      changes.append((change, counts))
      places.append(position)
      position = end
    }
    return Chain(changes: changes, places: places, end: position)
  }
}

/// The format of the changes in a record.
private enum ChangeForm: CaseIterable {
  case set
  /// Changes with their versions and writers.
  case joined
  /// Differences of a property list.
  case difference

  /// Creates the format of records of a kind; nil if such records don't change entries.
  init?(kind: UInt8) {
    switch kind {
    case 0: self = .set
    case 1, 8: self = .joined
    case 6: self = .difference
    default: return nil
    }
  }

  /// The possible offsets of the changes in a body.
  var starts: [Int] {
    let count = LogDecoder.leastBody + 4
    guard self == .difference else { return [count] }
    // Before the count are an id and a flag and, if the flag is set, a file's identity: device,
    // inode, size, seconds and nanoseconds (8 each), checksum (4), format (1).
    return [count + 8 + 1 + 45, count + 8 + 1]
  }

  /// Returns the change at an offset and its end, and subtracts the bytes that were read from a
  /// budget. `counts` is false for an entry of a property list that no external writer changed.
  func change(
    _ bytes: UnsafeRawBufferPointer, at offset: Int, charging budget: inout Int
  ) -> (change: LogRecord.Change, counts: Bool, end: Int)? {
    let isDifference = self == .difference
    return LogDecoder.change(
      bytes, at: offset, allowing: isDifference ? 3 : 1, isJoined: self == .joined,
      charging: &budget
    ).map { ($0.change, !isDifference || $0.flags & 2 != 0, $0.end) }
  }
}
