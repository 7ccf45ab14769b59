import Foundation

/// A new file next to its target. The new file is removed unless it is renamed.
///
/// Its name is `.<name>.<process>-<random>-<checksum of these>.tmp`, so that no file of another
/// program is mistaken for it. It stays locked while its process lives. That distinguishes files of
/// killed processes from files that are being written.
final class TemporaryFile: Sendable {
  let path: String
  let file: any OpenFile
  private let fileSystem: any FileSystem
  /// Whether the temporary name is this file's, so that `deinit` removes it.
  private let ownsName = Lock(true)

  /// Creates a new, locked file. Throws EEXIST if it must have another name.
  fileprivate init(_ path: String, on fileSystem: any FileSystem) throws(Errno) {
    self.path = path
    self.fileSystem = fileSystem
    file = try fileSystem.open(path, .create)
    // Another process may have removed it as a leftover before it was locked. Now `deinit` removes
    // the file if this throws.
    guard try file.tryLock(), try file.status().names > 0 else { throw Errno(.EEXIST) }
  }

  deinit {
    // In a forked child, the parent may still write the file. A file that remains, also because it
    // can't be removed now, is removed by a later opening of the suite.
    guard ownsName.withLock({ $0 }), !Forking.isChild else { return }
    do throws(Errno) {
      try fileSystem.removeName(path)
    } catch {
      guard error.code == .EPERM else { return }
      Self.unremovable.withLock { $0[CanonicalPath.folder(of: path)] = path }
    }
  }

  /// The last temporary file in each append-only folder, which can't be removed. Until it is
  /// removed, no other is created there, since each attempt would leave one.
  fileprivate static let unremovable = Lock([String: String]())

  func write(_ data: Data) throws(Errno) {
    try data.withUnsafeBytes { bytes in
      Result { () throws(Errno) in try file.writeAll(bytes, at: 0) }
    }.get()
  }

  /// Renames the file to its final name, replacing a file with that name.
  func rename(to path: String) throws(Errno) {
    try fileSystem.move(self.path, to: path)
    leaveName()
  }

  /// Gives the file its final name if the file with that name is the expected one (nil: if no file
  /// has that name).
  ///
  /// Another process may rename a file to that name at any time. So this exchanges the names of
  /// both files atomically and then checks the file that it got. If that isn't the expected one,
  /// the names are exchanged back. If the system can't do that, the file is checked before the
  /// rename, and a file that another process puts there at that moment is lost.
  ///
  /// - Returns: Whether the file was the expected one. After an exchange, that file has the
  ///   temporary name.
  func take(
    _ path: String, replacing isExpected: ((FileVersion) -> Bool)?
  ) throws(Errno) -> Bool {
    do throws(Errno) {
      guard isExpected != nil else { return try addName(path) }
      try fileSystem.exchange(self.path, path)
    } catch {
      if error.code == .ENOENT { return false }
      guard isExpected == nil ? error.forbidsLink : error.isUnsupported else { throw error }
      let old = try fileSystem.statusIfPresent(of: path, followingLinks: false)?.version
      let isAsExpected = if let isExpected { old.map(isExpected) ?? false } else { old == nil }
      guard isAsExpected else { return false }
      try rename(to: path)
      return true
    }
    if fileSystem.omits(rule: .exchangedFile) { return true }
    do throws(Errno) {
      if let isExpected, isExpected(try outcome()) { return true }
      if try exchangeBack(path) { return false }
    } catch {
      leaveName()
      throw error
    }
    // An external writer removed the file meanwhile. The temporary name may be that of its file,
    // which the next export restores if this file returns.
    leaveName()
    return false
  }

  /// Gives the file its final name unless a file has that name, and returns whether it did.
  func addName(_ path: String) throws(Errno) -> Bool {
    do throws(Errno) {
      try fileSystem.addName(path, to: self.path)
    } catch {
      guard error.code == .EEXIST || error.code == .ENOENT else { throw error }
      return false
    }
    do throws(Errno) {
      // Two names would look like a hard link that a person made.
      try remove()
    } catch {
      // A later opening removes the name, if the folder allows that.
      leaveName()
    }
    return true
  }

