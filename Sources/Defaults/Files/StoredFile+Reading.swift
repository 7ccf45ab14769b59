import Foundation

extension StoredFile {
  /// What a file held, and which file that was.
  ///
  /// A class: to copy an optional of a struct with `Data` in it takes types that Swift makes when a
  /// process needs them first.
  final class Content: Sendable {
    let data: Data
    let version: FileVersion
    let changed: FileTime
    let owner: uid_t

    init(data: Data, version: FileVersion, changed: FileTime, owner: uid_t) {
      self.data = data
      self.version = version
      self.changed = changed
      self.owner = owner
    }
  }

  /// The content of the file, which isn't empty unless it stays so: a program that makes a file in
  /// place makes it empty first, and writes it an instant later.
  func readWritten() throws(SuiteError) -> Content? {
    var content = try read()
    let rest = Alarm()
    for _ in 0..<20 where content?.data.isEmpty == true {
      _ = rest.wait(until: MonotonicClock.now(plus: .milliseconds(5)))
      content = try read()
    }
    return content
  }

  /// The lines in which the names of the file's entries stand; see
  /// ``Defaults/linesOfNames(in:)``. Throws `unreadable`.
  package var linesOfNames: [String: Int] {
    get throws(SuiteError) { try read().map { Defaults.linesOfNames(in: $0.data) } ?? [:] }
  }

  /// The content of the file; nil if there is none (or a link that leads nowhere).
  ///
  /// Throws `unreadable` for everything else: no permission, a folder, a FIFO or device (without
  /// opening it or waiting for it), what is next to a settings file and can't be ours, a file that
  /// is too large, or one that was written while it was read, several times in a row.
  func read() throws(SuiteError) -> Content? {
    return try Retry.upTo(
      5,
      orThrow: SuiteError(
        .unreadable, "The file was written each time it was read. Stop the program that writes it",
        path: path)
    ) { () throws(SuiteError) -> Content?? in
      // Looked at before it is opened too: opening a FIFO or a device is an act of its own.
      guard let status = try present() else { return .some(nil) }
      try requireOwn(status, .unreadable)
      guard let file = try openToRead() else { return .some(nil) }
      let opened = try reading { () throws(POSIXError) in try file.status() }
      try requireOwn(opened, .unreadable)
      let limit = Defaults.SizeLimit.file
      guard opened.version.size <= limit else {
        throw SuiteError(
          .unreadable, "The file is larger than \(limit >> 20) MiB, so it isn't read. Move it away",
          path: path)
      }
      let data = try reading { () throws(POSIXError) in
        try file.bytes(expecting: opened.version)
      }
      return data.map { data in
        Content(data: data, version: opened.version, changed: opened.changed, owner: opened.owner)
      }
    }
  }

  /// Throws `unreadable` if there is a file that this user can't read; opens it, and reads nothing.
  func requireReadable() throws(SuiteError) {
    guard let status = try present() else { return }
    try requireOwn(status, .unreadable)
    _ = try openToRead()
  }

  private func openToRead() throws(SuiteError) -> (any OpenFile)? {
    try reading { () throws(POSIXError) in
      do throws(POSIXError) {
        return try fileSystem.open(path, main == nil ? .read : .readNoFollow)
      } catch {
        guard error.code == .ENOENT else { throw error }
        return nil
      }
    }
  }
}
