import Foundation
import Testing

@testable import Defaults

/// Each in a process of its own, whose children are forked without an exec.
@Suite("Suites in forked processes")
struct ForkedSuiteTests {
  let settings: SettingsFolder

  init() throws { settings = try SettingsFolder() }

  @Test("Work that the parent had in mind isn't done by the child, which has threads of its own")
  func lanes() async {
    await #expect(processExitsWith: .success) {
      alarm(60)
      let lane = BackgroundLane()
      let done = Log<String>()
      lane.perform(after: 0.2) { done.append("the parent's") }
      let child = try forked()
      if child == 0 {
        let before = done.all
        let isDone = DispatchSemaphore(value: 0)
        lane.perform(after: 0.4) {
          done.append("the child's")
          isDone.signal()
        }
        isDone.wait()
        _exit(done.all == before + ["the child's"] ? 0 : 1)
      }
      #expect(try status(of: child) == 0)
    }
  }

  @Test("A child whose parent ends writes snapshots, and keeps the journal short")
  func daemon() async throws {
    await #expect(processExitsWith: .success) { [path = settings.path as String] in
      alarm(100)
      let end = Pipe()
      let parent = try forked()
      if parent == 0 {
        let suite = try Defaults.PropertyListSuite(url: URL(filePath: path))
        suite.set("parent", forKey: "writer")
        // The parent ends at once, and nothing of it writes the file.
        if try forked() != 0 { _exit(0) }
        alarm(100)
        let text = String(repeating: "text ", count: 200)
        var number = 0
        // Until the file is there, and a journal was begun anew on it.
        while access(path, F_OK) != 0 || size(of: path + ".journal") > 1 << 20 {
          number += 1
          suite.set("\(number) \(text)", forKey: "text")
        }
        suite.set("child", forKey: "writer")
        exit(0)
      }
      #expect(try status(of: parent) == 0)
      // The child is nobody's now, but has the pipe until it ends.
      try end.fileHandleForWriting.close()
      #expect(try end.fileHandleForReading.readToEnd()?.isEmpty != false)
    }
    #expect(try settings.entries()["writer"] == "child")
    #expect(try settings.size(of: SettingsFolder.journal) < 1 << 16)
  }

  @Test("A child that wrote writes the file when it ends normally; one that didn't leaves that")
  func duty() async throws {
    await #expect(processExitsWith: .success) { [path = settings.path as String] in
      alarm(60)
      let process = try OpenSuite(path)
      process.set("parent", "writer")
      let reader = try forked()
      if reader == 0 {
        // An equal value is no change, though it takes a look at the journal to know that.
        process.set("parent", "writer")
        exit(process.entries == ["writer": "parent"] ? 0 : 1)
      }
      #expect(try status(of: reader) == 0)
      #expect(access(path, F_OK) != 0)

      let writer = try forked()
      if writer == 0 {
        process.set("child", "writer")
        exit(0)
      }
      #expect(try status(of: writer) == 0)
      let data = try Data(contentsOf: URL(filePath: path))
      #expect(try Defaults.PropertyListFormat.decode(data).entries == ["writer": "child"])
      process.kill()
    }
  }

  @Test("A fork doesn't wait for a snapshot, and the child can write one meanwhile")
  func besideSnapshot() async throws {
    await #expect(processExitsWith: .success) { [path = settings.path as String] in
      alarm(100)
      let process = try OpenSuite(path)
      process.set("parent", "writer")
      let isAtDisk = DispatchSemaphore(value: 0)
      let answer = DispatchSemaphore(value: 0)
      let parent = getpid()
      process.disk.delay { call in
        guard call.operation == .synchronize, getpid() == parent else { return }
        isAtDisk.signal()
        answer.wait()
      }
      let persistence = try #require(process.suite.persistence as? JournaledFile)
      persistence.inBackground { $0.snapshotInBackground() }
      isAtDisk.wait()
      let clock = ContinuousClock()
      var times: [Duration] = []
      for _ in 0..<3 {
        let start = clock.now
        let child = try forked()
        if child == 0 {
          process.set("child", "writer")
          _exit((try? process.flush(.snapshot)) == nil ? 1 : 0)
        }
        times.append(clock.now - start)
        #expect(try status(of: child) == 0)
      }
      // A fork that waits for somebody in vain gives up after a second.
      #expect(try #require(times.min()) < .milliseconds(900))
      let data = try Data(contentsOf: URL(filePath: path))
      #expect(try Defaults.PropertyListFormat.decode(data).entries == ["writer": "child"])
      process.disk.delay { _ in }
      for _ in 0..<100 { answer.signal() }
      await persistence.lane.finish()
    }
  }

  @Test("A child that lets go of a suite doesn't make its parent deaf, and can watch for itself")
  func watching() async throws {
    await #expect(processExitsWith: .success) {
      alarm(60)
      let folder = try TemporaryFolder()
      let watcher = FolderWatcher()
      let isHere = DispatchSemaphore(value: 0)
      var watch: FolderWatcher.Watch? = watcher.watch(
        folder.path, names: ["file"]
      ) { _, event in
        if event == .complete { isHere.signal() }
        return true
      }
      let child = try forked()
      if child == 0 {
        watch = nil
        let own = watcher.watch(folder.path, names: ["own"]) { _, event in
          if event == .complete { isHere.signal() }
          return true
        }
        try? folder.write("x", to: "own")
        isHere.wait()
        withExtendedLifetime(own) {}
        _exit(0)
      }
      #expect(try status(of: child) == 0)
      try folder.write("x", to: "file")
      isHere.wait()
      withExtendedLifetime(watch) {}
    }
  }
}

private func size(of path: String) -> Int {
  let attributes = try? FileManager.default.attributesOfItem(atPath: path)
  return (attributes?[.size] as? NSNumber)?.intValue ?? 0
}
