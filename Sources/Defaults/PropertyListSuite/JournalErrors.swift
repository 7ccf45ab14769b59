import Foundation

extension SuiteError {
  /// Whether this user may not do it, as long as nobody changes rights.
  var isLackOfRights: Bool {
    guard let error = underlying as? POSIXError else { return false }
    return [.EACCES, .EPERM, .EROFS].contains(error.code)
  }

  var isFullDisk: Bool {
    guard let error = underlying as? POSIXError else { return false }
    return [.ENOSPC, .EDQUOT].contains(error.code)
  }
}

extension SuiteError {
  static func newerJournal(at path: String) -> Self {
    Self(
      .newer,
      "The journal was written by a newer version of this library, and isn't touched. Use a "
        + "program that was built with that version",
      path: path)
  }
}

extension SuiteError {
  static let journalProblem = "The journal can't be written, so changes are in memory only"

  static func unwritableJournal(_ path: String, _ cause: POSIXError) -> Self {
    Self(.unwritable, journalProblem, path: path, cause)
  }

  /// The error of a change that depends on stored entries, in a process without the right to store.
  static func changeWithoutRights(because problem: SuiteError) -> Self {
    Self(
      .unwritable,
      "Nothing was changed: the change depends on stored settings, which this user may not write. "
        + problem.reason,
      path: problem.path, underlying: problem.underlying)
  }

  static func unsyncedJournal(_ path: String, _ cause: POSIXError) -> Self {
    Self(.unwritable, "What was changed can't be made durable", path: path, cause)
  }
}

extension SuiteError.Code {
  /// The files were written by a newer version of the library; they are left alone.
  public static let newer = Self(rawValue: "newer")
}

extension SuiteError {
  /// What never stays as it is while it is read.
  static func restless(_ path: String) -> Self {
    Self(
      .unreadable, "The file changed each time it was read. Stop the program that writes it",
      path: path)
  }

  /// A file that somebody has to mend.
  static func damaged(_ error: any Error, _ data: Data, at path: String) -> Self {
    let problem = (error as? PropertyListError)?.description(in: data) ?? "\(error)"
    return Self(
      .malformed, "The file isn't a property list (\(problem)). Mend it; nothing was touched",
      path: path, underlying: error)
  }

  /// The journal of which nothing can be read.
  static func damagedHeader(at path: String) -> Self {
    Self(
      .malformed,
      "The journal's header is damaged; changes that aren't in the file yet don't count",
      path: path)
  }
}
