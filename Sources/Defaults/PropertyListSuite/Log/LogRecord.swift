/// What is appended to a log in one step.
package struct LogRecord: Sendable, Equatable {
  /// The process, or rather its opening of the suite, that wrote the record.
  var writer: UInt64
  /// The version of the changes in the record.
  var version: LogVersion
  /// Everything before this offset of the log was on the disk when the record was written, as far
  /// as its writer knew.
  var durable = 0
  var content: Content

  enum Content: Sendable, Equatable {
    /// One commit. It counts by its place in the log.
    case set([Change])
    /// Entries that were committed elsewhere: in a log that was lost, or in memory. Each counts if
    /// it is newer than the entry that is there.
    case joined([JoinedChange])
    /// A copy of all entries is about to be written to a temporary file of this name.
    case exportBegan(id: UInt64, temporaryName: String)
    /// The temporary file is on the disk, and is about to replace the property list.
    case exported(id: UInt64, FileIdentity)
    /// The exported file replaced the property list.
    case placed(id: UInt64)
    /// A property list of an external writer is about to be merged.
    case mergeBegan(id: UInt64)
    /// A property list of an external writer, or that there is none (nil), was merged.
    case merged(id: UInt64, FileIdentity?, [FileDifference])
    /// A sync failed: nothing in this log counts as durable.
    case doubt
    /// This log was deleted. The first process that found that creates the next one; those that come
    /// later wait for it, since it may have more by then than they know.
    case abandoned
    /// A part of what a log begins with.
    case checkpoint(CheckpointPart)
  }

  package struct Change: Sendable, Equatable {
    package var name: String
    package var edit: Defaults.Edit
  }

  /// An entry with the version and the writer that it had where it was committed.
  struct JoinedChange: Sendable, Equatable {
    var name: String
    var edit: Defaults.Edit
    var version: LogVersion
    var writer: UInt64
  }

  /// A change of an entry that was made once.
  package struct PastChange: Sendable, Equatable {
    package var name: String
    package var old: Defaults.Edit
    package var new: Defaults.Edit
    package var version: LogVersion
  }

  /// One entry of a merged property list that differs from the entry at the beginning of the merge.
  struct FileDifference: Sendable, Equatable {
    var name: String
    /// What the file has.
    var edit: Defaults.Edit
    /// Whether the external writer changed it, rather than saved an older entry.
    var isEdited: Bool
  }

  /// What tells one version of the property list from all others: where it is, and where that
  /// changed (a folder was copied or restored), what it holds.
  struct FileIdentity: Sendable, Hashable {
    var stamp: FileVersion
    /// Of all bytes; see ``Defaults/Checksum``.
    var checksum: UInt32
    var isXML = false

    /// Whether both have the same bytes, as far as size and checksum tell.
    func hasSameContent(as other: Self) -> Bool {
      stamp.size == other.stamp.size && checksum == other.checksum
    }
  }

  /// A checkpoint is many records, so that none is larger than a buffer. The last one is `end`.
  enum CheckpointPart: Sendable, Equatable {
    /// Entries and removals, each with its version.
    case entries([JoinedChange])
    /// A version of the property list that the log knows, in the order of their beginnings.
    case base(LogState.Base)
    /// Earlier changes, the oldest first, for people who ask for the history.
    case past([PastChange])
    /// `count` records came before this one.
    case end(count: Int, LogState.Horizon)
  }
}
