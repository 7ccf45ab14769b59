import Foundation
import Testing

@testable import Defaults
@testable import Torture

@Suite("What a crash can leave")
struct CrashStatesTests {
  let disk = SimulatedDisk()

  private func make(_ path: String, _ bytes: [UInt8]) throws -> any OpenFile {
    let file = try disk.open(path, .create)
    try write(bytes, to: file, at: 0)
    return file
  }

  private func write(_ bytes: [UInt8], to file: any OpenFile, at offset: Int) throws {
    try bytes.withUnsafeBytes { try file.writeAll($0, at: offset) }
  }

  private func syncFolder(_ path: String = "/") throws {
    try disk.open(path, .folder).synchronize()
  }

  @Test("A new file that wasn't synced can be missing, empty, short, zeros or whole")
  func newFile() throws {
    _ = try make("/f", [1, 2, 3, 4])
    #expect(contents(of: "/f", in: disk) == [nil, [], [1, 2], [0, 0, 0, 0], [1, 2, 3, 4]])
  }

  @Test("Syncing a file covers its content, and not its name")
  func syncedFile() throws {
    try make("/f", [1, 2]).synchronize()
    #expect(contents(of: "/f", in: disk) == [nil, [1, 2]])
    try syncFolder()
    #expect(contents(of: "/f", in: disk) == [[1, 2]])
  }

  @Test("Syncing a folder covers names, and no content")
  func syncedFolder() throws {
    _ = try make("/f", [1, 2])
    try syncFolder()
    #expect(contents(of: "/f", in: disk) == [[], [1], [0, 0], [1, 2]])
  }

  @Test("A rename that is undone brings the old file back, and all of it")
  func rename() throws {
    try make("/old", [1]).synchronize()
    try make("/new", [2]).synchronize()
    try syncFolder()
    try disk.move("/new", to: "/old")
    #expect(contents(of: "/old", in: disk) == [[1], [2]])
    #expect(contents(of: "/new", in: disk) == [nil, [2]])
    try syncFolder()
    #expect(contents(of: "/old", in: disk) == [[2]])
  }

  @Test("An exchange is there as a whole or not at all")
  func exchange() throws {
    try make("/one", [1]).synchronize()
    try make("/other", [2]).synchronize()
    try syncFolder()
    try disk.exchange("/one", "/other")
    var states = CrashStates(from: DiskImage(), log: disk.log, seed: 1)
    while states.advance() {}
    var found: Set<[[UInt8]?]> = []
    states.forEach { found.insert([$0.image.bytes(of: "/one"), $0.image.bytes(of: "/other")]) }
    #expect(found == [[[1], [2]], [[2], [1]]])
    try syncFolder()
    #expect(contents(of: "/one", in: disk) == [[2]])
    #expect(try disk.status(of: "/one").names == 1)
  }

  @Test("A file whose creation is undone can't be renamed")
  func renameOfNothing() throws {
    try make("/old", [1]).synchronize()
    try syncFolder()
    try make("/new", [2]).synchronize()
    try disk.move("/new", to: "/old")
    #expect(contents(of: "/old", in: disk) == [[1], [2]])
  }

  @Test("A removal that is undone brings the file back")
  func removal() throws {
    try make("/f", [1]).synchronize()
    try syncFolder()
    try disk.removeName("/f")
    #expect(contents(of: "/f", in: disk) == [nil, [1]])
    try syncFolder()
    #expect(contents(of: "/f", in: disk) == [nil])
  }

  @Test("Blocks that were on the disk keep their bytes; a gap before a write is zeros")
  func overwriting() throws {
    let file = try make("/f", [1, 2])
    try file.synchronize()
    try syncFolder()
    try write([3], to: file, at: 0)
    #expect(contents(of: "/f", in: disk) == [[1, 2], [3, 2]])
    try file.synchronizeContent()
    try write([4], to: file, at: 2)
    try write([5], to: file, at: 3)
    #expect(
      contents(of: "/f", in: disk) == [
        [3, 2], [3, 2, 4], [3, 2, 0], [3, 2, 0, 5], [3, 2, 4, 5], [3, 2, 0, 0], [3, 2, 4, 0],
      ])
  }

  @Test("A cut that is undone brings the bytes back")
  func truncation() throws {
    let file = try make("/f", [1, 2])
    try file.synchronize()
    try syncFolder()
    try file.truncate(to: 1)
    #expect(contents(of: "/f", in: disk) == [[1, 2], [1]])
    try file.synchronizeContent()
    #expect(contents(of: "/f", in: disk) == [[1]])
  }

  @Test("What is in a folder goes with it")
  func folders() throws {
    try disk.makeFolder("/a", mode: 0o700)
    try make("/a/f", [1]).synchronize()
    try syncFolder("/a")
    #expect(contents(of: "/a/f", in: disk) == [nil, [1]])
    try syncFolder()
    #expect(contents(of: "/a/f", in: disk) == [[1]])
  }

  @Test("A file moved between folders is in one of them, and in the new one after both are synced")
  func movedFile() throws {
    try disk.makeFolder("/a", mode: 0o700)
    try make("/f", [1]).synchronize()
    try syncFolder()
    try disk.move("/f", to: "/a/f")
    try syncFolder("/a")
    #expect(contents(of: "/a/f", in: disk) == [nil, [1]])
    var states = CrashStates(from: DiskImage(), log: disk.log, seed: 1)
    while states.advance() {}
    states.forEach { state in
      #expect((state.image.bytes(of: "/f") == nil) != (state.image.bytes(of: "/a/f") == nil))
    }
    try syncFolder()
    #expect(contents(of: "/a/f", in: disk) == [[1]])
  }

  @Test("Inode numbers and times are those of what survived")
  func versions() throws {
    let file = try make("/f", [1])
    try file.synchronize()
    try syncFolder()
    let before = try file.status().version
    try write([2], to: file, at: 1)
    let after = try file.status().version
    var states = CrashStates(from: DiskImage(), log: disk.log, seed: 1)
    while states.advance() {}
    var versions: Set<FileVersion> = []
    try states.forEach { state in
      if state.image.bytes(of: "/f") == [1, 0] { return }
      versions.insert(try SimulatedDisk(state.image).status(of: "/f").version)
    }
    // Half of one byte is none, but time has passed.
    #expect(versions.isSuperset(of: [before, after]))
    #expect(versions.allSatisfy { $0.isSameFile(as: before) })
  }

  @Test("No state has two files with one inode number")
  func numbers() throws {
    try make("/a", [1]).synchronize()
    try syncFolder()
    try disk.removeName("/a")
    _ = try make("/b", [2])
    var states = CrashStates(from: DiskImage(), log: disk.log, seed: 1)
    while states.advance() {}
    states.forEach { state in
      #expect(state.image.bytes(of: "/a") == nil || state.image.bytes(of: "/b") == nil)
    }
  }
}
