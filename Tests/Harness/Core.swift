import Foundation

/// A core of the machine.
enum Core {
  /// Restricts this process, and threads that it creates later, to one core.
  static func tie(to core: Int) throws {
    #if !canImport(Darwin)
      // Swift's module of Glibc doesn't declare it.
      typealias SetAffinity = @convention(c) (pid_t, Int, UnsafePointer<UInt64>) -> CInt
      guard let symbol = dlsym(nil, "sched_setaffinity") else { return }
      var cores: UInt64 = 1 << core
      guard unsafeBitCast(symbol, to: SetAffinity.self)(0, 8, &cores) == 0 else {
        throw HarnessError("The process can't be tied to core \(core)")
      }
    #endif
  }
}
