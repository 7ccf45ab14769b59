import Defaults
import Foundation

/// The transport through a shared folder: `<folder>/<suite>/<device>.json`.
///
/// Below the shared folder, which the caller chose, no link is followed, and only regular files are
/// read. Only this device's file is written, whole, by a rename.
package final class SharedFolder: Defaults.SyncTransport {
  /// The shared folder, which may be a link or contain some.
  private let path: String
  private let suite: String
  /// The maximum size of all files that are read, in bytes.
  private let maximumSize: Int
  private let fileSystem: any FileSystem
  /// The contents by name, which aren't read again while the file stays the same.
  private let known = Lock([String: (version: FileVersion, content: Result<Data, SuiteError>)]())

  /// The number of files that are read. More than that isn't a folder of a person's devices.
  private static let mostFiles = 1_000
  /// The version of no file, so that a file which couldn't be read is read again.
  private static let unknown = FileVersion(
    device: 0, inode: 0, size: -1, modified: FileTime(seconds: 0, nanoseconds: 0))

  /// Throws `noLocation` if the suite's name can't be the name of a folder.
  package init(
    _ path: String, suite: String, maximumSize: Int = 128 << 20,
    on fileSystem: any FileSystem = machineFileSystem
  ) throws(SuiteError) {
    guard !suite.isEmpty, !suite.hasPrefix("."), suite.utf8.count <= 200,
      !suite.utf8.contains(where: { $0 == UInt8(ascii: "/") || $0 < 0x20 })
    else {
      throw SuiteError(
        .noLocation, "\"\(suite)\" can't be the name of a folder; pass another name", path: path)
    }
    self.path = path
    self.suite = suite
    self.maximumSize = maximumSize
    self.fileSystem = fileSystem
  }

  /// The folder of the suite.
  package var folder: String { path.hasSuffix("/") ? path + suite : "\(path)/\(suite)" }

  package func states() throws -> [Defaults.SyncedState] {
    guard let folder = try existingFolder() else { return [] }
    let names = try explaining("The folder can't be read", folder) { () throws(Errno) in
      try fileSystem.names(inFolder: folder)
    }
    let files = names.filter { $0.hasSuffix(".json") && !$0.hasPrefix(".") }.sorted()
    guard files.count <= Self.mostFiles else {
      throw SuiteError(
        .unreadable,
        "The folder has \(files.count) files, and at most \(Self.mostFiles) are read. Remove "
          + "the files that don't belong to your devices", path: folder)
    }
    let old = known.withLock { $0 }
    var new: [String: (version: FileVersion, content: Result<Data, SuiteError>)] = [:]
    var states: [Defaults.SyncedState] = []
    var size = 0
    for name in files {
      guard let found = content(of: name, in: folder, known: old[name]) else { continue }
      if case .success(let data) = found.content { size += data.count }
      if size <= maximumSize {
        new[name] = found
        states.append(Defaults.SyncedState(name: name, content: found.content))
      } else {
        let reason = "this file and the files before it have more than \(maximumSize >> 20) MiB"
        states.append(
          Defaults.SyncedState(
            name: name, content: .failure(.unreadState("\(folder)/\(name)", reason))))
      }
    }
    let result = new
    known.withLock { $0 = result }
    return states
  }

  package func put(_ state: Data, of device: String) throws {
    let folder: String
    if let existing = try existingFolder() {
      folder = existing
    } else {
      folder = try root() + "/" + suite
    }
    // In the suite's folder, links aren't followed: a planted one must not lead elsewhere.
    let file = try StoredFile(path: "\(folder)/\(device)", on: fileSystem).place(beside: ".json")
    guard file.path == "\(folder)/\(device).json" else {
      throw SuiteError(
        .unwritable, "A link has the name of this device. Remove it",
        path: "\(folder)/\(device)")
    }
    // The caller holds the lock of this device, so these are of killed processes.
    for name in file.temporaries { try? fileSystem.removeName("\(folder)/\(name)") }
    // The program that carries the files may run as another user, and own this file.
    try file.replace(with: state, ofAnyOwner: true)
  }

  /// Returns the path of the shared folder without links.
  private func root() throws(SuiteError) -> String {
    let root = try CanonicalPath(path, on: fileSystem).string
    let status = try explaining("The shared folder can't be read", root) {
      () throws(Errno) in try fileSystem.statusIfPresent(of: root, followingLinks: false)
    }
    guard let status else {
      throw SuiteError(.unreachable, "The shared folder is missing", path: root)
    }
    guard status.kind == .folder else {
      throw SuiteError(.unreadable, "The shared folder isn't a folder", path: root)
    }
    return root == "/" ? "" : root
  }

  /// Returns the path of the suite's folder; nil if it isn't there yet.
  private func existingFolder() throws(SuiteError) -> String? {
    let folder = try root() + "/" + suite
    let status = try explaining("The folder can't be read", folder) { () throws(Errno) in
      try fileSystem.statusIfPresent(of: folder, followingLinks: false)
    }
    guard let status else { return nil }
    guard status.kind == .folder else {
      throw SuiteError(
        .unreadable, "This is a link or a file in place of the suite's folder. Remove it",
        path: folder)
    }
    return folder
  }

  private func content(
    of name: String, in folder: String,
    known: (version: FileVersion, content: Result<Data, SuiteError>)?
  ) -> (version: FileVersion, content: Result<Data, SuiteError>)? {
    let path = "\(folder)/\(name)"
    do throws(Errno) {
      // Check the status first, since opening a pipe or a device may have effects.
      guard let status = try fileSystem.statusIfPresent(of: path, followingLinks: false) else {
        return nil
      }
      if let known, known.version == status.version, !isFresh(status.version) { return known }
      guard status.kind == .file else {
        return (status.version, .failure(.unreadState(path, "it is a link, or not a file")))
      }
      let limit = DeviceFile.maximumSize
      let file = try fileSystem.open(path, .readNoFollow)
      let version = try file.status().version
      guard version.size <= limit else {
        return (version, .failure(.unreadState(path, "it is larger than \(limit >> 20) MiB")))
      }
      guard let data = try file.bytes(expecting: version) else {
        return (Self.unknown, .failure(.unreadState(path, "it is being written")))
      }
      return (version, .success(data))
    } catch {
      return (Self.unknown, .failure(.unreadState(path, error.words)))
    }
  }

  /// Returns whether a file was written so recently that a change of its content may not show in
  /// its version.
  private func isFresh(_ version: FileVersion) -> Bool {
    version.modified.isWithin(seconds: 3, of: Int(fileSystem.now / 1_000_000))
  }

  private func explaining<Result>(
    _ problem: String, _ path: String, _ body: () throws(Errno) -> Result
  ) throws(SuiteError) -> Result {
    try SuiteError.explaining(.unreadable, problem, path: path, body)
  }
}

extension SuiteError {
  /// The error about a state that can't be read.
  static func unreadState(_ path: String, _ reason: String) -> Self {
    SuiteError(
      .unreadableState,
      "The file of a device can't be read: \(reason). The files of the other devices are used",
      path: path)
  }
}

extension Defaults.SuiteError.Code {
  /// The state of another device is damaged, too large, or of a newer version. It isn't used
  /// until it changes.
  public static let unreadableState = Self(rawValue: "unreadableState")
  /// The clock of another device is more than ten minutes ahead, so that its changes wait.
  public static let clockAhead = Self(rawValue: "clockAhead")
  /// Several devices changed a setting, and a person has to decide.
  public static let syncConflict = Self(rawValue: "syncConflict")
  /// The other devices forgot this device, because a user requested it or because this device was
  /// away for a year. This device now has the state of the other devices.
  public static let forgotten = Self(rawValue: "forgotten")
  /// The synced settings don't fit into a file of 960 KiB, so this device's changes aren't
  /// published. Or the settings of another device don't fit into the same file, and aren't used.
  public static let tooLargeToSync = Self(rawValue: "tooLargeToSync")
}
