import Foundation

/// The journal that counts, how far this process has read it, and what a power cut can't take of it.
struct FollowedJournal {
  /// nil before it is opened or made.
  var file: JournalFile?
  /// One that was opened, and isn't known to be the one that counts.
  var candidate: JournalFile?
  /// The one that was lost, as long as no other one counts.
  var lost: JournalFile?
  /// Whether there was a journal after that one, which this process hasn't seen.
  var isOutdated = false
  private(set) var header: JournalHeader?
  /// Everything before this offset is in memory.
  private(set) var offset = 0
  private(set) var last: LogMark?
  /// Up to here a journal that was lost is as it was when it was read.
  var intact = 0
  /// How large it was when this process had its lock: records and room.
  var size = 0
  /// Whether what is behind the offset was empty room, all of it, when this process had the lock.
  /// A power cut may leave something behind zeros; what writers leave begins at the offset.
  var isRoomKnown = false
  var durability = Durability()

  /// Goes on with what was loaded.
  mutating func follow(_ loaded: LoadedSuite) {
    begin(loaded.journal, loaded.header, at: loaded.offset)
    last = loaded.last
  }

  /// Goes on with a journal that has nothing yet which isn't in memory.
  mutating func follow(_ header: JournalHeader, in journal: JournalFile) {
    begin(journal, header, at: JournalEncoder.headerSize)
  }

  /// Goes on with a journal that this process has begun.
  mutating func follow(_ start: JournalStart, in journal: JournalFile) {
    follow(start.header, in: journal)
    advance(to: start.end, start.last)
    size = start.size
    isRoomKnown = true
  }

  private mutating func begin(
    _ journal: JournalFile?, _ header: JournalHeader?, at offset: Int
  ) {
    file = journal
    candidate = nil
    lost = nil
    self.header = header
    self.offset = offset
    last = nil
    intact = offset
    isRoomKnown = false
    durability.begin()
  }

  /// Takes the file for lost; a new one is made, or found.
  mutating func abandon() {
    lost = file
    close()
  }

  mutating func close() {
    file = nil
    candidate = nil
    durability.doubtFolders()
  }

  /// Everything before an offset is in memory now; `last` is the record there, if that is known.
  mutating func advance(to offset: Int, _ last: LogMark?) {
    self.offset = offset
    self.last = last ?? self.last
  }
}

// MARK: - Reading

extension FollowedJournal {
  enum News {
    case none
    /// There is more than empty room behind what is in memory.
    case records
    /// Somebody cut the journal off, and others have written since.
    case rewritten
  }

  /// What there is in the locked journal behind what is in memory; `isOurs`: whether this process
  /// wrote the last record that it knows.
  mutating func news(
    in journal: JournalFile, _ newSize: Int, isOurs: Bool
  ) throws(SuiteError) -> News {
    let isAsLeft = newSize == size
    size = newSize
    // Whoever writes after somebody else makes the journal larger, so there is nothing after our
    // own record. Mostly this saves the look, a tenth of what a setter costs.
    if isRoomKnown, isAsLeft, isOurs { return .none }
    // Not before it was looked at, and taken in if there is something: all of that may fail.
    let wasRoomKnown = isRoomKnown
    isRoomKnown = false
    guard try isAsKnown(journal) else { return .rewritten }
    guard wasRoomKnown else { return .records }
    let hasRecord = try newSize > offset ? journal.prefix(at: offset) != 0 : false
    isRoomKnown = !hasRecord
    return hasRecord ? .records : .none
  }

  /// Whether the last record that is known is where it was.
  func isAsKnown(_ journal: JournalFile) throws(SuiteError) -> Bool {
    guard let last else { return true }
    return try journal.prefix(at: last.offset) == last.prefix
  }
}

// MARK: - Writing

extension FollowedJournal {
  /// Writes a record into the room behind the last one, or with new room. After a record of
  /// somebody else the journal becomes larger, which is how its writer notices.
  mutating func write(
    _ record: UnsafeRawBufferPointer, to journal: JournalFile, isLastOurs: Bool
  ) throws(POSIXError) {
    let start = offset
    let end = start + record.count
    if !isLastOurs {
      try journal.file.truncate(to: size + 1)
      size += 1
    }
    do throws(POSIXError) {
      if end <= size {
        try journal.file.writeAll(record, at: start)
      } else {
        size = try journal.file.writeAll(record, withRoomAt: start)
      }
    } catch {
      // If all that is missing are zeros, and there is room, others may have read the record.
      guard let written = try? journal.bytes(from: start, to: end), written.elementsEqual(record)
      else { throw error }
      size = max(size, end)
    }
    advance(to: end, LogMark(of: record, at: start))
  }
}

/// What a power cut can't take, as far as this process knows: the one place that knows it.
///
/// Nothing is written down here before its last sync has returned. A sync that failed is never
/// made good by a later one: the system may have dropped what it couldn't write, and says so
/// once. Then nothing counts until all of it was written to new files.
struct Durability {
  /// Everything before this place of the present journal is on the disk.
  private(set) var end = 0
  /// Whether the journal's name is, and that of the file which it builds on.
  private(set) var hasName = false
  /// Whether the names of the folders on the way to it are, too: this process or an earlier one may
  /// have made them. Once for a folder, whatever journals it has.
  private(set) var hasFolders = false
  /// How many syncs failed since everything was written to new files.
  private(set) var failures = 0

  var isSuspect: Bool { failures > 0 }

  /// Whether the journal is safe up to a place.
  func covers(_ end: Int) -> Bool { !isSuspect && hasName && hasFolders && self.end >= end }

  /// Another journal counts now, of which nothing is known.
  mutating func begin() {
    end = 0
    hasName = false
  }

  /// The names of the folders were synced.
  mutating func trustFolders() { hasFolders = true }

  /// The folder may be another one from now on.
  mutating func doubtFolders() { hasFolders = false }

  /// The journal up to a place was synced, and the folder.
  mutating func advance(to end: Int) {
    // Something before it may have been dropped.
    if isSuspect { return }
    self.end = max(self.end, end)
    hasName = true
  }

  mutating func doubt() { failures += 1 }

  /// Everything was written to new files and synced, after so many failures.
  mutating func believe(failures before: Int) {
    // One that came meanwhile may concern the new files.
    if failures == before { failures = 0 }
  }
}
