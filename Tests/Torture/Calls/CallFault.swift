/// What happens at one system call of a scenario.
enum CallFault: Int, CaseIterable, Sendable {
  /// It fails, and isn't made. Giving a lock back never does.
  case error
  /// The process is killed before it.
  case killBefore
  /// The process is killed as soon as it was made.
  case killAfter
  /// A write does its first half alone.
  case shortWrite
  /// The same, and the next write finds that the disk is full.
  case fullDisk
  /// The same, and then the process is killed.
  case tornWrite
  /// It is made after a while, in which others do something.
  case delay
  /// The process stops before it, until somebody continues it.
  case stop

  /// In the table.
  var name: String {
    switch self {
    case .error: "errors"
    case .killBefore: "kills before"
    case .killAfter: "kills after"
    case .shortWrite: "short writes"
    case .fullDisk: "full disks"
    case .tornWrite: "torn writes"
    case .delay: "delays"
    case .stop: "stops"
    }
  }

  /// Whether it ends the process.
  var kills: Bool {
    switch self {
    case .killBefore, .killAfter, .tornWrite: true
    case .error, .shortWrite, .fullDisk, .delay, .stop: false
    }
  }

  /// Whether it only happens to writes.
  var isOfWrites: Bool {
    switch self {
    case .shortWrite, .fullDisk, .tornWrite: true
    case .error, .killBefore, .killAfter, .delay, .stop: false
    }
  }
}
