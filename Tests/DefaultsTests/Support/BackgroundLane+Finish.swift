@testable import Defaults

extension BackgroundLane {
  /// Returns when all jobs of the lane that were due before the call are done.
  func finish() async {
    await withCheckedContinuation { done in perform { done.resume() } }
  }
}
