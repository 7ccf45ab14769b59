import Foundation
import Testing

/// `swift test` selects and skips tests by name, not by tag; Xcode by both. A tag also is the place
/// where a test says why it may be slow or skipped.
extension Tag {
  /// A test that takes more than three seconds alone, or that starts many processes.
  @Tag package static var slow: Self
  /// A test that is skipped for an ordinary user.
  @Tag package static var root: Self
  /// A test that is skipped without etcd.
  @Tag package static var etcd: Self
}

extension Trait where Self == ConditionTrait {
  /// Only as root: the test changes the owners of files, or becomes another user.
  package static var needsRoot: Self {
    .enabled(if: geteuid() == 0, "it changes users or the owners of files, which needs root")
  }
}
