/// A fault at one system call of a scenario.
enum CallFault: Int, CaseIterable, Sendable {
  /// The call fails without effect. Unlocking never fails.
  case error
  /// The process is killed before the call.
  case killBefore
  /// The process is killed after the call.
  case killAfter
  /// A write writes only its first half.
  case shortWrite
  /// A short write, and then the disk is full.
  case fullDisk
  /// A short write, and then the process is killed.
  case tornWrite
  /// The call is delayed, so that other processes can act.
  case delay
  /// The process stops before the call, until another process resumes it.
  case stop

  /// The name in the table.
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

  /// Whether the fault ends the process.
  var kills: Bool {
    switch self {
    case .killBefore, .killAfter, .tornWrite: true
    case .error, .shortWrite, .fullDisk, .delay, .stop: false
    }
  }

  /// Whether only writes can have the fault.
  var isOfWrites: Bool {
    switch self {
    case .shortWrite, .fullDisk, .tornWrite: true
    case .error, .killBefore, .killAfter, .delay, .stop: false
    }
  }
}
