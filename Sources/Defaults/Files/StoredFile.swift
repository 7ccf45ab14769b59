import Foundation

/// A file that holds a suite, or is next to one, as bytes: its path and the file system that it
/// is on.
///
/// Equal if it was the same file by canonical path when the values were made, and both are to be
/// written, or neither. Every operation on a settings file follows that path again, so a link that
/// takes the file's place later is followed too. Holds nothing open and locks nothing: who reads,
/// changes and replaces needs a lock around that.
///
/// What is next to a settings file, the journal and the previous generation, is never reached
/// through a symbolic link. Others may be able to put something there under a name that isn't
/// taken, in a folder such as /tmp, and a program with more rights would read, write
/// and cut off whatever that leads to. So it has to be a regular file of a user who might as
/// well have written the settings: our own user, the superuser, the owner of the settings file,
/// and all users who may write that by its permissions. What isn't is left as it is, and is an error
/// that names it.
package struct StoredFile: Sendable {
  let location: CanonicalPath
  let fileSystem: any FileSystem
  /// The settings file that this one is next to; nil for a settings file.
  let main: CanonicalPath?
  /// The absolute path that was given, which may lead through symbolic links.
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

  /// The file at a path, which need not exist; throws `noLocation` or `unreadable` if no file
  /// can be there.
  package init(path: String, on fileSystem: any FileSystem = LocalFileSystem()) throws(SuiteError) {
    let location = try CanonicalPath(path, on: fileSystem)
    self.init(location, on: fileSystem, route: Self.absolute(path, on: fileSystem))
  }

  /// The file of a file URL; throws `noLocation` for another URL.
  init(url: URL, on fileSystem: any FileSystem = LocalFileSystem()) throws(SuiteError) {
    let location = try CanonicalPath(url)
    let route = CanonicalPath.path(of: url).flatMap { Self.absolute($0, on: fileSystem) }
    self.init(location, on: fileSystem, route: route)
  }

  /// The settings file that the route leads to now.
  func moved(to location: CanonicalPath) -> Self {
    Self(location, on: fileSystem, route: route)
  }

  /// A path from the working folder on as one from the root; nil if there is no such folder.
  private static func absolute(_ path: String, on fileSystem: any FileSystem) -> String? {
    if path.utf8.first == UInt8(ascii: "/") { return path }
    do {
      return try fileSystem.workingFolder() + "/" + path
    } catch {
      return nil
    }
  }

  var isReadOnly: Bool { fileSystem.isReadOnly }

  /// The file of the suite with this name, at its place in the user's configuration.
  package init(named name: String = FileLocation.identifier) throws(SuiteError) {
    try self.init(path: FileLocation.path(named: name))
  }

  /// The file next to this settings file whose name is this one's with a suffix. Throws
  /// `unreadable` if what has that name now is none of ours.
  func sibling(_ suffix: String) throws(SuiteError) -> Self {
    let sibling = place(beside: suffix)
    _ = try sibling.status()
    return sibling
  }

  /// The place of the file next to this one whose name is this one's with a suffix, whatever is
  /// there now.
  func place(beside suffix: String) -> Self {
    let name = FileName.joining(location.name, suffix)
    return Self(CanonicalPath(name, beside: location), on: fileSystem, main: location)
  }

  /// The file to change: a settings file where its path leads now, or the file itself that lies
  /// next to one. Throws `unwritable`.
  func target() throws(SuiteError) -> Self {
    guard main == nil else { return self }
    let location = try CanonicalPath(path, failingAs: .unwritable, on: fileSystem)
    return Self(location, on: fileSystem)
  }

  /// The status of what is there now, to find out whether the file was replaced or written since
  /// it was read; nil if there is no file. Throws `unreadable`.
  func status() throws(SuiteError) -> FileStatus? {
    let status = try present()
    if main != nil, let status { try requireOwn(status, .unreadable) }
    return status
  }

  /// The status of whatever is there, a link itself next to a settings file.
  func present() throws(SuiteError) -> FileStatus? {
    try reading { () throws(POSIXError) in
      try fileSystem.statusIfPresent(of: path, followingLinks: main == nil)
    }
  }

  /// Runs system calls that read the file; throws `unreadable`.
  func reading<Result>(_ body: () throws(POSIXError) -> Result) throws(SuiteError) -> Result {
    try SuiteError.explaining(.unreadable, "The file can't be read", path: path, body)
  }
}

