import Foundation

/// How a suite is kept in its file.
struct FileOptions: Sendable {
  var format: Defaults.PropertyListFormat
  var isReadOnly = false
  /// Without timers and watchers, a test decides what happens when.
  var isAutomatic = true
  var repairsDamage = true
  var patience = LockPatience.standard

  /// How many nanoseconds a property list is missing before it counts as deleted. Many text editors
  /// move the old file away before they write the new one.
  static let settlingTime: UInt64 = 100_000_000
}
