import Foundation

extension SuiteError {
  /// Whether this user may not do it, as long as the rights stay as they are.
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
  static func earlierJournal(at path: String) -> Self {
    Self(
      .unreadable,
      "The journal was written by a version of this library from before its first release, and isn't "
        + "touched. Let a program that was built with that version save its settings, and delete the "
        + "journal",
      path: path)
  }

  static func newerJournal(at path: String) -> Self {
    Self(
      .unsupportedLog,
      "The journal was written by a newer version of this library, and isn't touched. Use a "
        + "program that was built with that version",
      path: path)
  }
}

extension SuiteError {
  static let journalProblem = "The journal can't be written, so changes are in memory only"
  static let journalReadingProblem = "The journal can't be read, so changes are in memory only"

  static func openedReadOnly(_ path: String) -> Self {
    Self(
      .unwritable, "The suite was opened with `readOnly: true`; nothing was changed", path: path)
  }

  /// The error of a change where another process holds the lock for too long.
  static func heldJournal(_ path: String) -> Self {
    Self(
      .locked,
      "Another process holds the lock of the journal. What is set waits in memory and is stored as "
        + "soon as that process gives the lock back, or ends; updates and "
        + "transactions were not made. Check the process that holds the lock",
      path: path)
  }

  static func outgrownJournal(_ path: String, size: Int) -> Self {
    Self(
      .unwritable,
      "The journal has grown to \(size >> 20) MiB, since the file couldn't be saved for long. "
        + "Changes are in memory only until it can; see the other issues for the reason",
      path: path)
  }

  static func unstoredChange(_ path: String, _ cause: POSIXError) -> Self {
    Self(
      .unwritable, "The change is in memory only, and will be stored when that works again",
      path: path, cause)
  }

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
  public static let unsupportedLog = Self(rawValue: "unsupportedLog")
}

extension SuiteError {
  /// What never stays as it is while it is read.
  static func restless(_ path: String) -> Self {
    Self(
      .unreadable, "The file changed each time it was read. Stop the program that writes it",
      path: path)
  }

  /// A file that a person has to repair.
  static func damaged(_ error: any Error, _ data: Data, at path: String) -> Self {
    let problem = (error as? ConversionError)?.description(in: data) ?? "\(error)"
    return Self(
      .malformed, "The file isn't a property list (\(problem)). Repair it; nothing was touched",
      path: path, underlying: error)
  }

  /// The errors about damaged bytes of a journal, and about records that don't count since they are
  /// behind damage.
  static func damagedJournal(
    _ path: String, skipped: [Range<Int>], ignoredFrom end: Int?
  ) -> [Self] {
    var problems = skipped.map { range in
      Self(
        .malformed,
        "The journal is damaged in bytes \(range.lowerBound)..<\(range.upperBound); the changes "
          + "there are lost, all others count",
        path: path)
    }
    if let end {
      problems.append(
        Self(
          .malformed,
          "The journal is damaged from byte \(end) on; changes after it were never made durable "
            + "and don't count, since one before them is missing",
          path: path))
    }
    return problems
  }

  /// The journal of which nothing can be read.
  static func damagedHeader(at path: String) -> Self {
    Self(
      .malformed,
      "The journal's header is damaged; changes that aren't in the file yet don't count",
      path: path)
  }
}
