import Foundation

extension Defaults {
  /// Moving a damaged file out of the way, so that a new one can start and nothing is lost.
  enum FileQuarantine {
    /// Gives a file the name `<name>.corrupt-<time>` in its folder and returns that path; nil,
    /// with everything as it was, if the file is gone or isn't the version that was read.
    ///
    /// The time is UTC, `20260131T235959Z`; `-2`, `-3` and so on follow if the name is taken.
    /// Nothing is ever overwritten. A symbolic link stays, and the file it leads to is moved. Call
    /// it while no other process of ours writes the file; if a stranger replaces it in the
    /// middle of this, their file goes back to its place. Throws `unwritable`.
    static func setAside(
      _ path: String, version: FileSystem.Version, now: Date = .now
    ) throws(SuiteError) -> String? {
      let path = try CanonicalPath(path, failingAs: .unwritable)
      let problem = "The damaged file can't be set aside"
      return try SuiteError.explaining(.unwritable, problem, path: path.string) {
        () throws(POSIXError) in
        // The name is taken with an empty file, so the rename replaces nothing but that. A hard
        // link would need none, but then removing the old name could hit a newer file.
        let aside = try takeName(beside: path, now)
        do throws(POSIXError) {
          guard try FileSystem.statusIfPresent(of: path.string)?.version == version else {
            try FileSystem.removeName(aside)
            return nil
          }
          try FileSystem.move(path.string, to: aside)
        } catch {
          try? FileSystem.removeName(aside)
          throw error
        }
        guard try FileSystem.status(of: aside).version == version else {
          try putBack(aside, as: path.string)
          return nil
        }
        try FileReplacement.synchronizeFolder(path.folder)
        return aside
      }
    }

    /// Undoes a move, unless a newer file has the name by now: then the moved one stays aside.
    static func putBack(_ aside: String, as path: String) throws(POSIXError) {
      do throws(POSIXError) {
        try FileSystem.addName(path, to: aside)
      } catch {
        guard error.code == .EEXIST else { throw error }
        return
      }
      try FileSystem.removeName(aside)
    }

    private static func takeName(
      beside path: CanonicalPath, _ now: Date
    ) throws(POSIXError) -> String {
      let time = now.formatted(
        Date.ISO8601FormatStyle(
          dateSeparator: .omitted, dateTimeSeparator: .standard, timeSeparator: .omitted,
          timeZone: .gmt))
      var number = 1
      while true {
        let suffix = ".corrupt-\(time)" + (number == 1 ? "" : "-\(number)")
        let aside = path.sibling(named: FileName.joining(path.name, suffix))
        do throws(POSIXError) {
          _ = try FileSystem.createFile(aside)
          return aside
        } catch {
          guard error.code == .EEXIST else { throw error }
          number += 1
        }
      }
    }
  }
}
