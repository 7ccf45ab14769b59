import Foundation

/// The `errno` of a failed system call.
///
/// The library throws Foundation's `POSIXError` to the program, but not internally: it has no fixed
/// layout, so each function that might throw it reserves memory for it at run time.
package struct Errno: Error, Hashable {
  package let number: CInt

  package init(number: CInt) { self.number = number }

  package init(_ code: POSIXErrorCode) { number = code.rawValue }

  /// The code; EIO for a number without a code.
  package var code: POSIXErrorCode { POSIXErrorCode(rawValue: number) ?? .EIO }

  /// Whether the file system may not support the call. Systems use different errors for that.
  var isUnsupported: Bool { [.ENOSYS, .EINVAL, .EOPNOTSUPP, .EPERM, .EMLINK].contains(code) }

  /// Whether a hard link may have failed although the folder is writable: the file system may not
  /// support links, or a security policy may forbid them (EACCES).
  var forbidsLink: Bool { isUnsupported || code == .EACCES }

  /// The system's description.
  package var words: String { String(cString: strerror(number)) }

  /// The error that a program receives.
  var posixError: POSIXError { POSIXError(code) }

  /// Returns the result of system calls; nil if one of them finds no file.
  @discardableResult
  static func ifFound<Result>(
    _ body: () throws(Errno) -> Result
  ) throws(Errno) -> Result? {
    do throws(Errno) {
      return try body()
    } catch {
      guard error.code == .ENOENT else { throw error }
      return nil
    }
  }
}
