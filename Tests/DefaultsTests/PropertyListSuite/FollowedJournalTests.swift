import Foundation
import Testing

@testable import Defaults

@Suite("The journal that a process follows")
struct FollowedJournalTests {
  private let folder: TemporaryFolder
  private let file: JournalFile
  private let start: JournalStart
  private let encoder = JournalEncoder()

  init() throws {
    folder = try TemporaryFolder()
    let place = try StoredFile(path: folder["Defaults.plist"]).sibling(".journal")
    let opened = try place.fileSystem.open(place.path, .create)
    start = try opened.begin(JournalHeader(id: 7, previous: 0, base: .absent), with: [])
    file = try JournalFile(opened, at: place, isWritable: true)
  }

  /// One who knows the journal as it was begun.
  private var follower: FollowedJournal {
    var journal = FollowedJournal()
    journal.follow(start, in: file)
    return journal
  }

  private func write(
    _ journal: inout FollowedJournal, as writer: UInt64, isLastOurs: Bool, name: String = "n"
  ) throws {
    let record = JournalRecord(
      writer: writer, durable: 0, changes: [.init(name: name, edit: .set(1))])
    try journal.write(encoder.encode(record, journal: 7), to: file, isLastOurs: isLastOurs)
  }

  /// What one finds who has the lock.
  private func news(
    _ journal: inout FollowedJournal, isOurs: Bool
  ) throws -> FollowedJournal.News {
    try journal.news(in: file, file.size(), isOurs: isOurs)
  }

  @Test("There is no news behind one's own record, and the journal is as large as its room")
  func ownRecord() throws {
    var journal = follower
    let size = journal.size
    try write(&journal, as: 1, isLastOurs: true)
    #expect(journal.size == size)
    #expect(try file.size() == size)
    #expect(try news(&journal, isOurs: true) == .none)
    #expect(journal.isRoomKnown)
  }

  @Test("A record behind somebody else's makes the journal larger, and is news to him")
  func recordOfAnother() throws {
    var (first, second) = (follower, follower)
    try write(&first, as: 1, isLastOurs: true)
    #expect(try news(&second, isOurs: false) == .records)
    second.advance(to: first.offset, first.last)
    try write(&second, as: 2, isLastOurs: false)
    #expect(second.size == first.size + 1)
    #expect(try news(&first, isOurs: true) == .records)
    // Until it is taken in, it stays news.
    #expect(try news(&first, isOurs: true) == .records)
  }

  @Test("A journal that was cut off and written anew is told from one that is longer")
  func rewritten() throws {
    var (first, second) = (follower, follower)
    try write(&first, as: 1, isLastOurs: true)
    try file.empty(from: start.end, to: first.size)
    try write(&second, as: 2, isLastOurs: false, name: "another")
    #expect(try !first.isAsKnown(file))
    #expect(try news(&first, isOurs: true) == .rewritten)
    #expect(try second.isAsKnown(file))
  }

  @Test("A journal that grows by more than its room is written with new room")
  func newRoom() throws {
    var journal = follower
    let size = journal.size
    try write(&journal, as: 1, isLastOurs: true, name: String(repeating: "n", count: size))
    #expect(journal.offset > size)
    #expect(journal.size == journal.offset + JournalRoom.size)
    #expect(try file.size() == journal.size)
    #expect(try file.prefix(at: journal.offset) == 0)
  }

  @Test("Of another journal nothing is known to be durable, and nothing is lost anymore")
  func another() throws {
    var journal = follower
    try write(&journal, as: 1, isLastOurs: true)
    journal.durability.advance(to: journal.offset)
    journal.abandon()
    #expect(journal.lost === file)
    #expect(journal.file == nil)
    journal.follow(start.header, in: file)
    #expect(journal.lost == nil)
    #expect(journal.offset == JournalEncoder.headerSize)
    #expect(journal.last == nil)
    #expect(!journal.durability.covers(journal.offset))
    #expect(!journal.isRoomKnown)
  }
}
