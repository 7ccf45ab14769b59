import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// What lies beside a settings file: the journal and the previous generation.
///
/// Others may be able to put something there under a name that isn't taken, in a folder such as
/// /tmp, and a program with more rights than theirs would read, write and cut off whatever that
/// leads to. So what lies beside the file is opened by its own name only, never through a symbolic
/// link, and it has to be a regular file of somebody who might as well have written the settings:
/// our own user, the superuser, the owner of the settings file, and whoever may write that by its
/// permissions. What isn't is left as it is, and is an error that names it.
extension Defaults.StoredFile {
  /// The file beside it whose name is this one's with a suffix. Throws `unreadable` if what has
  /// that name now is none of ours.
  func sibling(_ suffix: String) throws(Defaults.SuiteError) -> Self {
    let name = Defaults.FileName.joining(location.name, suffix)
    let sibling = Self(Defaults.CanonicalPath(name, beside: location), besideFile: self)
    _ = try sibling.status()
    return sibling
  }

  /// Throws if a file with this status, which has or had this one's name, can't be ours.
  func requireOwn(
    _ status: Defaults.FileStatus, _ code: Defaults.SuiteError.Code
  ) throws(Defaults.SuiteError) {
    guard let main else { return try Defaults.FileReading.requireFile(status, at: path, code) }
    let problem: String? =
      switch status.kind {
      case .link:
        "This is a symbolic link, and what lies beside a settings file is never followed. Remove it"
      case .file where !Self.isTrusted(status, beside: main, on: fileSystem):
        "This belongs to another user (\(status.owner)), who may have put it there. Remove it, or "
          + "give it to the user that runs the program"
      case .file where status.names > 1 && status.owner != geteuid():
        "This is a hard link to a file of another user (\(status.owner)). Remove it"
      case .file, .folder, .special: nil
      }
    if let problem { throw Defaults.SuiteError(code, problem, path: path) }
    try Defaults.FileReading.requireFile(status, at: path, code)
  }

  /// Whether the owner of something beside a settings file might as well have written that.
  static func isTrusted(
    _ status: Defaults.FileStatus, beside main: Defaults.CanonicalPath,
    on fileSystem: any Defaults.FileSystem
  ) -> Bool {
    if [geteuid(), 0].contains(status.owner) { return true }
    guard let file = try? fileSystem.status(of: main.string) else { return false }
    if status.owner == file.owner || file.mode & 0o002 != 0 { return true }
    // Members of the file's group may write it; that the owner is one shows by the group that he
    // gave. A folder may give its own group to what is made in it, by anybody whom it lets.
    guard file.mode & 0o020 != 0, status.group == file.group,
      let folder = try? fileSystem.status(of: main.folder)
    else { return false }
    return folder.mode & 0o002 == 0
  }
}
