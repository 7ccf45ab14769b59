#if !canImport(Darwin)
  import Foundation
  import TestSupport
  import Testing

  @testable import Defaults

  @Suite(
    "Files with an access list", .prompt,
    .enabled(if: Attributes.areAccessListsAvailable, "the file system has no access lists"))
  struct AccessListFileTests {
    let settings: SettingsFolder
    var folder: TemporaryFolder { settings.folder }

    init() throws { settings = try SettingsFolder() }

    private let list = Attributes.example
    private let journalList = AccessList([
      .init(subject: .owner, rights: 6), .init(subject: .user, rights: 6, id: 1_234),
      .init(subject: .owningGroup, rights: 0), .init(subject: .mask, rights: 6),
      .init(subject: .others, rights: 0),
    ])

    /// Creates a file with the list.
    private func makeFile() throws {
      try settings.edit(["x": 0])
      try Attributes.set(AccessList.attribute, to: list.bytes, of: settings.path)
    }

    /// Writes the file twice, and a journal with a record.
    private func write(_ process: OpenSuite) throws {
      for number in 1...2 {
        process.set(.integer(Int64(number)), "x")
        try process.flush(.snapshot)
      }
      process.set(3, "x")
    }

    private func list(of name: String) throws -> AccessList? {
      try Attributes.list(of: folder[name])
    }

    @Test("A file keeps its access list, and its journal admits all users who may write the file")
    func kept() throws {
      try makeFile()
      let process = try settings.open()
      process.set(1, "x")
      #expect(try list(of: SettingsFolder.journal) == journalList)
      try write(process)
      #expect(try list(of: SettingsFolder.file) == list)
      #expect(try folder.mode(of: SettingsFolder.file) == 0o660)
      #expect(try list(of: SettingsFolder.journal) == journalList)
      process.kill()
    }

    @Test("Copies of damaged files and journals have the access list")
    func copies() throws {
      try makeFile()
      let disk = FaultyFileSystem()
      disk.fail(with: .EOPNOTSUPP) { $0.operation == .addName }
      let process = try settings.open(on: disk)
      try write(process)
      process.kill()
      try settings.overwrite(with: "damaged")
      try settings.flip(byte: 10, of: SettingsFolder.journal)
      let other = FaultyFileSystem()
      other.fail(with: .EOPNOTSUPP) { $0.operation == .addName }
      let next = try settings.open(on: other)
      next.set(4, "x")
      next.kill()
      #expect(try list(of: #require(settings.setAside().first)) == list)
      let journal = try #require(settings.setAside(of: SettingsFolder.journal).first)
      #expect(try list(of: journal) == journalList)
    }

    @Test("In a folder with a default access list, a replaced file keeps its rights")
    func defaultList() throws {
      try Attributes.set("system.posix_acl_default", to: list.bytes, of: folder.path)
      try folder.write("", to: "probe")
      #expect(try list(of: "probe") != nil)
      try settings.edit(["x": 0])
      try Attributes.set(AccessList.attribute, to: nil, of: settings.path)
      for mode in [0o640, 0o660] as [mode_t] {
        #expect(chmod(settings.path, mode) == 0)
        let process = try settings.open()
        try write(process)
        #expect(try folder.mode(of: SettingsFolder.file) == Int(mode))
        #expect(try list(of: SettingsFolder.file) == nil)
        #expect(try list(of: SettingsFolder.journal) == nil)
        #expect(try folder.mode(of: SettingsFolder.journal) == (mode == 0o660 ? 0o660 : 0o600))
        process.kill()
      }
    }

    @Test("The first file in a folder with a default access list is private to its owner")
    func firstFile() throws {
      try Attributes.set("system.posix_acl_default", to: list.bytes, of: folder.path)
      let process = try settings.open()
      try write(process)
      for name in [SettingsFolder.file, SettingsFolder.journal] {
        // The group bits are the mask.
        #expect(try folder.mode(of: name) == 0o600)
      }
      process.kill()
    }

    @Test(
      "If the access list can't be kept, the group gets the rights of the list's group entry")
    func notKept() throws {
      try makeFile()
      let disk = FaultyFileSystem()
      disk.fail(with: .EOPNOTSUPP) { $0.operation == .changeAttribute }
      let process = try settings.open(on: disk)
      process.set(1, "x")
      try process.flush(.snapshot)
      #expect(try list(of: SettingsFolder.file) == nil)
      #expect(try folder.mode(of: SettingsFolder.file) == 0o640)
      #expect(try folder.mode(of: SettingsFolder.journal) == 0o600)
      #expect(process.issues.count == 0)
      process.kill()
    }

    @Test(
      "A user of the access list reads and writes after a snapshot, and the group still can't",
      .needsRoot, .tags(.root))
    func users() async throws {
      try makeFile()
      #expect(chown(settings.path, 0, 5_678) == 0)
      #expect(chmod(folder.path, 0o711) == 0)
      let process = try settings.open()
      try write(process)
      await #expect(processExitsWith: .success) { [path = settings.path as String] in
        precondition(setgroups(0, nil) == 0 && setgid(5_678) == 0 && setuid(4_321) == 0)
        #expect(open(path, O_RDWR) < 0 && open(path + ".journal", O_RDONLY) < 0)
        #expect(open(path, O_RDONLY) >= 0)
      }
      await #expect(processExitsWith: .success) { [path = settings.path as String] in
        precondition(setgroups(0, nil) == 0 && setgid(1_234) == 0 && setuid(1_234) == 0)
        let user = try OpenSuite(path)
        #expect(user.entries == ["x": 3])
        user.set(4, "x")
        try user.flush()
        user.kill()
      }
      let next = try settings.open()
      #expect(next.entries == ["x": 4])
      next.kill()
      process.kill()
    }

    @Test(
      "A journal by a user of the access list is trusted, and one by a group member isn't",
      .needsRoot, .tags(.root))
    func journalOfUser() throws {
      try makeFile()
      #expect(chown(settings.path, 0, 5_678) == 0)
      let file = try StoredFile(path: settings.path)
      for (user, group, isTrusted) in [
        (1_234, 1_234, true), (4_321, 5_678, false), (4_321, 4_321, false),
      ] as [(uid_t, gid_t, Bool)] {
        try folder.write("", to: SettingsFolder.journal)
        #expect(chown(folder[SettingsFolder.journal], user, group) == 0)
        // As another user sees it: root trusts only root's files.
        let status = try LocalFileSystem().status(of: folder[SettingsFolder.journal])
        #expect(file.isTrusted(status, beside: file.location) == isTrusted)
      }
    }

    @Test(
      "A user of the access list who replaces the file doesn't lock out its owner",
      .needsRoot, .tags(.root))
    func replacedByUser() async throws {
      try makeFile()
      #expect(chown(settings.path, 5_000, 5_000) == 0)
      #expect(chmod(folder.path, 0o777) == 0)
      await #expect(processExitsWith: .success) { [path = settings.path as String] in
        precondition(setgroups(0, nil) == 0 && setgid(1_234) == 0 && setuid(1_234) == 0)
        try StoredFile(path: path).replace(with: Data("new".utf8))
      }
      #expect(try LocalFileSystem().status(of: settings.path).owner == 1_234)
      await #expect(processExitsWith: .success) { [path = settings.path as String] in
        precondition(setgroups(0, nil) == 0 && setgid(5_000) == 0 && setuid(5_000) == 0)
        #expect(open(path, O_RDWR) >= 0)
      }
    }
  }
#endif
