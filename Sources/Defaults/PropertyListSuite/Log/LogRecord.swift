/// An element of a log, written by one call together with its notes.
package struct LogRecord: Sendable, Equatable {
  /// A random number that identifies the opening of the suite that wrote the record.
  var writer: UInt64
  /// The version of the changes in the record.
  var version: LogVersion
  /// The offset before which the log was durable when the record was written, as far as its writer
  /// knew.
  var durable = 0
  var content: Content

  enum Content: Sendable, Equatable {
    /// One commit. Sets apply in the order of the log.
    case set([Change])
    /// Entries that were committed in memory or in a log that was lost. Each applies if it is newer
    /// than the existing entry.
    case joined([JoinedChange])
    /// The beginning of an export of all entries to a temporary file with this name.
    case exportBegan(id: UInt64, temporaryName: String)
    /// The temporary file is durable and about to replace the property list.
    case exported(id: UInt64, FileIdentity)
    /// The exported file has replaced the property list.
    case placed(id: UInt64)
    /// The beginning of a merge of an external writer's property list.
    case mergeBegan(id: UInt64)
    /// The merge of an external writer's property list, or of its removal (nil).
    case merged(id: UInt64, FileIdentity?, [FileDifference])
    /// A sync failed: nothing in this log counts as durable.
    case doubt
    /// This log was deleted or replaced, and there was a next log when this record was appended. A
    /// process that finds this record at the end, but no log at the path, waits for another one,
    /// which may have changes that the process doesn't know.
    case abandoned
    /// A part of the checkpoint at the beginning of a log.
    case checkpoint(CheckpointPart)
    /// A remark for the history, which changes no state; nil if its kind is unknown.
    case note(Note?)
  }

  /// A remark for the history. Versions of the library that don't know its kind skip it.
  enum Note: Sendable, Equatable {
    /// The program of the record's writer, and the names that it declares secret. Precedes the
    /// writer's first commit in a log.
    case signature(program: String, secrets: [String])
    /// The origin of the next record, which the same writer wrote in the same call.
    case origin(String)
    /// The sources of the earlier changes in the next `past`, in their order.
    case sources([Source])
  }

  /// The program that made a change, and the origin of the change; empty if there is none.
  package struct Source: Sendable, Equatable {
    package var program = ""
    package var origin = ""
  }

  package struct Change: Sendable, Equatable {
    package var name: String
    package var edit: Defaults.Edit
  }

  /// An entry with the version and the writer of its original commit.
  struct JoinedChange: Sendable, Equatable {
    var name: String
    var edit: Defaults.Edit
    var version: LogVersion
    /// Decides between equal versions.
    var writer: UInt64
  }

  /// An earlier change of an entry. If the values of a secret are omitted, both edits are equal.
  package struct PastChange: Sendable, Equatable {
    package var name: String
    package var old: Defaults.Edit
    package var new: Defaults.Edit
    package var version: LogVersion
    /// Stored in a note.
    package var source = Source()
  }

  /// An entry of a merged property list that differs from the entry at the beginning of the merge.
  struct FileDifference: Sendable, Equatable {
    var name: String
    /// The entry in the file.
    var edit: Defaults.Edit
    /// Whether the external writer changed the entry, rather than saved an older entry.
    var isEdited: Bool
  }

  /// The identity of a version of the property list: its stamp or, if that differs because a folder
  /// was copied or restored, its content.
  struct FileIdentity: Sendable, Hashable {
    var stamp: FileVersion
    /// The checksum of all bytes; see ``Defaults/Checksum``.
    var checksum: UInt32
    var form = Form.binary

    /// The format of the file. Only suites with a custom format open a `custom` file.
    enum Form: UInt8 { case binary, xml, custom }
  }

  /// A part of a checkpoint, which consists of many records to limit their size. The last part is
  /// `end`.
  enum CheckpointPart: Sendable, Equatable {
    /// Entries and removals, each with its version.
    case entries([JoinedChange])
    /// A property list that the log knows. They are in the order in which their exports or merges
    /// began.
    case base(LogState.Base)
    /// Earlier changes for the history, the oldest first.
    case past([PastChange])
    /// The end, after `count` other records.
    case end(count: Int, LogState.Horizon)
  }
}

extension LogRecord {
  /// The names and versions of the changes that it sets or joins.
  var versions: [String: LogVersion] {
    switch content {
    case .set(let changes): Dictionary(changes.map { ($0.name, version) }) { $1 }
    case .joined(let changes): Dictionary(changes.map { ($0.name, $0.version) }) { $1 }
    default: [:]
    }
  }
}
