import Testing

@testable import Defaults

@Suite("Reading the changes of damaged records")
struct LogSalvagingTests {
  private typealias Form = LogRecord.ChangeForm

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
    let encoder = LogEncoder()
    return withExtendedLifetime(encoder) {
      Array(encoder.encode(CollectionOfOne(record), log: 3))
    }
  }

  private func change(
    _ bytes: [UInt8], at offset: Int, _ form: LogRecord.ChangeForm
  ) -> (change: LogRecord.Change, counts: Bool, end: Int)? {
    bytes.withUnsafeBytes { LogDecoder.change($0, at: offset, form) }
  }

  @Test("The changes of a record are at one of the places of its form, one after another")
  func places() throws {
    let records: [(content: LogRecord.Content, form: Form, start: Int)] = [
      (.set(edits), .set, 0), (.joined(joined), .joined, 0),
      (.checkpoint(.entries(joined)), .joined, 0),
      (.merged(id: 1, .sample(1), differences), .difference, 0),
      (.merged(id: 1, nil, differences), .difference, 1),
    ]
    for (content, form, start) in records {
      let bytes = bytes(content)
      #expect(Form(kind: bytes[LogEncoder.prefixSize]) == form)
      var position = LogEncoder.prefixSize + form.starts[start]
      for (index, edit) in edits.enumerated() {
        let found = try #require(change(bytes, at: position, form), "\(content)")
        #expect(found.change == edit)
        // The file had the third entry before.
        #expect(found.counts == (form != .difference || index < 2))
        position = found.end
      }
      #expect(position == bytes.count)
    }
  }

  @Test("Records without changes of entries have no form")
  func otherKinds() {
    let contents: [LogRecord.Content] = [
      .exportBegan(id: 1, temporaryName: "t"), .exported(id: 1, .sample(1)), .placed(id: 1),
      .mergeBegan(id: 1), .doubt, .abandoned, .note(.origin("sync")),
    ]
    for content in contents { #expect(Form(kind: bytes(content)[LogEncoder.prefixSize]) == nil) }
  }

  @Test("Bytes with flags that a form doesn't have aren't a change", arguments: Form.allCases)
  func flags(form: LogRecord.ChangeForm) throws {
    let content: LogRecord.Content =
      switch form {
      case .set: .set(edits)
      case .joined: .joined(joined)
      case .difference: .merged(id: 1, nil, differences)
      }
    var bytes = bytes(content)
    let place = LogEncoder.prefixSize + (try #require(form.starts.last))
    let most: UInt8 = form == .difference ? 3 : 1
    bytes[place] = most
    #expect(change(bytes, at: place, form)?.change == edits[0])
    bytes[place] = most + 1
    #expect(change(bytes, at: place, form) == nil)
  }

  @Test("A record looks like one whatever its durable offset, up to the longest journal")
  func durableOffsets() {
    for (durable, looksRight) in [
      (0, true), (Defaults.SizeLimit.journal, true), (Defaults.SizeLimit.journal + 1, false),
    ] {
      let isLike = bytes(.set(edits), durable: durable).withUnsafeBytes {
        LogDecoder.looksLikeRecord($0, at: 0)
      }
      #expect(isLike == looksRight, "\(durable)")
    }
    var negative = bytes(.set(edits))
    let offset = LogEncoder.prefixSize + 17
    negative.replaceSubrange(offset..<offset + 8, with: repeatElement(0xff, count: 8))
    #expect(!negative.withUnsafeBytes { LogDecoder.looksLikeRecord($0, at: 0) })
  }

  @Test("Salvaged changes belong to no writer, so that other changes of their time replace them")
  func writer() {
    var state = LogState.unwritten
    state.salvage(edits)
    #expect(state.entries.all["a"]?.writer == 0)
    // Its `mergeBegan` is missing.
    state.salvage(
      LogRecord(
        writer: 5, version: LogVersion(8), content: .merged(id: 1, .sample(1), differences)))
    #expect(state.entries.all["a"]?.writer == 0)
    #expect(state.values == ["a": 1, "c": 2])
  }
}
