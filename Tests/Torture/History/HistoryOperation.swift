/// Something that a process did to a setting or saw of it, and when.
///
/// Values are numbers that nobody writes twice; 0 stands for no entry.
struct HistoryOperation: Hashable, Sendable {
  enum Kind: Int, Sendable {
    /// Reads a value, `old`.
    case read
    /// Puts `new` in the place of whatever is there.
    case set
    /// Removes whatever is there.
    case remove
    /// Puts `new` in the place of `old`, in one step.
    case swap
    /// A flush that succeeded.
    case flush
    /// A swap that threw: it did nothing.
    case refusal
  }

  let kind: Kind
  var process = 0
  /// Which setting; 0 for a flush.
  var key = 0
  var old = 0
  var new = 0
  /// A setting may be a pair of entries that are always written together: the second one's value
  /// where `old` was read. Equal to it for others.
  var second = 0
  /// When it was called, and when it had returned, by a clock that all processes share.
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

/// What one observer was told of one setting, in order.
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

/// What several processes did, and what was there in the end.
struct History: Sendable {
  /// In no order.
  var operations: [HistoryOperation] = []
  var observers: [ObservedEvents] = []
  /// What is stored at the end, by setting; nothing for one without an entry.
  var stored: [Int: Int] = [:]
  /// What each process saw when all had come to rest.
  var views: [[Int: Int]] = []
  /// Whether a blind set that returned may wait in memory, since somebody has the lock and is
  /// stopped, or the disk is full. Until a flush of its process succeeds, others needn't see it.
  var setsMayWait = false
  /// Whether somebody may have put an older state in place, so that there is no one order.
  var isRewound = false
}

/// Something in a history that must not be.
struct HistoryViolation: Hashable, Sendable, CustomStringConvertible {
  enum Kind: String, Sendable {
    /// Two read-modify-writes replaced the same value, so one of them counts for nothing.
    case lostUpdate
    /// A read-modify-write isn't connected with those before it.
    case brokenChain
    /// Something took effect before something that had returned when it was called.
    case order
    /// A read-modify-write was made on what was certainly replaced by then.
    case stale
    /// A process saw something older than it had seen before.
    case backwards
    /// A value that nobody wrote, or not yet.
    case invented
    /// Halves of two transactions.
    case torn
    /// An event that begins elsewhere than the last one ended.
    case disconnected
    /// What is there at the end isn't what was written last, or an observer wasn't told.
    case wrongEnd
  }

  let kind: Kind
  let description: String

  init(_ kind: Kind, _ description: String) {
    self.kind = kind
    self.description = "\(kind.rawValue): \(description)"
  }
}
