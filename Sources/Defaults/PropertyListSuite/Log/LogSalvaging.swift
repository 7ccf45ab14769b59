/// Functions for recovering a damaged log, which only a tool does, on request.

extension LogDecoder {
  /// Returns the change at an offset, its flags and its end, even in an invalid record.
  ///
  /// - Parameters:
  ///   - allowed: The flags that a change of this kind of record may have.
  ///   - isJoined: Whether its version and writer follow the change.
  ///   - budget: A number of bytes. Those that were read are subtracted, also without a result.
  package static func change(
    _ bytes: UnsafeRawBufferPointer, at offset: Int, allowing allowed: UInt8, isJoined: Bool,
    charging budget: inout Int
  ) -> (change: LogRecord.Change, flags: UInt8, end: Int)? {
    var reader = ByteReader(bytes, at: offset)
    defer { budget -= reader.position - offset }
    // Zeros would be a change of an entry without a name.
    guard let (name, edit, flags) = reader.edit(allowing: allowed), !name.isEmpty
    else { return nil }
    if isJoined {
      guard reader.version() != nil, let _: UInt64 = reader.number() else { return nil }
    }
    return (LogRecord.Change(name: name, edit: edit), flags, reader.position)
  }
}

extension LogState {
  /// Applies a valid record, though records before it may be missing.
  package mutating func salvage(_ record: LogRecord) {
    guard case .merged(let id, let file?, let differences) = record.content,
      index(of: id) == nil, !wasMerged(file)
    else {
      apply(record)
      return
    }
    // The `mergeBegan` record is missing.
    let edits = differences.filter(\.isEdited).map {
      LogRecord.Change(name: $0.name, edit: $0.edit)
    }
    apply(LogRecord(writer: 0, version: record.version, content: .set(edits)))
  }

  /// Applies the readable changes of a damaged record.
  package mutating func salvage(_ changes: [LogRecord.Change]) {
    apply(LogRecord(writer: 0, version: horizon.latest, content: .set(changes)))
  }
}
