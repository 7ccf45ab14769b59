import Foundation

extension SuiteError {
  /// Whether this user lacks a permission, which only a change of permissions can solve.
  var isLackOfRights: Bool {
    [.EACCES, .EPERM, .EROFS].contains((underlying as? POSIXError)?.code)
  }

  /// Whether the file or folder doesn't allow the change, whatever its mode.
  var isForbidden: Bool { (underlying as? POSIXError)?.code == .EPERM }

  /// Whether the log can't grow: the disk is full, or a limit is reached.
  var isLackOfSpace: Bool {
    [.ENOSPC, .EDQUOT, .EFBIG].contains((underlying as? POSIXError)?.code)
  }

  private static let consequence =
    "so sets wait in memory, and updates and transactions were not made"
  static let journalProblem = "The journal can't be written, \(consequence)"
  static let journalReadingProblem = "The journal can't be read, \(consequence)"

  /// The error of a change if another process holds the lock beyond the deadline.
  static func heldJournal(_ path: String) -> Self {
    Self(
      .locked,
      "Another process holds the lock of the journal, \(consequence). Check the process that holds "
        + "the lock",
      path: path)
  }

  /// The same, if the lock isn't held: another process is expected to create the journal.
  static func awaitedJournal(_ path: String) -> Self {
    Self(
      .locked,
      "The journal was deleted, and another program with changes that this program lacks hasn't "
        + "created the next one yet, \(consequence). Check whether a program that uses this suite "
        + "is stopped",
      path: path)
  }

  static func outgrownJournal(_ path: String, size: Int) -> Self {
    Self(
      .unwritable,
      "The journal has grown to \(size >> 20) MiB because the file can't be saved, \(consequence). "
        + "See the other issues for the reason",
      path: path, underlying: POSIXError(.EFBIG))
  }

  static func unwritableJournal(_ path: String, _ cause: Errno) -> Self {
    Self(.unwritable, journalProblem, path: path, cause)
  }

  static func unsyncedJournal(_ path: String, _ cause: Errno) -> Self {
    Self(.unwritable, "The changes can't be made durable", path: path, cause)
  }

  /// The error about a file of JSON, if the suite's file is a property list.
  static func fileIsJSON(_ path: String) -> Self {
    Self(
      .malformed,
      "The file is JSON, not a property list, and is unchanged. Open it with `format: .jsonc` of "
        + "the product DefaultsText",
      path: path)
  }

  /// The error about a journal whose header is damaged or whose checkpoint is incomplete.
  static func damagedHeader(at path: String) -> Self {
    Self(
      .malformed,
      "The beginning of the journal is damaged. Changes that aren't in the file yet may be lost",
      path: path)
  }
}

extension SuiteError.Code {
  /// A newer version of the library wrote the files, which are left unchanged.
  public static let unsupportedLog = Self(rawValue: "unsupportedLog")
}
