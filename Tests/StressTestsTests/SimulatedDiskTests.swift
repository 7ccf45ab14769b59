import Foundation
import TestSupport
import Testing

@testable import Defaults
@testable import StressTests

@Suite("Simulated disk")
struct SimulatedDiskTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  #if !canImport(Darwin)
    /// Darwin has other errors for some misuse.
    @Test(
      "For root, the simulated disk behaves like the disk of this machine",
      .enabled(if: geteuid() == 0, "the simulated disk has no permissions, like root's"),
      .tags(.root), arguments: 1...20 as ClosedRange<UInt64>)
    func comparison(seed: UInt64) throws {
      let disk = SimulatedDisk()
      try disk.makeFolder("/r", mode: 0o700)
      try disk.makeLink("/r/link", to: "a")
      try folder.link("link", to: "a")
      try disk.makeLink("/r/loop", to: "loop")
      try folder.link("loop", to: "loop")
      var random = SeededGenerator(seed: seed)
      let real = FileActor(fileSystem: LocalFileSystem(), root: folder.path)
      let simulated = FileActor(fileSystem: disk, root: "/r")
      var done: [String] = []
      for _ in 0..<1_500 {
        let action = FileActor.Action.random(using: &random)
        done.append("\(action)")
        let results = (real.perform(action), simulated.perform(action))
        try #require(results.0 == results.1, "after \(done.suffix(12))")
      }
      #expect(real.tree() == simulated.tree())
      #expect(done.count == 1_500)
    }
  #endif

  #if !canImport(Darwin)
    /// Whether the file system of the tests' folders supports user extended attributes.
    private static func areAttributesStored() throws -> Bool {
      let folder = try TemporaryFolder()
      let file = try LocalFileSystem().open(folder["file"], .create)
      return (try? file.setAttribute("user.test", to: [1])) != nil
    }

    @Test(
      "The simulated disk stores extended attributes like the disk of this machine",
      .enabled("the folder for temporary files has no user extended attributes") {
        try Self.areAttributesStored()
      })
    func attributes() throws {
      let disks: [(any FileSystem, String)] = [
        (LocalFileSystem(), folder["a"]), (SimulatedDisk(), "/a"),
      ]
      for (disk, path) in disks {
        #expect(throws: Errno(.ENOENT)) { try disk.attributeNames(of: path) }
        #expect(throws: Errno(.ENOENT)) { try disk.attribute("user.a", of: path) }
        let file = try disk.open(path, .create)
        for name in ["user.a", "user.b"] { try file.setAttribute(name, to: [1, 2]) }
        try file.setAttribute("user.b", to: [3])
        #expect(
          try disk.attributeNames(of: path).filter { $0.hasPrefix("user.") }.sorted()
            == ["user.a", "user.b"])
        #expect(try disk.attribute("user.b", of: path) == [3])
        try file.setAttribute("user.b", to: nil)
        #expect(try disk.attribute("user.b", of: path) == nil)
        #expect(throws: Errno(.ENODATA)) { try file.setAttribute("user.b", to: nil) }
      }
    }
  #endif

  @Test("The simulated disk limits names to 255 bytes")
  func longNames() throws {
    let disk = SimulatedDisk()
    let name = String(repeating: "é", count: 128)
    #expect(throws: Errno(.ENAMETOOLONG)) { try disk.makeFolder("/" + name, mode: 0o700) }
    try disk.makeFolder("/" + name.dropLast() + "e", mode: 0o700)
  }

  @Test("The simulated disk reuses the inode number of a file without names that is closed")
  func numbers() throws {
    let disk = SimulatedDisk()
    func number(_ path: String) throws -> UInt64 { try disk.status(of: path).version.inode }
    var file: (any OpenFile)? = try disk.open("/a", .create)
    let first = try number("/a")
    try disk.addName("/b", to: "/a")
    try disk.removeName("/a")
    _ = try disk.open("/c", .create)
    #expect(try number("/c") != first)
    try disk.removeName("/b")
    #expect(try file?.status().names == 0)
    _ = try disk.open("/d", .create)
    #expect(try number("/d") != first)
    file = nil
    _ = try disk.open("/e", .create)
    #expect(try number("/e") == first)
  }

  @Test("The simulated disk reuses no inode number if requested")
  func freshNumbers() throws {
    let disk = SimulatedDisk(reusesNumbers: false)
    _ = try disk.open("/a", .create)
    let first = try disk.status(of: "/a").version.inode
    try disk.removeName("/a")
    _ = try disk.open("/a", .create)
    #expect(try disk.status(of: "/a").version.inode != first)
  }

  @Test("The simulated disk's clock advances with each operation, or less often")
  func times() throws {
    for (operationsPerTick, count) in [(1, 4), (1_000, 1)] {
      let disk = SimulatedDisk(operationsPerTick: operationsPerTick)
      let file = try disk.open("/a", .create)
      var times = [try file.status().version.modified]
      for size in 1...3 {
        try file.truncate(to: size)
        times.append(try file.status().version.modified)
      }
      #expect(Set(times).count == count)
    }
  }

  @Test("The simulated disk keeps the content's time when a file is renamed")
  func renaming() throws {
    let disk = SimulatedDisk()
    let before = try disk.open("/a", .create).status()
    try disk.move("/a", to: "/b")
    #expect(try disk.status(of: "/b").version == before.version)
  }

  @Test("The simulated disk releases a lock with its open file")
  func locks() throws {
    let disk = SimulatedDisk()
    var first: (any OpenFile)? = try disk.open("/a", .create)
    let second = try disk.open("/a", .update)
    #expect(try first?.tryLock() == true)
    #expect(try first?.tryLock() == true)
    #expect(try second.tryLock() == false)
    first = nil
    #expect(try second.tryLock() == true)
  }

  @Test("The simulated disk can be made to fail calls")
  func failures() throws {
    let disk = SimulatedDisk()
    let file = try disk.open("/a", .create)
    disk.decide { operation in
      switch operation.kind {
      case .write: .short(2)
      case .move: .failure(.ENOSPC)
      default: .success
      }
    }
    #expect(try [1, 2, 3].withUnsafeBytes { try file.write($0, at: 0) } == 2)
    #expect(throws: Errno(.ENOSPC)) { try disk.move("/a", to: "/b") }
    try file.synchronize()
    #expect(disk.log.map(\.description) == ["create /a", "write 2 bytes at 0 of /a", "sync /a"])
  }
}
