extension Defaults {
  /// What is appended to a journal in one step: one change of a suite.
  package struct JournalRecord: Sendable, Equatable {
    /// What else a record says.
    enum Kind: Sendable, Equatable {
      /// Nothing: entries changed.
      case changes
      /// This file, which takes the place of the one before, has all entries as they are now.
      case snapshot(FileBase)
      /// Somebody else wrote this file. What it says about other names than those that the journal
      /// has is to be taken from it, and the changes are what it says about those.
      case edited(FileBase)
    }

    /// What happened to one entry.
    struct Change: Sendable, Equatable {
      var name: String
      var edit: Edit
      /// The entry in the file, as an edit that would restore it: given when the journal has the
      /// name for the first time.
      var previous: Edit?
    }

    var kind = Kind.changes
    /// Tells who wrote it: one opening of a suite by one process.
    var writer: UInt64
    /// Up to here the journal was on the disk when the record was written, as far as its writer
    /// knew.
    var durable: Int
    var changes: [Change]
  }

  /// How a journal begins.
  package struct JournalHeader: Sendable, Equatable {
    /// A random number; it goes into the checksum of every record, so that those of another journal
    /// are none of this one.
    package let id: UInt64
    /// The number of the journal that this one replaced, having taken in all of it; 0 for the
    /// first.
    let previous: UInt64
    /// The file that the first record builds on.
    package let base: FileBase

    /// Whether a journal has no header because it was made and never written to the disk: it is
    /// short, or a power cut took the bytes. Nothing in it was ever durable.
    static func isUnwritten(_ bytes: UnsafeRawBufferPointer) -> Bool {
      bytes.count < JournalEncoder.headerSize
        || bytes.prefix(JournalEncoder.headerSize).allSatisfy { $0 == 0 }
    }
  }
}
