@testable import Defaults

/// Short forms for logs whose values are integers.
extension LogRecord {
  static func set(_ name: String, _ value: Int?, _ version: UInt64, writer: UInt64 = 1) -> Self {
    set([name: value], version, writer: writer)
  }

  static func set(_ values: [String: Int?], _ version: UInt64, writer: UInt64 = 1) -> Self {
    Self(
      writer: writer, version: LogVersion(version),
      content: .set(
        values.map { Change(name: $0.key, edit: Edit(entry: $0.value.map { .integer(Int64($0)) })) }
      ))
  }

  static func joined(_ changes: [JoinedChange]) -> Self {
    Self(writer: 1, version: .zero, content: .joined(changes))
  }

  static func began(_ id: UInt64, _ version: UInt64 = 0) -> Self {
    Self(
      writer: 1, version: LogVersion(version),
      content: .exportBegan(id: id, temporaryName: "temporary-\(id)"))
  }

  static func exported(_ id: UInt64, _ file: FileIdentity) -> Self {
    Self(writer: 1, version: .zero, content: .exported(id: id, file))
  }

  static func placed(_ id: UInt64) -> Self {
    Self(writer: 1, version: .zero, content: .placed(id: id))
  }

  static func mergeBegan(_ id: UInt64) -> Self {
    Self(writer: 1, version: .zero, content: .mergeBegan(id: id))
  }
}

extension LogRecord.FileIdentity {
  /// The identity of a new file; two of equal content have the same checksum.
  static func sample(_ number: UInt64, content: [String: Int] = [:]) -> Self {
    var hash: UInt64 = 14_695_981_039_346_656_037
    for (name, value) in content.sorted(by: { $0.key < $1.key }) {
      for byte in "\(name)=\(value);".utf8 { hash = (hash ^ UInt64(byte)) &* 1_099_511_628_211 }
    }
    let time = FileTime(seconds: Int(number), nanoseconds: 0)
    return Self(
      stamp: FileVersion(device: 1, inode: number, size: content.count, modified: time),
      checksum: UInt32(truncatingIfNeeded: hash ^ hash >> 32))
  }
}

extension LogState {
  /// The entries, which are all integers.
  var integers: [String: Int] {
    var integers: [String: Int] = [:]
    for (name, entry) in values {
      if case .integer(let value) = entry { integers[name] = Int(value) }
    }
    return integers
  }

  init(replaying records: some Sequence<LogRecord>) {
    self.init()
    for record in records { apply(record) }
  }

  /// The state of a log that begins with a checkpoint of this state.
  var compacted: Self { Self(replaying: compactedRecords) }

  var compactedRecords: [LogRecord] {
    checkpoint(partSize: 40).map {
      LogRecord(writer: 1, version: .zero, content: .checkpoint($0))
    }
  }

  mutating func merge(
    _ content: [String: Int], _ file: LogRecord.FileIdentity?, id: UInt64, version: UInt64 = 0
  ) {
    apply(.mergeBegan(id))
    applyMerge(content, file, id: id, version: version)
  }

  mutating func applyMerge(
    _ content: [String: Int], _ file: LogRecord.FileIdentity?, id: UInt64, version: UInt64 = 0,
    at now: UInt64 = 0
  ) {
    guard let merged = mergeRecord(content.entries, file, id: id, at: now) else { return }
    apply(LogRecord(writer: 1, version: LogVersion(version), content: merged))
  }

  /// The entries after an opening that finds a file with this content.
  func opening(_ content: [String: Int], _ file: LogRecord.FileIdentity) -> [String: Int] {
    var state = self
    if state.finding(file) == .external { state.merge(content, file, id: .max) }
    return state.integers
  }

  /// The entries after an opening that checks twice and finds no property list.
  var openingWithoutFile: [String: Int] {
    var state = self
    if state.finding(nil) == .external { state.merge([:], nil, id: .max) }
    return state.integers
  }
}

extension LogEncoder {
  /// Returns the bytes of records.
  static func bytes(of records: [LogRecord], log id: UInt64) -> [UInt8] {
    var buffer = ByteWriter()
    for record in records { _ = buffer.append(record, log: id) }
    return withExtendedLifetime(buffer) { Array($0.bytes) }
  }
}

extension LogEntries {
  mutating func apply(_ change: LogRecord.JoinedChange) {
    _ = update(change.edit.entry, named: change.name, at: change.stamp)
  }

  /// The entries and removals by name.
  var changesByName: [String: LogRecord.JoinedChange] {
    var entries = self
    return Dictionary(uniqueKeysWithValues: entries.changes.map { ($0.name, $0) })
  }
}

extension LogState {
  /// The entries and removals by name.
  var changesByName: [String: LogRecord.JoinedChange] { entries.changesByName }
}

extension [String: Int] {
  var entries: [String: Defaults.PropertyListValue] { mapValues { .integer(Int64($0)) } }
}

private typealias Edit = Defaults.Edit
