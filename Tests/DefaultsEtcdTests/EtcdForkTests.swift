import Defaults
import DefaultsEtcd
import Foundation
import TestSupport
import Testing

@Suite("etcd suites in forked processes", .prompt)
struct EtcdForkTests {
  @Test("A forked child can neither write nor open an etcd suite")
  func cluster() async {
    await #expect(processExitsWith: .success) {
      alarm(100)
      let endpoint = try #require(URL(string: "http://127.0.0.1:1"))
      let hasFailed = DispatchSemaphore(value: 0)
      let open = {
        try Defaults.EtcdSuite(
          endpoints: [endpoint], prefix: $0, keys: [], onIssue: { _ in hasFailed.signal() })
      }
      let suite = try open("app/")
      // Not while a thread loads libcurl: the child would wait for the loader's lock forever.
      hasFailed.wait()
      let child = try forked()
      if child == 0 {
        let codes = [
          code {
            try suite.transaction { (draft: inout Defaults.Draft) in
              try draft.setEntry(1, named: "a")
            }
          },
          code { _ = try open("other/") },
        ]
        // Without the exit handlers of libcurl, which expect its threads.
        _exit(codes == [.forked, .forked] ? 0 : 1)
      }
      #expect(try status(of: child) == 0)
    }
  }
}

/// The code of the error that the closure throws.
private func code(_ body: () throws -> Void) -> Defaults.SuiteError.Code? {
  do {
    try body()
    return nil
  } catch {
    return (error as? Defaults.SuiteError)?.code
  }
}