extension StoredFile: Equatable {
  package static func == (left: Self, right: Self) -> Bool {
    left.location == right.location && left.isReadOnly == right.isReadOnly
  }
}

// MARK: - Whose it is

extension StoredFile {
  /// Throws if a file with this status, which has or had this one's name, can't be ours.
  func requireOwn(_ status: FileStatus, _ code: SuiteError.Code) throws(SuiteError) {
    let problem: String? =
      switch status.kind {
      case .link where main != nil:
        "This is a symbolic link, and what lies beside a settings file is never followed. Remove it"
      case .file where main.map { !isTrusted(status, beside: $0) } ?? false:
        "This belongs to another user (\(status.owner)), who may have put it there. Remove it, or "
          + "give it to the user that runs the program"
      case .file where main != nil && status.names > 1 && status.owner != geteuid():
        "This is a hard link to a file of another user (\(status.owner)). Remove it"
      case .file: nil
      case .folder: "This is a folder, not a file. Move it away, or choose another path"
      case .link, .special:
        "This is a pipe, socket or device, not a file. Move it away, or choose another path"
      }
    if let problem { throw SuiteError(code, problem, path: path) }
  }

  /// Whether the owner of a file next to a settings file may write the settings file as well.
  func isTrusted(_ status: FileStatus, beside main: CanonicalPath) -> Bool {
    if [geteuid(), 0].contains(status.owner) { return true }
    do {
      guard let file = try fileSystem.permissionsIfPresent(of: main.string) else { return false }
      return file.allowWriting(
        byOwnerOf: status,
        inOpenFolder: fileSystem.statusIfVisible(of: main.folder).map { $0.mode & 0o002 != 0 }
          ?? true)
    } catch {
      // What isn't known isn't trusted.
      return false
    }
  }
}

// MARK: - Whether it can be saved, found out without touching it

extension StoredFile {
  /// Throws `unwritable` if the file couldn't be saved now, given its folder; nil where there is
  /// none.
  ///
  /// A file that exists must be one that we may write, in a folder where we may put its
  /// successor. For a file that doesn't exist yet, the nearest folder that does must let us make
  /// the rest. Room on the disk isn't looked at, and all of it may change the next moment:
  /// saving says so then.
  func checkWritable(exists: Bool, folder found: FileStatus?) throws(SuiteError) {
    if exists { try requireWritable() }
    var (folder, status) = (folder, found)
    while status == nil {
      // The root exists, so this ends.
      folder = CanonicalPath.folder(of: folder)
      status = try SuiteError.explaining(
        .unreadable, "The file can't be read", path: folder
      ) { () throws(POSIXError) in try fileSystem.statusIfPresent(of: folder) }
    }
    guard status?.kind == .folder else {
      throw SuiteError(.unwritable, "The folder can't be made", path: folder, POSIXError(.ENOTDIR))
    }
    try require([.write, .search], of: folder, "No file can be made in the folder")
  }

  /// Throws `unwritable` if we may not write the file. Replacing it would work in spite of that,
  /// but a user who removes the permission means the content.
  func requireWritable() throws(SuiteError) {
    try require(.write, of: path, "The file can't be written")
  }

  private func require(
    _ rights: FileRights, of path: String, _ problem: String
  ) throws(SuiteError) {
    try SuiteError.explaining(.unwritable, problem, path: path) {
      () throws(POSIXError) in try fileSystem.checkAccess(rights, to: path)
    }
  }
}
