#if canImport(Glibc)
  import Foundation
  import TestSupport
  import Testing

  @testable import Defaults

  /// With musl, or after `ulimit -s 128`, a thread has a stack of 128 KiB unless its creator asks
  /// for more.
  @Suite("Programs with small thread stacks", .prompt)
  struct SmallStackTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Saves this way in a process of its own, once as the first property list and once again.
    private func expectSaved(
      inXML isXML: Bool, byTask isTask: Bool, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
      await #expect(processExitsWith: .success, sourceLocation: sourceLocation) {
        [path = folder["file"] as String, isXML = isXML as Bool, isTask = isTask as Bool] in
        try setDefaultStackSize(to: 128 << 10)
        let suite = try Defaults.PropertyListSuite(
          url: URL(filePath: path), format: isXML ? .xml : .binary)
        // On this thread, whose stack was created before.
        suite.write(.set(nested(levels: 250)), named: "deep")
        let isSaved = DispatchSemaphore(value: 0)
        let save: @Sendable () -> Void = {
          for number in 1...2 {
            suite.write(.set(.integer(Int64(number))), named: "number")
            #expect(throws: Never.self) { try suite.flush(.snapshot) }
          }
          isSaved.signal()
        }
        if isTask {
          try await suite.flush(.snapshot)
        } else {
          BackgroundLane().perform(save)
          await Task.detached { wait(for: isSaved) }.value
        }
      }
      let data = try Data(contentsOf: folder.url("file"))
      let entries = try Defaults.PropertyListFormat.decode(data).entries
      #expect(entries["deep"] == nested(levels: 250), sourceLocation: sourceLocation)
    }

    @Test(
      "A library thread saves a value of 250 levels despite small stacks", arguments: [false, true])
    func inBackground(isXML: Bool) async throws {
      try await expectSaved(inXML: isXML, byTask: false)
    }

    @Test(
      "A task that awaits a flush saves a value of 250 levels despite small stacks",
      arguments: [false, true])
    func byTask(isXML: Bool) async throws {
      try await expectSaved(inXML: isXML, byTask: true)
    }

    @Test("A library thread has a stack of at least 4 MiB, or the system's larger default")
    func size() async {
      for usual in [128 << 10, 16 << 20] {
        await #expect(processExitsWith: .success) { [usual = usual as Int] in
          try setDefaultStackSize(to: usual)
          let size = await LibraryThread.run { stackSize() }
          #expect(size >= max(usual, LibraryThread.leastStackSize))
          #expect(size < max(usual, LibraryThread.leastStackSize) + (1 << 20))
        }
      }
    }
  }

  private func wait(for semaphore: DispatchSemaphore) { semaphore.wait() }

  /// A value with so many levels.
  private func nested(levels: Int) -> Defaults.PropertyListValue {
    (1..<levels).reduce(.integer(1)) { value, level in
      level % 2 == 0 ? .array([value]) : .dictionary(["level": value])
    }
  }

  /// Sets the default stack size of new threads, which is read from `ulimit -s` when a program
  /// starts.
  private func setDefaultStackSize(to size: Int) throws {
    typealias Call = @convention(c) (UnsafePointer<pthread_attr_t>) -> CInt
    // The Glibc module doesn't declare this function.
    let call = try #require(dlsym(nil, "pthread_setattr_default_np"))
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    pthread_attr_setstacksize(&attributes, size)
    try #require(unsafeBitCast(call, to: Call.self)(&attributes) == 0)
  }

  /// The stack size of this thread.
  private func stackSize() -> Int {
    typealias Call = @convention(c) (pthread_t, UnsafeMutablePointer<pthread_attr_t>) -> CInt
    var attributes = pthread_attr_t()
    var size = 0
    guard let call = dlsym(nil, "pthread_getattr_np"),
      unsafeBitCast(call, to: Call.self)(pthread_self(), &attributes) == 0
    else { return 0 }
    pthread_attr_getstacksize(&attributes, &size)
    pthread_attr_destroy(&attributes)
    return size
  }
#endif
