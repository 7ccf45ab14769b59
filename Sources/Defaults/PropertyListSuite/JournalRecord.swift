extension Defaults {
  /// What is appended to a journal in one step: one change of a suite.
  package struct JournalRecord: Sendable, Equatable {
    /// What else a record says.
    enum Kind: Sendable, Equatable {
      /// Nothing: entries changed.
      case changes
      /// This file, which takes the place of the one before, has all entries as they are now, but
      /// for the changes: these were made while it was written, and it has the previous entries.
      case snapshot(FileBase)
      /// Somebody else wrote this file. What it says about other names than those that the journal
      /// has is to be taken from it, and the changes are what counts for those, each with what the
      /// file says.
      case edited(FileBase)
      /// The journal before was lost, and these entries were in it.
      case restored
      /// These entries are in the file that the journal builds on; the one before had the previous
      /// ones.
      case filed
      /// Another journal takes the place of this one, so that it isn't the last that was known.
      case succeeded
    }

    /// What happened to one entry.
    struct Change: Sendable, Equatable {
      var name: String
      var edit: Edit
      /// The entry in the file, as an edit that would restore it: given when the journal has the
      /// name for the first time.
      var previous: Edit?
      /// When somebody asked for it, by ``MonotonicClock``; in a restored entry, where it ended in
      /// the journal that was lost. 0 if that isn't known.
      var mark: UInt64 = 0
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
      if bytes.prefix(JournalEncoder.headerSize).allSatisfy({ $0 == 0 }) { return true }
      // What is shorter and begins in another way is somebody's file.
      return bytes.count < JournalEncoder.headerSize
        && bytes.prefix(8).elementsEqual(JournalEncoder.magic.prefix(bytes.count))
    }
  }
}
