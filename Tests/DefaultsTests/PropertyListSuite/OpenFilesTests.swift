import Foundation
import Harness
import TestSupport
import Testing

@testable import Defaults

@Suite("Opening and closing of many files", .prompt)
struct OpenFilesTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test("A suite that is opened again by the same path follows that path once")
  func samePath() throws {
    let suites = try (0..<3).map { _ in
      try Defaults.PropertyListSuite(url: folder.url("suite.plist"))
    }
    let store = try #require(suites[0].storage.persistence as? FileStore)
    #expect(store.routes.withLock { $0.count } == 1)
    withExtendedLifetime(suites) {}
  }

  @Test("A slow disk for one file doesn't block the opening of another file")
  func slowDisk() throws {
    let isAtDisk = DispatchSemaphore(value: 0)
    let answer = DispatchSemaphore(value: 0)
    let isOpen = DispatchSemaphore(value: 0)
    let disk = FaultyFileSystem()
    let slow = try StoredFile(path: folder["slow.plist"], on: disk)
    // Earlier openings, whose suites were released.
    for _ in 0..<2 { _ = try OpenFiles.open(slow, format: nil, onIssue: nil) }
    disk.delay { call in
      isAtDisk.signal()
      answer.wait()
      answer.signal()
    }
    let storages = Log<ObjectIdentifier>()
    let held = Log<Defaults.StoredSuite>()
    for _ in 0..<2 {
      Thread.detachNewThread {
        if let storage = try? OpenFiles.open(slow, format: nil, onIssue: nil).0 {
          storages.append(ObjectIdentifier(storage))
          held.append(storage)
        }
        isOpen.signal()
      }
    }
    isAtDisk.wait()
    // Each opening sweeps a few entries.
    for number in 0..<300 {
      _ = try Defaults.PropertyListSuite(url: folder.url("other \(number).plist"))
    }
    let other = try Defaults.PropertyListSuite(url: folder.url("other.plist"))
    other.set(1, forKey: "name")
    #expect(storages.all.isEmpty)
    answer.signal()
    for _ in 0..<2 { isOpen.wait() }
    // Both openings waited and share one state.
    #expect(storages.all.count == 2 && Set(storages.all).count == 1)
    withExtendedLifetime(held) {}
  }

  @Test("Suites that are opened and released are all written, with few descriptors")
  func descriptors() async throws {
    await #expect(processExitsWith: .success) { [path = folder.path as String] in
      dieAtHang()
      try ResourceLimit.openFiles.set(to: 64)
      for number in 0..<500 {
        let file = URL(filePath: "\(path)/\(number).plist")
        let suite = try Defaults.PropertyListSuite(url: file) { issue in
          Issue.record("\(issue)")
        }
        suite.set(number, forKey: "number")
        suite.set(-number, forKey: "opposite")
      }
    }
    for number in 0..<500 {
      let data = try Data(contentsOf: folder.url("\(number).plist"))
      let entries = try Defaults.PropertyListFormat.decode(data).entries
      #expect(entries["number"] == .integer(Int64(number)))
      #expect(entries["opposite"] == .integer(Int64(-number)))
    }
  }
}
