import Foundation

extension Defaults {
  /// A file that holds a suite, as bytes: read whole, replaced whole, set aside when damaged.
  ///
  /// Equal if it was the same file by canonical path when the values were made. Every operation
  /// follows that path anew, so a link that takes the file's place later is followed too; not so
  /// what lies beside a settings file, see `sibling`. Holds nothing open and locks nothing: who
  /// reads, changes and replaces needs a lock around that.
  package struct StoredFile: Sendable {
    let location: CanonicalPath
    let fileSystem: any FileSystem
    /// The settings file that this one lies beside; nil for a settings file.
    let main: CanonicalPath?

    /// The canonical path, which identifies the file within the process.
    package var path: String { location.string }

    /// The file at a path, which need not exist; throws `noLocation` or `unreadable` if no file
    /// can be there.
    package init(
      path: String, on fileSystem: any FileSystem = LocalFileSystem()
    ) throws(SuiteError) {
      location = try CanonicalPath(path, on: fileSystem)
      self.fileSystem = fileSystem
      main = nil
    }

    /// A file beside a settings file.
    init(_ location: CanonicalPath, besideFile file: StoredFile) {
      self.location = location
      fileSystem = file.fileSystem
      main = file.location
    }

    /// The file of a file URL; throws `noLocation` for another URL.
    init(url: URL) throws(SuiteError) {
      location = try CanonicalPath(url)
      fileSystem = LocalFileSystem()
      main = nil
    }

    /// The file of the suite with this name, at its place in the user's configuration.
    init(named name: String = FileLocation.identifier) throws(SuiteError) {
      try self.init(path: FileLocation.path(named: name))
    }

    /// The path of the folder that the file is in.
    var folder: String { location.folder }

    /// The content and which version of the file it is from; nil if there is no file. Throws
    /// `unreadable`.
    func read() throws(SuiteError) -> FileReading.Content? {
      guard main != nil else { return try FileReading.content(of: path, on: fileSystem) }
      return try FileReading.content(of: path, following: false, on: fileSystem) {
        status throws(SuiteError) in try requireOwn(status, .unreadable)
      }
    }

    /// The status of what is there now, to find out whether the file was replaced or written since
    /// it was read; nil if there is no file. Throws `unreadable`.
    func status() throws(SuiteError) -> FileStatus? {
      guard main != nil else { return try FileReading.status(of: path, on: fileSystem) }
      let status = try FileReading.status(of: path, following: false, on: fileSystem)
      if let status { try requireOwn(status, .unreadable) }
      return status
    }

    /// Makes `data` the content of a settings file, durably and all or nothing; makes the folders
    /// that are missing. Throws `unwritable`.
    func replace(with data: Data) throws(SuiteError) {
      try FileReplacement.replace(path, with: data, on: fileSystem)
    }

    /// Keeps the version that was read under another name and returns its path; nil if another
    /// version is there by now, or none, so that it has to be read again. Throws `unwritable`.
    ///
    /// `asCopy` for a file that goes on being written.
    func setAside(
      _ content: FileReading.Content, asCopy: Bool = false
    ) throws(SuiteError) -> String? {
      try FileQuarantine.setAside(
        path, content, asCopy: asCopy, following: main == nil, on: fileSystem)
    }

    /// The names beside the file that are those of temporaries.
    var temporaries: [String] {
      let names = (try? fileSystem.names(inFolder: folder)) ?? []
      return TemporaryFile.names(beside: location, among: names)
    }

    /// Removes those of these temporaries that killed processes left beside the file.
    func sweep(_ names: [String]) {
      TemporaryFile.sweep(beside: location, names, on: fileSystem) { status in
        status.kind == .file && Self.isTrusted(status, beside: location, on: fileSystem)
      }
    }
  }
}

extension Defaults.StoredFile {
  /// A new file beside this one.
  func temporary() throws(POSIXError) -> Defaults.TemporaryFile {
    try Defaults.TemporaryFile(beside: location, on: fileSystem)
  }

  /// Gives this file a second name, in place of whatever has it; where the file system has no
  /// second names, the bytes are copied.
  func link(as other: Self, orCopy data: Data) throws(POSIXError) {
    let copy = try temporary()
    do throws(POSIXError) {
      // A link that came to stand there since: its second name would be a link, too.
      guard try fileSystem.status(of: path, followingLinks: false).kind == .file else {
        throw POSIXError(.EOPNOTSUPP)
      }
      // First under a name that is free, since no link replaces anything; nobody else takes ours.
      let name = copy.path + Defaults.TemporaryFile.linkMark
      try fileSystem.addName(name, to: path)
      // Renaming a file to another name of itself leaves both; so does an error.
      defer { try? fileSystem.removeName(name) }
      try fileSystem.move(name, to: other.path)
    } catch {
      guard [.EPERM, .EOPNOTSUPP, .ENOSYS, .EMLINK].contains(error.code) else { throw error }
      try copy.write(data)
      try copy.file.synchronize()
      try copy.rename(to: other.path)
    }
  }
}

extension Defaults.StoredFile: Hashable {
  package static func == (left: Self, right: Self) -> Bool { left.location == right.location }

  package func hash(into hasher: inout Hasher) { hasher.combine(location) }
}
