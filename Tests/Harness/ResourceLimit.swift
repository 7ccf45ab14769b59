import Foundation

/// A limit of this process, which the system keeps.
package enum ResourceLimit {
  /// How large a file may become.
  case fileSize
  /// How much memory may be reserved.
  case reservations

  /// Sets it, in bytes; nil takes it away again.
  package func set(to size: Int?) throws {
    #if canImport(Glibc)
      let resource = __rlimit_resource_t(
        (self == .fileSize ? RLIMIT_FSIZE : RLIMIT_AS).rawValue)
    #else
      let resource = self == .fileSize ? RLIMIT_FSIZE : RLIMIT_AS
    #endif
    var limit = rlimit()
    guard getrlimit(resource, &limit) == 0 else { throw HarnessError("There is no limit") }
    limit.rlim_cur = size.map { rlim_t($0) } ?? limit.rlim_max
    guard setrlimit(resource, &limit) == 0 else { throw HarnessError("The limit can't be set") }
  }
}
