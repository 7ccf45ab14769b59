import Testing

@testable import Defaults

@Suite("Reading the changes of damaged records")
struct LogSalvagingTests {
  private let edits = [
    LogRecord.Change(name: "a", edit: .set(1)), LogRecord.Change(name: "b", edit: .remove),
    LogRecord.Change(name: "c", edit: .set(2)),
  ]
  private var joined: [LogRecord.JoinedChange] {
    edits.map {
      LogRecord.JoinedChange(name: $0.name, edit: $0.edit, version: LogVersion(7), writer: 9)
    }
  }
  private var differences: [LogRecord.FileDifference] {
    zip(edits, [true, true, false]).map {
      LogRecord.FileDifference(name: $0.name, edit: $0.edit, isEdited: $1)
    }
  }

  private func bytes(_ content: LogRecord.Content, durable: Int = 0) -> [UInt8] {
    let record = LogRecord(
      writer: 1, version: LogVersion(5), durable: durable, content: content)
    return LogEncoder.bytes(of: [record], log: 3)
  }

  /// The offset of the changes in a record that has nothing before them.
  private static let start = LogEncoder.prefixSize + LogDecoder.leastBody + 4

  @Test("The changes of a damaged record are read one after another, with their flags")
  func places() throws {
    // In a merge, the id and the presence of a file come first, then the file with 45 bytes.
    let records: [(content: LogRecord.Content, start: Int, allowed: UInt8, isJoined: Bool)] = [
      (.set(edits), 0, 1, false), (.joined(joined), 0, 1, true),
      (.checkpoint(.entries(joined)), 0, 1, true),
      (.merged(id: 1, .sample(1), differences), 8 + 1 + 45, 3, false),
      (.merged(id: 1, nil, differences), 8 + 1, 3, false),
    ]
    for (content, start, allowed, isJoined) in records {
      let bytes = bytes(content)
      var position = Self.start + start
      for (index, edit) in edits.enumerated() {
        var budget = bytes.count
        let found = bytes.withUnsafeBytes {
          LogDecoder.change(
            $0, at: position, allowing: allowed, isJoined: isJoined, charging: &budget)
        }
        let change = try #require(found, "\(content)")
        #expect(budget == bytes.count - (change.end - position))
        #expect(change.change == edit)
        // The file had the third entry before.
        #expect(change.flags & 2 == (allowed == 3 && index < 2 ? 2 : 0))
        position = change.end
      }
      #expect(position == bytes.count)
    }
  }

  @Test("Bytes with a flag that isn't allowed aren't a change", arguments: [1, 3] as [UInt8])
  func flags(allowed: UInt8) throws {
    var bytes = bytes(.set(edits))
    func change() -> LogRecord.Change? {
      var budget = 0
      return bytes.withUnsafeBytes {
        LogDecoder.change(
          $0, at: Self.start, allowing: allowed, isJoined: false, charging: &budget)?.change
      }
    }
    bytes[Self.start] = allowed
    #expect(change() == edits[0])
    bytes[Self.start] = allowed + 1
    #expect(change() == nil)
  }

  @Test("Zeros aren't a change of an entry without a name")
  func zeros() {
    let zeros = [UInt8](repeating: 0, count: 64)
    for isJoined in [false, true] {
      var budget = 100
      let change = zeros.withUnsafeBytes {
        LogDecoder.change(
          $0, at: 0, allowing: 1, isJoined: isJoined, charging: &budget)?.change
      }
      #expect(change == nil)
    }
  }

  @Test("Reading a change that turns out to be damaged is charged, too")
  func damaged() {
    // A name, and a string of four bytes that aren't UTF-8.
    let bytes: [UInt8] = [1, 1, 0, 0, 0, 0x61, 5, 4, 0, 0, 0, 0xff, 0xff, 0xff, 0xff]
    var budget = 20
    let found = bytes.withUnsafeBytes {
      LogDecoder.change($0, at: 0, allowing: 1, isJoined: false, charging: &budget)
    }
    #expect(found == nil && budget == 5)
  }

  @Test("A record looks like one whatever its durable offset, up to the longest journal")
  func durableOffsets() {
    let limit = Defaults.SizeLimit.readableJournal
    for (durable, looksRight) in [
      (0, true), (limit, true), (limit + 1, false),
    ] {
      let bytes = bytes(.set(edits), durable: durable)
      let body = bytes.withUnsafeBytes { LogDecoder.likelyBody($0, at: 0) }
      #expect(body == (looksRight ? LogEncoder.prefixSize..<bytes.count : nil), "\(durable)")
    }
    var negative = bytes(.set(edits))
    let offset = LogEncoder.prefixSize + 17
    negative.replaceSubrange(offset..<offset + 8, with: repeatElement(0xff, count: 8))
    #expect(negative.withUnsafeBytes { LogDecoder.likelyBody($0, at: 0) } == nil)
  }

  @Test("Of a merge whose beginning is missing, only the edited entries are salvaged")
  func merge() {
    var state = LogState()
    state.salvage(
      LogRecord(
        writer: 5, version: LogVersion(8), content: .merged(id: 1, .sample(1), differences)))
    #expect(state.values == ["a": 1])
  }

  @Test("Salvaged changes belong to no writer, so that other changes of their time replace them")
  func writer() {
    var state = LogState()
    state.salvage(edits)
    #expect(state.changesByName["a"]?.writer == 0)
    // Its `mergeBegan` is missing.
    state.salvage(
      LogRecord(
        writer: 5, version: LogVersion(8), content: .merged(id: 1, .sample(1), differences)))
    #expect(state.changesByName["a"]?.writer == 0)
    #expect(state.values == ["a": 1, "c": 2])
  }
}
