import Defaults
import DefaultsLayers
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite("Layered suites in a forked child", .prompt)
struct LayerForkTests {
  @Test("A refresh in a forked child throws, and waits for no thread that read a layer at the fork")
  func fork() async throws {
    await #expect(processExitsWith: .success) {
      let source = Paused()
      let suite = try Defaults.LayeredSuite(
        Defaults.Layer("site", source), .writable(Defaults.MemorySuite()))
      #expect(suite.entry(named: "a") == 1)
      let thread = Thread { source.tell() }
      thread.start()
      source.reading.wait()
      let child = try forked()
      if child == 0 {
        do {
          try suite.refresh()
        } catch let error as Defaults.SuiteError where error.code == .forked {
          _exit(suite.entry(named: "a") == 1 ? 0 : 1)
        } catch {}
        _exit(2)
      }
      #expect(try status(of: child) == 0)
      source.goOn.signal()
    }
  }
}

/// A source that waits in each load but the first.
private final class Paused: Defaults.LayerSource {
  let label = "paused"
  let reading = DispatchSemaphore(value: 0)
  let goOn = DispatchSemaphore(value: 0)
  private let state = Mutex<(hasLoaded: Bool, changed: @Sendable () -> Void)>((false, {}))

  func load() -> Defaults.LayerContent {
    let hasLoaded = state.withLock { state in
      defer { state.hasLoaded = true }
      return state.hasLoaded
    }
    if hasLoaded {
      reading.signal()
      goOn.wait()
    }
    return .entries(["a": 1])
  }

  func watch(_ changed: @escaping @Sendable () -> Void) -> (any Sendable)? {
    state.withLock { $0.changed = changed }
    return nil
  }

  func tell() { state.withLock(\.changed)() }
}
