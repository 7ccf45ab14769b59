import Foundation

/// A new file next to another one, until it is renamed; removed if it never is.
///
/// Its name is `.<name>.<process>-<random>-<checksum of these>.tmp`. So no file of another program is
/// taken for one of ours. It stays locked while its process lives: that tells files which a killed
/// process left from those that are being written.
final class TemporaryFile: Sendable {
  let path: String
  let file: any OpenFile
  private let fileSystem: any FileSystem
  private let hasLeft = Lock(false)

  /// A new file that is ours alone.
  fileprivate init(beside target: StoredFile) throws(POSIXError) {
    fileSystem = target.fileSystem
    while true {
      let path = target.location.sibling(named: target.newTemporaryName)
      do throws(POSIXError) {
        let file = try fileSystem.open(path, .create)
        // A process that sweeps may have found it before it was locked.
        guard try file.tryLock(), try file.status().names > 0 else { continue }
        (self.path, self.file) = (path, file)
        return
      } catch {
        guard error.code == .EEXIST else { throw error }
      }
    }
  }

  deinit {
    // In a forked child it is the parent's, which may still write it. One that stays is swept later.
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
  fileprivate var temporaryPrefix: String { FileName.joining("." + location.name, ".", limit: 92) }

  /// A name for a temporary that no file has.
  var newTemporaryName: String {
    let random = String(UInt64.random(in: 0 ... .max), radix: 36)
    let start = "\(temporaryPrefix)\(getpid())-\(random)-"
    return start + Self.check(of: start) + ".tmp"
  }

  private static func check(of start: some StringProtocol) -> String {
    var start = String(start)
    return String(start.withUTF8 { Defaults.Checksum.of(UnsafeRawBufferPointer($0)) }, radix: 36)
  }

  // MARK: - What killed processes left

  /// The names next to the file that are those of temporaries.
  package var temporaries: [String] {
    let prefix = temporaryPrefix
    // A folder that can't be listed hides them; they do no harm.
    let names = (try? fileSystem.names(inFolder: folder)) ?? []
    return names.filter { $0.hasPrefix(prefix) && Self.isTemporary($0) }
  }

  /// Whether a name was made by this library.
  private static func isTemporary(_ name: String) -> Bool {
    guard name.hasSuffix(".tmp"), let end = name.lastIndex(of: "-") else { return false }
    let start = name[...end]
    return name.dropFirst(start.count).dropLast(4) == check(of: start)
  }
}
