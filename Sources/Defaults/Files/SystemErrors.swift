import Foundation

extension POSIXError {
  /// The error of an errno; one that has no code here counts as an input/output error.
  ///
  /// Out of line: what it takes to make one would be made ready in each call that doesn't fail.
  @inline(never)
  init(number: CInt) { self.init(POSIXErrorCode(rawValue: number) ?? .EIO) }
}

extension SuiteError {
  /// An error from a system call: what couldn't be done, why in the system's words, what to do.
  init(_ code: Code, _ problem: String, path: String, _ cause: POSIXError) {
    let advice: String? =
      switch cause.code {
      case .EACCES, .EPERM: "Let the user that runs the program read and write there"
      case .EROFS: "Put the file on a file system that can be written"
      case .ENOSPC, .EDQUOT: "Make room there and save again"
      case .EFBIG: "Raise the limit of the file size (ulimit -f)"
      case .EOVERFLOW: "No file of a suite is that large. Move it away if it is none"
      case .ENAMETOOLONG: "Choose a shorter name"
      case .ELOOP: "Remove the symbolic links that lead to each other"
      case .ENOTDIR, .EEXIST: "Move away the file that stands where a folder must be"
      case .EILSEQ: "Rename what isn't named in UTF-8 on the way there"
      case .EMFILE, .ENFILE: "Close files, or raise the limit of open files (ulimit -n)"
      case .EIO: "Check the disk"
      default: nil
      }
    let words = "\(problem): \(String(cString: strerror(cause.code.rawValue)))"
    self.init(code, advice.map { "\(words). \($0)" } ?? words, path: path, underlying: cause)
  }

  /// Runs system calls, and says what couldn't be done when one of them fails.
  static func explaining<Result: ~Copyable>(
    _ code: Code, _ problem: String, path: String, _ body: () throws(POSIXError) -> Result
  ) throws(Self) -> Result {
    do throws(POSIXError) {
      return try body()
    } catch {
      throw Self(code, problem, path: path, error)
    }
  }
}
