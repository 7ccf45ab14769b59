import Foundation

extension Defaults {
  /// Reading a whole file, and nothing that isn't one.
  enum FileReading {
    /// The largest file that is read, in bytes; what is larger holds no settings.
    static let sizeLimit = SizeLimit.file

    /// What a file held, and which file that was.
    struct Content: Sendable {
      let data: Data
      let version: FileVersion
      let changed: FileTime
      let owner: uid_t
    }

    /// The content of a file; nil if there is none (or a link that leads nowhere).
    ///
    /// Throws `unreadable` for everything else: no permission, a folder, a FIFO or device (without
    /// opening it or waiting for it), a file that is too large, or one that was written while it
    /// was read, several times in a row.
    static func content(
      of path: String, on fileSystem: any FileSystem = LocalFileSystem()
    ) throws(SuiteError) -> Content? {
      try content(of: path, following: true, on: fileSystem) { status throws(SuiteError) in
        try requireFile(status, at: path, .unreadable)
      }
    }

    /// The same for a file that has to pass a check, before it is opened and after; a symbolic link
    /// that stands there is followed if that is asked for.
    static func content(
      of path: String, following isFollowed: Bool, on fileSystem: any FileSystem,
      checking check: (FileStatus) throws(SuiteError) -> Void
    ) throws(SuiteError) -> Content? {
      for _ in 1...attempts {
        // Looked at before it is opened too: opening a FIFO or a device is an act of its own.
        let status = try status(of: path, following: isFollowed, on: fileSystem)
        guard let status else { return nil }
        try check(status)
        let file = try open(path, isFollowed ? .read : .readNoFollow, on: fileSystem)
        guard let file else { return nil }
        let opened = try SuiteError.explaining(.unreadable, problem, path: path) {
          () throws(POSIXError) in try file.status()
        }
        try check(opened)
        guard opened.version.size <= sizeLimit else {
          throw SuiteError(
            .unreadable,
            "The file is larger than \(sizeLimit >> 20) MiB, so it isn't read. Move it away",
            path: path)
        }
        let data = try SuiteError.explaining(.unreadable, problem, path: path) {
          () throws(POSIXError) in try bytes(of: file, expecting: opened.version)
        }
        if let data {
          return Content(
            data: data, version: opened.version, changed: opened.changed, owner: opened.owner)
        }
      }
      throw SuiteError(
        .unreadable, "The file was written each time it was read. Stop the program that writes it",
        path: path)
    }

    /// The status of a file, nil if there is none.
    static func status(
      of path: String, following isFollowed: Bool = true,
      on fileSystem: any FileSystem = LocalFileSystem()
    ) throws(SuiteError) -> FileStatus? {
      try SuiteError.explaining(.unreadable, problem, path: path) { () throws(POSIXError) in
        try fileSystem.statusIfPresent(of: path, followingLinks: isFollowed)
      }
    }

    /// Throws if something other than a file stands there.
    static func requireFile(
      _ status: FileStatus, at path: String, _ code: SuiteError.Code
    ) throws(SuiteError) {
      guard status.kind != .file else { return }
      let what = status.kind == .folder ? "a folder" : "a pipe, socket or device"
      throw SuiteError(
        code, "This is \(what), not a file. Move it away, or choose another path", path: path)
    }

    /// The bytes of an open file; nil if it isn't, or no longer, the version that was expected.
    static func bytes(
      of file: any OpenFile, expecting version: FileVersion
    ) throws(POSIXError) -> Data? {
      // One byte more than expected, so that a file that grew shows.
      let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: version.size + 1, alignment: 1)
      defer { buffer.deallocate() }
      var count = try file.read(into: buffer, at: 0)
      if count < version.size {
        let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
        count += try file.readAll(into: rest, at: count)
      }
      guard count == version.size, try file.status().version == version else { return nil }
      return Data(buffer.prefix(count))
    }

    private static let attempts = 5
    private static let problem = "The file can't be read"

    private static func open(
      _ path: String, _ use: FileUse, on fileSystem: any FileSystem
    ) throws(SuiteError) -> (any OpenFile)? {
      do throws(POSIXError) {
        return try fileSystem.open(path, use)
      } catch {
        if error.code == .ENOENT { return nil }
        throw SuiteError(.unreadable, problem, path: path, error)
      }
    }
  }
}
