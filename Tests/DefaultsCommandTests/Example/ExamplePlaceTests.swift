import Foundation
import Harness
import TestSupport
import Testing

/// Where the example finds its settings in unusual places. `.ci/run` does the same with a
/// statically linked example.
@Suite("The example in unusual environments")
struct ExamplePlaceTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private static let unshare = SearchPath.program("unshare")
  /// Whether a test can hide `/proc` from a program.
  static let canHideProc = unshare != nil && SmallDisk.isAvailable

  private func expectLaunch(_ count: Int, _ outcome: ChildProcess.Outcome) {
    #expect(outcome.status == 0)
    #expect(outcome.error == "")
    #expect(outcome.lines.first == ExampleProgram.launchLine(count))
  }

  #if !canImport(Darwin)
    @Test("The example's settings are in the configuration folder below HOME")
    func otherHome() async throws {
      for name in ["one", "two"] {
        for launch in 1...2 {
          let outcome = try await ChildProcess.run(
            ChildProcess.product("Example"), [], environment: ["HOME": folder[name]])
          expectLaunch(launch, outcome)
        }
        #expect(try folder.names(in: "\(name)/.config/Example").contains("Defaults.plist"))
      }
    }

    @Test(
      "Without /proc, the example finds its settings although it is started through a link",
      .enabled(if: canHideProc, "no file system can be mounted"))
    func noProc() async throws {
      let program = ChildProcess.product("Example").path
      try folder.link("alias", to: program)
      let paths = [program, folder["alias"], "./alias"]
      for (launch, path) in zip(1..., paths) {
        let script = "mount -t tmpfs none /proc && cd \"$1\" && exec \"$0\""
        let outcome = try await ChildProcess.run(
          #require(Self.unshare), ["-m", "/bin/sh", "-c", script, path, folder.path],
          environment: ["HOME": folder.path])
        expectLaunch(launch, outcome)
      }
      #expect(try folder.names(in: ".config") == ["Example"])
      // The same settings as with /proc.
      let outcome = try await ChildProcess.run(
        ChildProcess.product("Example"), [], environment: ["HOME": folder.path])
      expectLaunch(paths.count + 1, outcome)
    }
  #endif
}
