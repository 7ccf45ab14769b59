import Foundation

extension StoredFile {
  /// The content of a file and its version.
  ///
  /// A class, since copying an optional struct that contains `Data` requires types that Swift
  /// creates at run time.
  package final class Content: Sendable {
    package let data: Data
    package let version: FileVersion
    let owner: uid_t

    init(data: Data, version: FileVersion, owner: uid_t) {
      self.data = data
      self.version = version
      self.owner = owner
    }
  }

  /// Returns the content of the file after waiting briefly while it is empty: a program that writes
  /// a file in place empties it first.
  package func readWritten() throws(SuiteError) -> Content? {
    var content = try read()
    let rest = Alarm()
    for _ in 0..<20 where content?.data.isEmpty == true {
      _ = rest.wait(until: MonotonicClock.now(plus: .milliseconds(5)))
      content = try read()
    }
    return content
  }

  /// Returns the content of the file; nil if there is no file, or a dangling link.
  ///
  /// - Throws: `unreadable` for everything else: no permission, a folder, a FIFO or device (which
  ///   isn't opened), an untrusted file next to a settings file, a file that is too large, or a
  ///   file that changed during several attempts to read it.
  package func read() throws(SuiteError) -> Content? {
    try Retry.upTo(5, orThrow: .restless(path)) { () throws(SuiteError) -> Content?? in
      // Check the status first, since opening a FIFO or a device may have effects.
      guard let status = try present() else { return .some(nil) }
      try requireOwn(status, .unreadable)
      guard let file = try openToRead() else { return .some(nil) }
      let opened = try reading { () throws(Errno) in try file.status() }
      try requireOwn(opened, .unreadable)
      let limit = Defaults.SizeLimit.file
      guard opened.version.size <= limit else {
        throw SuiteError(
          .unreadable, "The file isn't read: it is larger than \(limit >> 20) MiB. Move it away",
          path: path)
      }
      let data = try reading { () throws(Errno) in
        try file.bytes(expecting: opened.version)
      }
      return data.map { data in
        Content(data: data, version: opened.version, owner: opened.owner)
      }
    }
  }

  /// Throws `unreadable` if there is a file that this user can't read. Opens it without reading.
  func requireReadable() throws(SuiteError) {
    guard let status = try present() else { return }
    try requireOwn(status, .unreadable)
    _ = try openToRead()
  }

  private func openToRead() throws(SuiteError) -> (any OpenFile)? {
    try reading { () throws(Errno) in
      try Errno.ifFound { () throws(Errno) in
        try fileSystem.open(path, main == nil ? .read : .readNoFollow)
      }
    }
  }
}

extension OpenFile {
  /// Returns the file's bytes; nil if it doesn't have the expected version.
  package func bytes(expecting version: FileVersion) throws(Errno) -> Data? {
    // One byte more than expected, to detect a file that has grown.
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: version.size + 1, alignment: 1)
    defer { buffer.deallocate() }
    var count = try read(into: buffer, at: 0)
    if count < version.size {
      let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
      count += try readAll(into: rest, at: count)
    }
    guard count == version.size, try status().version == version, let start = buffer.baseAddress
    else { return nil }
    return Data(bytes: start, count: count)
  }
}

extension SuiteError {
  /// The error about a file that changes during each attempt to read it.
  static func restless(_ path: String) -> Self {
    Self(
      .unreadable, "The file changed each time it was read. Stop the program that writes it",
      path: path)
  }
}
