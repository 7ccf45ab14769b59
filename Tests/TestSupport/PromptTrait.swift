import Dispatch
import Testing

/// Runs tests on threads that the other tests don't use; see ``Trait/prompt``.
package struct PromptTrait: SuiteTrait, TestTrait, TestScoping {
  package var isRecursive: Bool { true }

  package func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await withTaskExecutorPreference(PromptExecutor.shared) { try await function() }
  }
}

extension Trait where Self == PromptTrait {
  /// For tests that wait for other programs: for an exit by `#expect(processExitsWith:)`, or for
  /// the answers of etcd or Syncthing.
  ///
  /// All tests of a run start together and take turns on a few threads. While a process has ended
  /// whose test hasn't had its next turn, the testing library asks for ended processes in a busy
  /// loop. With thousands of tests, that takes minutes, and a quarter of the processor time. A test
  /// that waits for an answer waits for a turn after each answer, and ends long after the others.
  package static var prompt: Self { Self() }
}

private final class PromptExecutor: TaskExecutor {
  static let shared = PromptExecutor()

  /// Threads of another quality of service than the tests' own.
  private let queue = DispatchQueue(
    label: "tests that wait for programs", qos: .userInitiated, attributes: .concurrent)

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
