#if canImport(Glibc)
  import Foundation
  import TestSupport
  import Testing

  @testable import Defaults

  /// Output of a program goes to the descriptors 0 to 2, whichever file has them.
  @Suite("Programs started with closed standard files", .prompt)
  struct StandardFilesTests {
    let settings: SettingsFolder
    var folder: TemporaryFolder { settings.folder }

    init() throws { settings = try SettingsFolder() }

    @Test("A line that the program prints is never written to a file of a suite")
    func printing() async throws {
      await #expect(processExitsWith: .success) { [path = settings.path as String] in
        for number in 0...2 { close(CInt(number)) }
        let process = try OpenSuite(path)
        for value in 1...3 {
          process.set(.integer(Int64(value)), "x")
          try process.flush(value < 3 ? .snapshot : .durable)
          for number in 0...2 {
            // The descriptor is closed, or a queue of the system that rejects these bytes.
            precondition(write(CInt(number), "log\n", 4) < 0)
          }
        }
        process.kill()
      }
      #expect(try settings.found() == ["x": 3])
      #expect(try settings.entries() == ["x": 2])
    }

    @Test("Files, folders and watches get descriptors above those of the standard streams")
    func numbers() async throws {
      try folder.write("x", to: "file")
      await #expect(processExitsWith: .success) {
        [path = folder.path as String, settings = settings.path as String] in
        for number in 0...2 { close(CInt(number)) }
        // The queues of the system may have these descriptors at any time; the library's files may
        // not.
        func expectNone() {
          for number in 0...2 {
            var text = [CChar](repeating: 0, count: 1_024)
            let count = readlink("/proc/self/fd/\(number)", &text, text.count - 1)
            let target = String(
              decoding: text.prefix(max(0, count)).map(UInt8.init(bitPattern:)), as: UTF8.self)
            precondition(!target.contains(path) && !target.contains("inotify"), target)
          }
        }
        let disk = LocalFileSystem()
        let uses: [(String, FileUse)] = [
          ("file", .read), ("file", .readNoFollow), ("file", .update), ("new", .create),
          (".", .folder),
        ]
        for (name, use) in uses {
          let file = try disk.open("\(path)/\(name)", use)
          expectNone()
          _ = try file.tryLock()
          let second = try disk.open("\(path)/\(name)", use == .create ? .update : use)
          if use == .update || use == .create {
            let isTaken = try second.tryLock()
            precondition(!isTaken)
          }
        }
        // The check runs while no file is open, but detects the one that is opened meanwhile.
        let names = try disk.names(inFolder: path)
        precondition(names.contains("file"))
        expectNone()
        let watch = FolderWatcher.shared.watch(path, names: []) { _, _ in .handled }
        expectNone()
        withExtendedLifetime(watch) {}
        let suite = try Defaults.PropertyListSuite(url: URL(filePath: settings))
        suite.set(1, forKey: "x")
        try await suite.flush(.snapshot)
        expectNone()
      }
    }
  }
#endif
