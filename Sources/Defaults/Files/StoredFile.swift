import Foundation

extension Defaults {
  /// A file that holds a suite, as bytes: read whole, replaced whole, set aside when damaged.
  ///
  /// Equal if it was the same file by canonical path when the values were made. Every operation
  /// follows that path anew, so a link that takes the file's place later is followed too. Holds
  /// nothing open and locks nothing: who reads, changes and replaces needs a lock around that.
  struct StoredFile: Sendable, Hashable {
    private let location: CanonicalPath

    /// The canonical path, which identifies the file within the process.
    var path: String { location.string }

    /// The file at a path, which need not exist; throws `noLocation` or `unreadable` if no file
    /// can be there.
    init(path: String) throws(SuiteError) {
      location = try CanonicalPath(path)
    }

    /// The file of a file URL; throws `noLocation` for another URL.
    init(url: URL) throws(SuiteError) {
      location = try CanonicalPath(url)
    }

    /// The file of the suite with this name, at its place in the user's configuration.
    init(named name: String = FileLocation.identifier) throws(SuiteError) {
      try self.init(path: FileLocation.path(named: name))
    }

    /// Throws `unreadable` or `unwritable` if the file couldn't be read or saved now.
    func checkAccess() throws(SuiteError) {
      try FileAccess.check(path)
    }

    /// The content and which version of the file it is from; nil if there is no file. Throws
    /// `unreadable`.
    func read() throws(SuiteError) -> FileReading.Content? {
      try FileReading.content(of: path)
    }

    /// The version that is there now, to find out whether the file was replaced or written since it
    /// was read; nil if there is no file. Throws `unreadable`.
    func version() throws(SuiteError) -> FileSystem.Version? {
      try FileReading.status(of: path)?.version
    }

    /// Makes `data` the content, durably and all or nothing; makes the folders that are missing.
    /// Throws `unwritable`.
    func replace(with data: Data) throws(SuiteError) {
      try FileReplacement.replace(path, with: data)
    }

    /// Moves the version that was read aside and returns its new path; nil if another version is
    /// there by now, or none, so that it has to be read again. Throws `unwritable`.
    func setAside(_ version: FileSystem.Version) throws(SuiteError) -> String? {
      try FileQuarantine.setAside(path, version: version)
    }
  }
}
