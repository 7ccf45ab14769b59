import Foundation
import Testing

extension TimeLimitTrait.Duration {
  /// A test that takes this long hangs.
  ///
  /// All tests of a run start together and share its threads, so a test that waits may take as long
  /// as the whole run on a slow or busy machine.
  package static var aHang: Self { .minutes(20) }
}

/// Kills this process if it hangs. For processes that a test starts.
package func dieAtHang() { alarm(1_200) }
