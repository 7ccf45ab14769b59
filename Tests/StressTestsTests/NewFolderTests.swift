import Foundation
import Testing

@testable import Defaults
@testable import StressTests

@Suite("New folders of a suite's file")
struct NewFolderTests {
  private static let path = "/home/config/app/Defaults.plist"
  private static let parents = ["/", "/home", "/home/config"]

  private func open(on disk: SimulatedDisk) throws -> Defaults.StoredSuite {
    let (suite, start) = try FileStore.open(
      StoredFile(path: Self.path, on: disk), isAutomatic: false, onIssue: { _ in })
    start()
    return suite
  }

  /// The number of syncs of each folder above the suite's own one.
  private func syncs(on disk: SimulatedDisk) -> [String: Int] {
    var counts: [String: Int] = [:]
    for operation in disk.log where Self.parents.contains(operation.path) {
      if case .synchronize = operation.kind { counts[operation.path, default: 0] += 1 }
    }
    return counts
  }

  /// The values of `x` after each power loss that may happen now.
  private func found(on disk: SimulatedDisk) throws -> Set<Defaults.PropertyListValue?> {
    var states = CrashStates(from: DiskImage(), log: disk.log, seed: 1)
    while states.advance() {}
    var found: Set<Defaults.PropertyListValue?> = []
    try states.forEach { state in
      found.insert(try open(on: SimulatedDisk(state.image)).entry(named: "x"))
    }
    return found
  }

  @Test("A flush returns when the names of all new folders are on disk")
  func flushed() throws {
    let disk = SimulatedDisk()
    let suite = try open(on: disk)
    suite.write(.set(1), named: "x")
    #expect(try found(on: disk).contains(nil))
    try suite.flush()
    #expect(try found(on: disk) == [1])
    #expect(syncs(on: disk).keys.sorted() == Self.parents)
  }

  @Test(
    "After a failed sync of a parent folder, the next flush syncs all parent folders",
    arguments: parents)
  func failedSync(parent: String) throws {
    let disk = SimulatedDisk()
    let suite = try open(on: disk)
    disk.decide { operation in
      if case .synchronize = operation.kind, operation.path == parent { return .failure(.EIO) }
      return .success
    }
    suite.write(.set(1), named: "x")
    #expect(throws: Defaults.SuiteError.self) { try suite.flush() }
    let before = disk.log.count
    disk.decide(nil)
    try suite.flush()
    let synced = disk.log[before...].compactMap { operation -> String? in
      if case .synchronize = operation.kind { return operation.path }
      return nil
    }
    #expect(Set(synced).isSuperset(of: Self.parents))
  }

  @Test("The first flush of a process syncs the folders that a killed process created")
  func killedBefore() throws {
    let disk = SimulatedDisk()
    let killed = try open(on: disk)
    // Killed before each of its syncs.
    disk.decide { operation in
      switch operation.kind {
      case .synchronize, .synchronizeContent: .pretence
      default: .success
      }
    }
    killed.write(.set(1), named: "x")
    disk.decide(nil)
    let next = try open(on: disk)
    try next.flush()
    #expect(try found(on: disk) == [1])
    withExtendedLifetime(killed) {}
  }

  @Test("A process syncs the parent folders once, however often it flushes and writes the file")
  func once() throws {
    let disk = SimulatedDisk()
    let suite = try open(on: disk)
    for number in 0..<5 {
      suite.write(.set(.integer(Int64(number))), named: "x")
      try suite.flush(number.isMultiple(of: 2) ? .durable : .snapshot)
    }
    #expect(syncs(on: disk) == ["/": 1, "/home": 1, "/home/config": 1])
  }

  @Test("A flush returns when the name of a folder is on disk that replaced a folder moved away")
  func movedAway() throws {
    let disk = SimulatedDisk()
    let suite = try open(on: disk)
    suite.write(.set(1), named: "x")
    try suite.flush()
    try disk.move("/home/config/app", to: "/home/config/old")
    suite.write(.set(2), named: "x")
    let before = disk.log.count
    try suite.flush()
    #expect(
      disk.log[before...].contains { operation in
        if case .synchronize = operation.kind { operation.path == "/home/config" } else { false }
      })
    #expect(try found(on: disk) == [2])
  }

  @Test("A folder that isn't private doesn't count as new, so its parent isn't synced")
  func otherFolders() throws {
    let disk = SimulatedDisk()
    try disk.makeFolder("/home", mode: 0o755)
    let suite = try open(on: disk)
    suite.write(.set(1), named: "x")
    try suite.flush()
    #expect(syncs(on: disk) == ["/home": 1, "/home/config": 1])
  }
}
