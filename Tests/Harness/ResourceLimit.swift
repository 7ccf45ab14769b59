import Foundation

/// A resource limit of this process, enforced by the system.
package enum ResourceLimit {
  /// The maximum size of a file.
  case fileSize
  /// The maximum reserved memory.
  case reservations
  /// The maximum number of open files.
  case openFiles
  /// The maximum number of threads of this user; the superuser has no limit.
  case threads

  /// Sets the limit in bytes or files; nil removes it.
  package func set(to size: Int?) throws {
    #if canImport(Glibc)
      let resource = __rlimit_resource_t(number.rawValue)
    #else
      let resource = number
    #endif
    var limit = rlimit()
    guard getrlimit(resource, &limit) == 0 else { throw HarnessError("There is no limit") }
    limit.rlim_cur = size.map { rlim_t($0) } ?? limit.rlim_max
    guard setrlimit(resource, &limit) == 0 else { throw HarnessError("The limit can't be set") }
  }

  #if canImport(Glibc)
    private typealias Number = __rlimit_resource
    /// A macro has the usual name.
    private static let threadNumber = __RLIMIT_NPROC
  #else
    private typealias Number = CInt
    private static let threadNumber = RLIMIT_NPROC
  #endif

  private var number: Number {
    switch self {
    case .fileSize: RLIMIT_FSIZE
    case .reservations: RLIMIT_AS
    case .openFiles: RLIMIT_NOFILE
    case .threads: Self.threadNumber
    }
  }
}
