import Foundation
import TestSupport
import Testing

@testable import Defaults

/// Only root can create files of other users, so these tests need root.
@Suite("Journals of other users", .needsRoot, .tags(.root))
struct ForeignJournalTests {
  let settings: SettingsFolder
  var folder: TemporaryFolder { settings.folder }

  init() throws { settings = try SettingsFolder() }

  /// The owner of the journal, and the modes and owners of its file and folder.
  struct Case: Sendable {
    var owner: uid_t = 1_234
    var group: gid_t = 0
    var fileOwner: uid_t = 0
    var fileMode: mode_t = 0o600
    var folderMode: mode_t = 0o700
  }

  private func prepare(_ situation: Case) throws {
    try settings.run { process in
      process.set("file", "x")
      try process.flush(.snapshot)
      process.set("journal", "x")
    }
    #expect(chown(settings.path, situation.fileOwner, 5_678) == 0)
    #expect(chmod(settings.path, situation.fileMode) == 0)
    #expect(chown(folder[SettingsFolder.journal], situation.owner, situation.group) == 0)
    #expect(chmod(folder.path, situation.folderMode) == 0)
  }

  @Test(
    "A journal of a user who may write the file is trusted",
    arguments: [
      Case(owner: 0),
      Case(owner: 1_234, fileOwner: 1_234),
      Case(owner: 0, fileOwner: 1_234),
      Case(owner: 1_234, fileMode: 0o666, folderMode: 0o777),
      Case(owner: 1_234, group: 5_678, fileMode: 0o664, folderMode: 0o775),
    ])
  func believed(situation: Case) throws {
    try prepare(situation)
    #expect(try settings.found() == ["x": "journal"])
  }

  @Test(
    "A journal of a user without write access throws with its owner and stays unchanged",
    arguments: [
      Case(),
      Case(fileMode: 0o644, folderMode: 0o777),
      Case(owner: 1_234, fileOwner: 4_321),
      Case(owner: 1_234, group: 9_999, fileMode: 0o664, folderMode: 0o775),
      // A file created in such a folder gets the folder's group.
      Case(owner: 1_234, group: 5_678, fileMode: 0o664, folderMode: 0o2777),
    ])
  func refused(situation: Case) throws {
    try prepare(situation)
    let journal = try Data(contentsOf: folder.url(SettingsFolder.journal))
    let error = #expect(throws: Defaults.SuiteError.self) { try settings.open() }
    #expect(error?.code == .unreadable)
    #expect(error?.path == folder[SettingsFolder.journal])
    #expect(error?.reason.contains("another user (1234)") == true)
    #expect(try Data(contentsOf: folder.url(SettingsFolder.journal)) == journal)
  }

  @Test(
    "Without a settings file, a journal of the folder's owner is trusted, and no other user's",
    arguments: [1_234, 4_321] as [uid_t])
  func withoutFile(folderOwner: uid_t) throws {
    try settings.run { process in process.set("journal", "x") }
    #expect(chown(folder[SettingsFolder.journal], 1_234, 0) == 0)
    #expect(chown(folder.path, folderOwner, 0) == 0)
    if folderOwner == 1_234 {
      #expect(try settings.found() == ["x": "journal"])
    } else {
      let error = #expect(throws: Defaults.SuiteError.self) { try settings.open() }
      #expect(error?.reason.contains("another user (1234)") == true)
    }
  }

  @Test("A hard link to another user's journal is rejected, even if the user owns the settings")
  func hardLink() throws {
    try prepare(Case(owner: 1_234, fileOwner: 1_234))
    #expect(rename(folder[SettingsFolder.journal], folder["victim"]) == 0)
    #expect(link(folder["victim"], folder[SettingsFolder.journal]) == 0)
    let victim = try Data(contentsOf: folder.url("victim"))
    let error = #expect(throws: Defaults.SuiteError.self) { try settings.open() }
    #expect(error?.reason.contains("hard link to a file of another user (1234)") == true)
    #expect(try Data(contentsOf: folder.url("victim")) == victim)
  }

  @Test("The user's own journal with a hard link from a backup program is used")
  func ownHardLink() throws {
    try prepare(Case(owner: 0))
    #expect(link(folder[SettingsFolder.journal], folder["linked"]) == 0)
    let process = try settings.open()
    process.set("new", "x")
    try process.flush(.snapshot)
    #expect(try settings.entries() == ["x": "new"])
  }

  @Test("Another user's link to the settings file isn't followed in a folder like /tmp")
  func foreignLink() throws {
    try folder.makeFolder("real")
    try folder.write("precious", to: "real/victim")
    try folder.link(SettingsFolder.file, to: "real/victim")
    #expect(lchown(settings.path, 1_234, 1_234) == 0)
    #expect(chmod(folder.path, 0o1777) == 0)
    let error = #expect(throws: Defaults.SuiteError.self) { try settings.open() }
    #expect(error?.code == .unreadable)
    #expect(error?.path == settings.path)
    #expect(try folder.names(in: "real") == ["victim"])
    #expect(try folder.text(of: "real/victim") == "precious")
    // The user's own link is followed, and so is one in a folder that no other user can write.
    #expect(lchown(settings.path, 0, 0) == 0)
    #expect(try StoredFile(path: settings.path).path == folder["real/victim"])
    #expect(lchown(settings.path, 1_234, 1_234) == 0)
    #expect(chmod(folder.path, 0o755) == 0)
    #expect(try StoredFile(path: settings.path).path == folder["real/victim"])
  }

  @Test("Temporary files of other users' killed processes aren't removed")
  func temporaries() throws {
    try settings.run { process in process.set(1, "n") }
    let file = try StoredFile(path: settings.path)
    let theirs = file.newTemporaryName
    try folder.write("left", to: theirs)
    #expect(chown(folder[theirs], 1_234, 1_234) == 0)
    try folder.write("ours", to: file.newTemporaryName)
    let process = try settings.open()
    #expect(try folder.names() == [theirs, SettingsFolder.journal])
    process.kill()
  }
}
