import Foundation

/// A new file beside another one, until it is renamed; removed if it never is.
///
/// Its name is `.<name>.<process>-<random>.tmp`, and it stays locked while its process lives:
/// that tells files which a killed process left behind from those that somebody is writing.
final class TemporaryFile: Sendable {
  let path: String
  let file: any OpenFile
  private let fileSystem: any FileSystem
  private let hasLeft = Lock(false)

  /// A new file that is ours alone.
  fileprivate init(beside target: StoredFile) throws(POSIXError) {
    fileSystem = target.fileSystem
    while true {
      let random = String(UInt64.random(in: 0 ... .max), radix: 36)
      let path = target.location.sibling(
        named: "\(target.temporaryPrefix)\(getpid())-\(random).tmp")
      do throws(POSIXError) {
        let file = try fileSystem.open(path, .create)
        // Whoever sweeps may have found it before it was locked.
        guard try file.tryLock(), try file.status().names > 0 else { continue }
        (self.path, self.file) = (path, file)
        return
      } catch {
        guard error.code == .EEXIST else { throw error }
      }
    }
  }

  deinit {
    // In a forked child it is the parent's, which may still write it.
    if !isRenamed, !Forking.isChild { try? fileSystem.removeName(path) }
  }

  /// Whether its name is gone, or is another file's.
  var isRenamed: Bool { hasLeft.withLock { $0 } }

  func write(_ data: Data) throws(POSIXError) {
    try data.withUnsafeBytes { bytes in
      Result { () throws(POSIXError) in try file.writeAll(bytes, at: 0) }
    }.get()
  }

  /// Writes the whole content of a copy of a file, with its permissions and attributes, waits until
  /// it is on the disk, and gives the copy its final name.
  func save(_ data: Data, of original: StoredFile, as path: String) throws(POSIXError) {
    try write(data)
    try file.takePermissions(of: try fileSystem.permissionsIfPresent(of: original.path))
    try file.takeAttributes(of: original.path, on: fileSystem)
    try file.synchronize()
    try rename(to: path)
  }

  /// Gives it its final name; what has that name goes.
  func rename(to path: String) throws(POSIXError) {
    try fileSystem.move(self.path, to: path)
    hasLeft.withLock { $0 = true }
  }

  /// Takes its name away, since it has another one.
  func remove() throws(POSIXError) {
    try fileSystem.removeName(path)
    hasLeft.withLock { $0 = true }
  }
}

extension StoredFile {
  func temporary() throws(POSIXError) -> TemporaryFile { try TemporaryFile(beside: self) }

  /// How the names of its temporaries start; short enough for encrypting file systems too, whose
  /// names end at 143 bytes.
  fileprivate var temporaryPrefix: String { FileName.joining("." + location.name, ".", limit: 100) }

  /// What is behind the temporary's name in a second name that another file has for a moment.
  private static let linkMark = "~"

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
      let name = copy.path + Self.linkMark
      try fileSystem.addName(name, to: path)
      // Renaming a file to another name of itself leaves both; so does an error.
      defer { try? fileSystem.removeName(name) }
      try fileSystem.move(name, to: other.path)
    } catch {
      guard [.EPERM, .EOPNOTSUPP, .ENOSYS, .EMLINK].contains(error.code) else { throw error }
      try copy.save(data, of: self, as: other.path)
    }
  }

  // MARK: - What killed processes left

  /// The names beside the file that are those of temporaries.
  package var temporaries: [String] {
    let prefix = temporaryPrefix
    let names = (try? fileSystem.names(inFolder: folder)) ?? []
    return names.filter { $0.hasPrefix(prefix) && Self.isGenerated(Self.temporary(of: $0)) }
  }

  /// Removes those of these temporaries that killed processes left beside the file.
  func sweep(_ names: [String]) {
    for name in names {
      let owner = Self.temporary(of: name)
      let isLink = name != owner
      let paths = (name: location.sibling(named: name), owner: location.sibling(named: owner))
      do throws(POSIXError) {
        guard try isOwn(paths.name) else { continue }
        do throws(POSIXError) {
          // Looked at before it is opened: opening a FIFO or a device is an act of its own.
          guard try isOwn(paths.owner) else { continue }
          let file = try fileSystem.open(paths.owner, .update)
          // Locked while the name goes: whoever has just made the file must not get the lock.
          defer { withExtendedLifetime(file) {} }
          if try file.tryLock() { try fileSystem.removeName(paths.name) }
        } catch {
          // A second name outlives its temporary for a moment.
          guard isLink, error.code == .ENOENT else { throw error }
          try fileSystem.removeName(paths.name)
        }
      } catch {
        // What can't be looked at, opened or locked is left for somebody who can.
      }
    }
  }

  private func isOwn(_ path: String) throws(POSIXError) -> Bool {
    let status = try fileSystem.status(of: path, followingLinks: false)
    return status.kind == .file && isTrusted(status, beside: location)
  }

  /// The name of a temporary, given its own or that of a second name.
  private static func temporary(of name: String) -> String {
    name.hasSuffix(linkMark) ? String(name.dropLast(linkMark.count)) : name
  }

  /// Whether a name ends as those that are made here do: an editor's temporaries aren't ours to
  /// remove.
  private static func isGenerated(_ name: String) -> Bool {
    let parts = name.split(separator: ".").suffix(2)
    guard parts.last == "tmp", let words = parts.first?.split(separator: "-"), words.count == 2
    else { return false }
    return words[0].allSatisfy { $0.isASCII && $0.isNumber }
      && words[1].allSatisfy { $0.isASCII && ($0.isNumber || $0.isLowercase) }
  }
}
