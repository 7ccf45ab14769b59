import Foundation

/// The path of a suite's file, or of a file next to it, and its file system.
///
/// Two values are equal if they had the same canonical path when they were created, and both or
/// neither are read-only. Every operation on a settings file resolves its path again, so a link
/// that replaces the file later is followed, too. A value holds neither descriptors nor locks: a
/// caller that reads, changes and replaces a file must hold a lock.
///
/// Files next to a settings file, such as the journal, are never accessed through a
/// symbolic link. In a folder such as /tmp, other users could add a link with an unused name, and a
/// privileged program would read, write and truncate its destination. So such a file must be a
/// regular file of a user who may write the settings: the program's user, the superuser, the
/// settings file's owner, a user with permission to write the settings file or, if there is no
/// settings file, the folder's owner. Any other file is left unchanged and causes an error that
/// names it.
package struct StoredFile: Sendable {
  let location: CanonicalPath
  package let fileSystem: any FileSystem
  /// The settings file next to this file; nil for a settings file.
  let main: CanonicalPath?
  /// The absolute path that the caller gave, which may contain symbolic links.
  let route: String

  /// The canonical path, which identifies the file within the process.
  package var path: String { location.string }

  package var folder: String { location.folder }

  private init(
    _ location: CanonicalPath, on fileSystem: any FileSystem, main: CanonicalPath? = nil,
    route: String? = nil
  ) {
    self.location = location
    self.fileSystem = fileSystem
    self.main = main
    self.route = route ?? location.string
  }

  /// Creates a value for a path, whose file need not exist. Throws `noLocation` or `unreadable` if
  /// no file can be there.
  package init(path: String, on fileSystem: any FileSystem = LocalFileSystem()) throws(SuiteError) {
    let location = try CanonicalPath(path, on: fileSystem)
    var route: String? = path
    if path.utf8.first != UInt8(ascii: "/") {
      do {
        route = try fileSystem.workingFolder() + "/" + path
      } catch {
        // Without a working folder, the location is the route.
        route = nil
      }
    }
    self.init(location, on: fileSystem, route: route)
  }

  /// Creates a value for a file URL. Throws `noLocation` for another URL, and `unreadable` for the
  /// URL of a folder.
  package init(url: URL, readOnly isReadOnly: Bool = false) throws(SuiteError) {
    guard let path = CanonicalPath.path(of: url), !path.isEmpty else {
      throw SuiteError(
        .noLocation, "The URL doesn't name a file of this machine. Give a file URL",
        path: url.absoluteString)
    }
    guard path.utf8.last != UInt8(ascii: "/") else {
      throw SuiteError(
        .unreadable, "The path of a folder can't be that of a file. Append the name of a file",
        path: path)
    }
    try self.init(path: path, on: LocalFileSystem(isReadOnly: isReadOnly))
  }

  /// Returns the settings file that the route leads to now.
  func moved(to location: CanonicalPath) -> Self { Self(location, on: fileSystem, route: route) }

  var isReadOnly: Bool { fileSystem.isReadOnly }

  /// Creates a value for the suite with this name, in the user's configuration.
  package init(named name: String = FileLocation.identifier) throws(SuiteError) {
    try self.init(path: FileLocation.path(named: name))
  }

  /// Returns the location of the file next to this file with its name and a suffix, without any
  /// checks.
  package func place(beside suffix: String) -> Self {
    let path = location.sibling(named: FileName.joining(location.name, suffix))
    return Self(CanonicalPath(resolved: path), on: fileSystem, main: location)
  }

  /// Returns the file to change: for a settings file, the file at its current location; for any
  /// other file, the file itself. Throws `unwritable`.
  func target() throws(SuiteError) -> Self {
    guard main == nil else { return self }
    let location = try CanonicalPath(path, failingAs: .unwritable, on: fileSystem)
    return Self(location, on: fileSystem)
  }

  /// Returns the current status, which shows whether the file was replaced or written since it was
  /// read; nil if there is no file. Throws `unreadable`.
  func status() throws(SuiteError) -> FileStatus? {
    let status = try present()
    if main != nil, let status { try requireOwn(status, .unreadable) }
    return status
  }

  /// Returns the status without checks; next to a settings file, links aren't followed.
  func present() throws(SuiteError) -> FileStatus? {
    try reading { () throws(Errno) in
      try fileSystem.statusIfPresent(of: path, followingLinks: main == nil)
    }
  }

  /// Runs system calls that read the file; throws `unreadable`.
  func reading<Result>(_ body: () throws(Errno) -> Result) throws(SuiteError) -> Result {
    try SuiteError.explaining(.unreadable, "The file can't be read", path: path, body)
  }
}

