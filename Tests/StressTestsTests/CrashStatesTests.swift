import Foundation
import TestSupport
import Testing

@testable import Defaults
@testable import StressTests

@Suite("States after a crash")
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

  @Test("In the crash model, a new unsynced file can be missing, empty, short, zeros or complete")
  func newFile() throws {
    _ = try make("/f", [1, 2, 3, 4])
    #expect(contents(of: "/f", in: disk) == [nil, [], [1, 2], [0, 0, 0, 0], [1, 2, 3, 4]])
  }

  @Test("In the crash model, syncing a file makes its content durable and not its name")
  func syncedFile() throws {
    try make("/f", [1, 2]).synchronize()
    #expect(contents(of: "/f", in: disk) == [nil, [1, 2]])
    try syncFolder()
    #expect(contents(of: "/f", in: disk) == [[1, 2]])
  }

  @Test("In the crash model, syncing a folder makes names durable and not content")
  func syncedFolder() throws {
    _ = try make("/f", [1, 2])
    try syncFolder()
    #expect(contents(of: "/f", in: disk) == [[], [1], [0, 0], [1, 2]])
  }

  @Test("In the crash model, a reverted rename restores the complete old file")
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

  @Test("In the crash model, an exchange is done completely or not at all")
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

  @Test("In the crash model, a file whose creation is reverted can't be renamed")
  func renameOfNothing() throws {
    try make("/old", [1]).synchronize()
    try syncFolder()
    try make("/new", [2]).synchronize()
    try disk.move("/new", to: "/old")
    #expect(contents(of: "/old", in: disk) == [[1], [2]])
  }

  @Test("In the crash model, a reverted removal restores the file")
  func removal() throws {
    try make("/f", [1]).synchronize()
    try syncFolder()
    try disk.removeName("/f")
    #expect(contents(of: "/f", in: disk) == [nil, [1]])
    try syncFolder()
    #expect(contents(of: "/f", in: disk) == [nil])
  }

  @Test("In the crash model, synced blocks keep their bytes, and a gap before a write is zeros")
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

  @Test("In the crash model, a reverted truncation restores the bytes")
  func truncation() throws {
    let file = try make("/f", [1, 2])
    try file.synchronize()
    try syncFolder()
    try file.truncate(to: 1)
    #expect(contents(of: "/f", in: disk) == [[1, 2], [1]])
    try file.synchronizeContent()
    #expect(contents(of: "/f", in: disk) == [[1]])
  }

  @Test("In the crash model, the content of a folder is lost with the folder")
  func folders() throws {
    try disk.makeFolder("/a", mode: 0o700)
    try make("/a/f", [1]).synchronize()
    try syncFolder("/a")
    #expect(contents(of: "/a/f", in: disk) == [nil, [1]])
    try syncFolder()
    #expect(contents(of: "/a/f", in: disk) == [[1]])
  }

  @Test("In the crash model, a moved file is in the new folder after both folders are synced")
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

  @Test("In the crash model, inode numbers and times are those of the surviving operations")
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
    // Half of one byte is nothing, but time has passed.
    #expect(versions.isSuperset(of: [before, after]))
    #expect(versions.allSatisfy { $0.isSameFile(as: before) })
  }

  @Test("In the crash model, no state has two files with one inode number")
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
