import Foundation

/// The memory of this process according to the kernel.
package enum ProcessMemory {
  /// The peak so far, in bytes.
  package static var peak: Int {
    var usage = rusage()
    #if canImport(Darwin)
      getrusage(RUSAGE_SELF, &usage)
      return usage.ru_maxrss
    #else
      getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
      return usage.ru_maxrss << 10
    #endif
  }

  /// The reserved bytes, and those in memory; nil if the system doesn't tell.
  package static var extent: (reserved: Int, resident: Int)? {
    guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else {
      return nil
    }
    let pages = text.split(separator: " ").prefix(2).compactMap { Int($0) }
    guard pages.count == 2 else { return nil }
    return (pages[0] * Int(getpagesize()), pages[1] * Int(getpagesize()))
  }

  /// Returns free pages between used ones to the system.
  package static func trim() {
    #if canImport(Glibc)
      // Swift doesn't import this function.
      typealias Trim = @convention(c) (Int) -> CInt
      guard let symbol = dlsym(nil, "malloc_trim") else { return }
      _ = unsafeBitCast(symbol, to: Trim.self)(0)
    #endif
  }
}
