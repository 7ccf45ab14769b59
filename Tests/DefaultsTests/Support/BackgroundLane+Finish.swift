@testable import Defaults

extension BackgroundLane {
  /// Returns when everything of the lane is done that was due before the call.
  func finish() async {
    await withCheckedContinuation { done in perform { done.resume() } }
  }
}
