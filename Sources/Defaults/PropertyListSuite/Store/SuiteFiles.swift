import Foundation

/// The property list of a suite, and the log next to it.
package struct SuiteFiles {
  let file: StoredFile
  let journal: StoredFile

  package init(_ file: StoredFile) {
    self.file = file
    journal = file.place(beside: ".journal")
  }

  /// The version of the folder of both files; nil if it isn't found.
  var folderVersion: FileVersion? { file.fileSystem.statusIfVisible(of: file.folder)?.version }

  /// The names of the temporaries of both files.
  package var temporaries: [String] { file.namesInFolder.filter(isTemporary) }

  /// Returns whether a name is that of a temporary of one of the files.
  func isTemporary(_ name: String) -> Bool { file.isTemporary(name) || journal.isTemporary(name) }
}

extension SuiteFiles {
  /// Checks the permissions of this user and of others.
  ///
  /// - Parameters:
  ///   - owner: The owner of the property list; nil if there is none.
  ///   - journal: The open journal.
  ///   - folder: The status of the folder of both files.
  /// - Returns: Whether this user can change the files, and the problems to report.
  /// - Throws: `unreadable`.
  func checkRights(
    owner: uid_t?, journal: LogFile?, folder: FileStatus?
  ) throws(SuiteError) -> (isWritable: Bool, problems: [SuiteError]) {
    let fileSystem = file.fileSystem
    if fileSystem.isReadOnly { return (false, []) }
    var problems: [SuiteError] = []
    if let folder, folder.mode & 0o002 != 0 {
      // In a folder such as /tmp, only the owner of a file may replace it.
      let danger =
        folder.mode & 0o1000 == 0
        ? "replace the file. Remove that permission"
        : "add files next to this one, under unused names. Use another folder"
      problems.append(
        SuiteError(
          .insecurePermissions, "Other users can write to the folder and \(danger)",
          path: file.folder))
    }
    let isOthers = owner.map { $0 != geteuid() } ?? false
    do throws(SuiteError) {
      try file.checkWritable(exists: owner != nil, folder: folder)
      if let refusal = journal?.refusal {
        throw SuiteError(
          .unwritable, "The journal can't be written", path: self.journal.path, refusal)
      }
      // The superuser can read and change everything anyway.
      if isOthers, owner != 0 {
        problems.append(
          SuiteError(
            .insecurePermissions, "The file belongs to another user, who can read and change it",
            path: file.path))
      }
      return (true, problems)
    } catch {
      guard error.code == .unwritable else { throw error }
      problems.append(
        isOthers
          ? SuiteError(
            .unwritable,
            "The file belongs to another user and can't be written, so changes are in memory only. "
              + "To only read the file, open it with `readOnly: true`",
            path: file.path, underlying: error)
          : error)
      return (false, problems)
    }
  }
}