  /// Exchanges the names back until this file returns, since other processes rename, too. Returns
  /// whether it did.
  private func exchangeBack(_ path: String) throws(Errno) -> Bool {
    var (placed, other) = (try file.status().version, try outcome())
    for _ in 0..<100 {
      let exchanged: Void? = try Errno.ifFound { () throws(Errno) in
        try fileSystem.exchange(self.path, path)
      }
      if exchanged == nil { return false }
      let out = try outcome()
      if out.isSameFile(as: placed) { return true }
      (placed, other) = (other, out)
    }
    return false
  }

  /// Returns the version of the file that now has the temporary name.
  private func outcome() throws(Errno) -> FileVersion {
    try fileSystem.status(of: path, followingLinks: false).version
  }

  /// Leaves the temporary name to the file that may have it now: an external writer's file gets it
  /// by an exchange.
  func leaveName() { ownsName.withLock { $0 = false } }

  /// Removes the temporary name, since the file has another name.
  func remove() throws(Errno) {
    try fileSystem.removeName(path)
    leaveName()
  }
}

extension StoredFile {
  /// Creates a temporary file. Throws EEXIST if other programs take or remove each new name.
  func temporary() throws(Errno) -> TemporaryFile {
    if let path = TemporaryFile.unremovable.withLock({ $0[folder] }) {
      try Errno.ifFound { () throws(Errno) in try fileSystem.removeName(path) }
      TemporaryFile.unremovable.withLock { $0[folder] = nil }
    }
    return try Retry.upTo(100, orThrow: Errno(.EEXIST)) { () throws(Errno) in
      do throws(Errno) {
        return try TemporaryFile(location.sibling(named: newTemporaryName), on: fileSystem)
      } catch {
        guard error.code == .EEXIST else { throw error }
        return nil
      }
    }
  }

  /// The prefix of the names of temporaries, short enough for encrypting file systems, whose limit
  /// is 143 bytes.
  fileprivate var temporaryPrefix: String { FileName.joining("." + location.name, ".", limit: 92) }

  /// A new name for a temporary.
  var newTemporaryName: String {
    let random = String(fileSystem.randomNumber(), radix: 36)
    let start = "\(temporaryPrefix)\(fileSystem.processNumber)-\(random)-"
    return start + Self.check(of: start) + ".tmp"
  }

  private static func check(of start: some StringProtocol) -> String {
    var start = String(start)
    return String(start.withUTF8 { Defaults.Checksum.of(UnsafeRawBufferPointer($0)) }, radix: 36)
  }

  // MARK: - Leftovers of killed processes

  /// The names of the temporaries next to the file.
  package var temporaries: [String] { namesInFolder.filter(isTemporary) }

  /// The names in the file's folder. In a folder that can't be listed, leftovers remain, but are
  /// harmless.
  var namesInFolder: [String] { (try? fileSystem.names(inFolder: folder)) ?? [] }

  /// Returns whether a name is that of a temporary of this file: the prefix, the number of a
  /// process, a random number, and the checksum of these. Names that come from a log must be
  /// checked, since others may have written them.
  func isTemporary(_ name: String) -> Bool {
    guard name.hasSuffix(".tmp"), name.hasPrefix(temporaryPrefix),
      !name.utf8.contains(where: { $0 == 0 || $0 == UInt8(ascii: "/") }),
      let end = name.lastIndex(of: "-")
    else { return false }
    let start = name[...end]
    // A suite whose name begins with this one's, and a dot, has temporaries with the same prefix.
    let parts = start.dropFirst(temporaryPrefix.count).split(
      separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 3, Int32(parts[0]) != nil, UInt64(parts[1], radix: 36) != nil else {
      return false
    }
    return name.dropFirst(start.count).dropLast(4) == Self.check(of: start)
  }
}
