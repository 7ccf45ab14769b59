import Foundation

extension Defaults {
  /// A new file beside another one, until it is renamed; removed if it never is.
  ///
  /// Its name is `.<name>.<process>-<random>.tmp`, and it stays locked while its process lives:
  /// that tells files which a killed process left behind from those that somebody is writing.
  final class TemporaryFile: Sendable {
    let path: String
    let file: any OpenFile
    private let fileSystem: any FileSystem
    private let isRenamed = Lock(false)

    /// A new file that is ours alone.
    init(
      beside target: CanonicalPath, on fileSystem: any FileSystem
    ) throws(POSIXError) {
      self.fileSystem = fileSystem
      while true {
        let path = target.sibling(named: Self.name(for: target.name))
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
      if !isRenamed.withLock({ $0 }) { try? fileSystem.removeName(path) }
    }

    /// Writes the whole content.
    func write(_ data: Data) throws(POSIXError) {
      try data.withUnsafeBytes { bytes in
        Result { () throws(POSIXError) in try file.writeAll(bytes, at: 0) }
      }.get()
    }

    /// Gives it its final name; what has that name goes.
    func rename(to path: String) throws(POSIXError) {
      try fileSystem.move(self.path, to: path)
      isRenamed.withLock { $0 = true }
    }

    /// A name beside a file that nobody has; what has it when its process dies is swept.
    static func name(for target: String) -> String {
      let random = String(UInt64.random(in: 0 ... .max), radix: 36)
      let process = ProcessInfo.processInfo.processIdentifier
      return prefix(for: target) + "\(process)-\(random).tmp"
    }

    /// How the names of a file's temporaries start.
    static func prefix(for target: String) -> String {
      // Short enough for encrypting file systems too, whose names end at 143 bytes.
      FileName.joining("." + target, ".", limit: 100)
    }

    /// Removes what killed processes left beside a file, given the names in its folder.
    static func sweep(
      beside target: CanonicalPath, among names: [String], on fileSystem: any FileSystem
    ) {
      let prefix = prefix(for: target.name)
      for name in names where name.hasPrefix(prefix) && name.hasSuffix(".tmp") {
        let path = target.sibling(named: name)
        // What can't be opened or locked is left for somebody who can.
        guard let file = try? fileSystem.open(path, .update), (try? file.tryLock()) == true
        else { continue }
        try? fileSystem.removeName(path)
      }
    }
  }
}