extension StoredFile: Equatable {
  package static func == (left: Self, right: Self) -> Bool {
    left.location == right.location && left.isReadOnly == right.isReadOnly
  }
}

// MARK: - Ownership

extension StoredFile {
  /// Throws if a file with this status, which has or had this name, must not be used.
  func requireOwn(_ status: FileStatus, _ code: SuiteError.Code) throws(SuiteError) {
    let problem: String? =
      switch status.kind {
      case .link where main != nil:
        "This is a symbolic link, which isn't followed next to a settings file. Remove it"
      case .file where main.map { !isTrusted(status, beside: $0) } ?? false:
        "This belongs to another user (\(status.owner)). Remove it, or change its owner to the "
          + "user that runs the program"
      case .file where main != nil && status.names > 1 && status.owner != geteuid():
        "This is a hard link to a file of another user (\(status.owner)). Remove it"
      case .file: nil
      case .folder: "This is a folder, not a file. Move it away, or choose another path"
      case .link, .special:
        "This is a pipe, socket or device, not a file. Move it away, or choose another path"
      }
    if let problem { throw SuiteError(code, problem, path: path) }
  }

  /// Returns whether the owner of a file next to a settings file may also write the settings file.
  func isTrusted(_ status: FileStatus, beside main: CanonicalPath) -> Bool {
    if [geteuid(), 0].contains(status.owner) { return true }
    do {
      guard let file = try fileSystem.permissionsIfPresent(of: main.string) else {
        // This user may also add settings to the folder.
        return fileSystem.statusIfVisible(of: main.folder)?.owner == status.owner
      }
      return file.allowWriting(
        byOwnerOf: status,
        inOpenFolder: fileSystem.statusIfVisible(of: main.folder).map { $0.mode & 0o002 != 0 }
          ?? true)
    } catch {
      // A file with unknown permissions isn't trusted.
      return false
    }
  }
}

// MARK: - Whether the file can be saved, without changing it

extension StoredFile {
  /// Throws `unwritable` if the file couldn't be saved now. `found` is the status of its folder;
  /// nil if there is none.
  ///
  /// An existing file must be writable, and its folder, too. For a missing file, the nearest
  /// existing folder must be writable. Free disk space isn't checked. As all of this may change at
  /// any time, saving can still fail.
  func checkWritable(exists: Bool, folder found: FileStatus?) throws(SuiteError) {
    if exists { try requireWritable() }
    var (folder, status) = (folder, found)
    while status == nil {
      // The root exists, so this ends.
      folder = CanonicalPath.folder(of: folder)
      status = try SuiteError.explaining(
        .unreadable, "The file can't be read", path: folder
      ) { () throws(Errno) in try fileSystem.statusIfPresent(of: folder) }
    }
    guard status?.kind == .folder else {
      throw SuiteError(
        .unwritable, "The folder can't be created", path: folder, Errno(.ENOTDIR))
    }
    try SuiteError.explaining(
      .unwritable, "No file can be created in the folder", path: folder
    ) { () throws(Errno) in try fileSystem.checkAccess([.write, .search], to: folder) }
  }

  /// Throws `unwritable` if the user may not write the file. A rename could still replace the file,
  /// but a user who removes the permission wants to protect the content.
  func requireWritable() throws(SuiteError) {
    try SuiteError.explaining(.unwritable, "The file can't be written", path: path) {
      () throws(Errno) in
      // A text editor or another process may have removed the file meanwhile.
      _ = try Errno.ifFound { () throws(Errno) in
        try fileSystem.checkAccess(.write, to: path)
      }
    }
  }
}
