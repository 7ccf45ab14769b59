import Foundation

/// The memory of this process, as the kernel counts it.
package enum ProcessMemory {
  /// The most that it has had so far, in bytes.
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

  /// How many bytes it has reserved, and how many of them are in memory; nil where the system
  /// doesn't tell.
  package static var extent: (reserved: Int, resident: Int)? {
    guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else {
      return nil
    }
    let pages = text.split(separator: " ").prefix(2).compactMap { Int($0) }
    guard pages.count == 2 else { return nil }
    return (pages[0] * Int(getpagesize()), pages[1] * Int(getpagesize()))
  }

  /// Gives the free pages back that lie between others.
  package static func trim() {
    #if canImport(Glibc)
      // Not among the functions that Swift imports.
      typealias Trim = @convention(c) (Int) -> CInt
      guard let symbol = dlsym(nil, "malloc_trim") else { return }
      _ = unsafeBitCast(symbol, to: Trim.self)(0)
    #endif
  }
}
