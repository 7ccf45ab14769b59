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
  /// For tests that wait for the exit of a process by `#expect(processExitsWith:)`.
  ///
  /// All tests of a run start together and take turns on a few threads. While a process has ended
  /// whose test hasn't had its next turn, the testing library asks for ended processes in a busy
  /// loop. With thousands of tests, that takes minutes, and a quarter of the processor time.
  package static var prompt: Self { Self() }
}

private final class PromptExecutor: TaskExecutor {
  static let shared = PromptExecutor()

  /// Threads of another quality of service than the tests' own.
  private let queue = DispatchQueue(
    label: "tests that start processes", qos: .userInitiated, attributes: .concurrent)

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
