import Foundation

/// A core of the machine.
enum Core {
  /// Lets this process, and the threads that it makes from now on, run on one core only.
  static func tie(to core: Int) throws {
    #if !canImport(Darwin)
      // Glibc has it, and Swift's module of Glibc doesn't.
      typealias SetAffinity = @convention(c) (pid_t, Int, UnsafePointer<UInt64>) -> CInt
      guard let symbol = dlsym(nil, "sched_setaffinity") else { return }
      var cores: UInt64 = 1 << core
      guard unsafeBitCast(symbol, to: SetAffinity.self)(0, 8, &cores) == 0 else {
        throw HarnessError("The process can't be tied to core \(core)")
      }
    #endif
  }
}
