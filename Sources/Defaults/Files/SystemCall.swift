import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Making a system call, and throwing its errno.
enum SystemCall {
  /// Makes a call until it isn't interrupted, and returns its result; a negative one is thrown as
  /// the errno.
  @discardableResult
  static func make<Result: SignedInteger>(
    _ call: () -> Result
  ) throws(POSIXError) -> Result {
    while true {
      let result = call()
      if result >= 0 { return result }
      let number = errno
      if number != EINTR { throw POSIXError(number: number) }
    }
  }

  /// Makes a call that opens a descriptor, and returns a number that isn't one of the program's
  /// standard files.
  ///
  /// In a program that was started with one of these closed, the system gives its number to the
  /// next file that is opened: what the program prints would be written over a journal. Between the
  /// two calls made here another thread could still do that, which is over in a microsecond.
  static func open(_ call: () -> CInt) throws(POSIXError) -> CInt {
    let number = try make(call)
    guard number <= STDERR_FILENO else { return number }
    defer { close(number) }
    // The same opening, with its flags and locks, under another number.
    return try make { fcntl(number, F_DUPFD_CLOEXEC, STDERR_FILENO + 1) }
  }
}

extension POSIXError {
  /// The error of an errno; one that has no code here counts as an input/output error.
  init(number: CInt) {
    self.init(POSIXErrorCode(rawValue: number) ?? .EIO)
  }
}
