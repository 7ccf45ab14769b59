/// An operation of a process on a setting, with its result and times.
///
/// Values are unique numbers; 0 means no entry.
struct HistoryOperation: Hashable, Sendable {
  enum Kind: Int, Sendable {
    /// Reads a value, `old`.
    case read
    /// Sets `new`, whatever the current value.
    case set
    /// Removes the entry, whatever its value.
    case remove
    /// Replaces `old` by `new` atomically.
    case swap
    /// A flush that succeeded.
    case flush
    /// A swap that threw, without effect.
    case refusal
  }

  let kind: Kind
  var process = 0
  /// The setting; 0 for a flush.
  var key = 0
  var old = 0
  var new = 0
  /// A setting may be a pair of entries that are always written together: the second entry's value
  /// where `old` was read. Equal to `old` for other settings.
  var second = 0
  /// Whether a read follows a refresh, so that it finds all changes that had returned before.
  var isFresh = false
  /// The times of the call and the return, on a clock that all processes share.
  let start: Int
  let end: Int

  /// Whether it changes the setting.
  var isWrite: Bool {
    switch kind {
    case .set, .remove, .swap: true
    case .read, .flush, .refusal: false
    }
  }
}

/// The notifications of one observer about one setting, in order.
struct ObservedEvents: Sendable {
  struct Event: Hashable, Sendable {
    let old: Int
    let new: Int
    /// The new value of a pair's second entry.
    let second: Int
  }

  let process: Int
  let key: Int
  let events: [Event]
}

/// The operations of several processes, and the final state.
struct History: Sendable {
  /// In no particular order.
  var operations: [HistoryOperation] = []
  var observers: [ObservedEvents] = []
  /// The stored values at the end, by setting; missing without an entry.
  var stored: [Int: Int] = [:]
  /// The values that each process saw at the end, when nothing changed anymore.
  var views: [[Int: Int]] = []
  /// Whether a returned blind set may wait in memory because a stopped process holds the lock, or
  /// because the disk is full. Other processes needn't see it before its process flushes.
  var setsMayWait = false
  /// Whether an older state may have been restored, so that there is no single order.
  var isRewound = false
}

/// An impossible event in a history.
struct HistoryViolation: Hashable, Sendable, CustomStringConvertible {
  enum Kind: String, Sendable {
    /// Two read-modify-writes replaced the same value, so one of them was lost.
    case lostUpdate
    /// A read-modify-write doesn't continue from earlier ones.
    case brokenChain
    /// An operation took effect before one that had returned when it was called.
    case order
    /// A read-modify-write used a value that was certainly replaced before.
    case stale
    /// A process saw an older value than before.
    case backwards
    /// A value that was never written, or not yet.
    case invented
    /// Halves of two transactions.
    case torn
    /// An event doesn't continue from the previous one.
    case disconnected
    /// The final value isn't the last written one, or an observer wasn't notified of it.
    case wrongEnd
  }

  let kind: Kind
  let description: String

  init(_ kind: Kind, _ description: String) {
    self.kind = kind
    self.description = "\(kind.rawValue): \(description)"
  }
}
