import Foundation

/// The options for a suite's file.
struct FileOptions: Sendable {
  var format: Defaults.PropertyListFormat
  /// The format if the file isn't a property list.
  var custom: (any SuiteFileFormat)?
  var isReadOnly: Bool
  /// Whether timers and watchers run. Without them, tests control all events.
  var isAutomatic = true
  var repairsDamage = true
  var patience = LockPatience.standard

  /// The nanoseconds for which a property list must be missing to count as deleted. Many text
  /// editors move the old file away before they write the new one.
  static let settlingTime: UInt64 = 100_000_000
}
