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
    private let hasLeft = Lock(false)

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
      if !isRenamed { try? fileSystem.removeName(path) }
    }

    /// Whether its name is gone, or is another file's.
    var isRenamed: Bool { hasLeft.withLock { $0 } }

    /// Writes the whole content.
    func write(_ data: Data) throws(POSIXError) {
      try data.withUnsafeBytes { bytes in
        Result { () throws(POSIXError) in try file.writeAll(bytes, at: 0) }
      }.get()
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

    private static func name(for target: String) -> String {
      let random = String(UInt64.random(in: 0 ... .max), radix: 36)
      let process = ProcessInfo.processInfo.processIdentifier
      return prefix(for: target) + "\(process)-\(random).tmp"
    }

    /// How the names of a file's temporaries start.
    static func prefix(for target: String) -> String {
      // Short enough for encrypting file systems too, whose names end at 143 bytes.
      FileName.joining("." + target, ".", limit: 100)
    }

    /// What is behind the temporary's name in a second name that another file has for a moment.
    static let linkMark = "~"

    /// Those of the names in a file's folder that its temporaries have.
    static func names(beside target: CanonicalPath, among names: [String]) -> [String] {
      let prefix = prefix(for: target.name)
      return names.filter { $0.hasPrefix(prefix) && isGenerated(owner(of: $0)) }
    }

    /// The name of a temporary, given its own or that of a second name.
    private static func owner(of name: String) -> String {
      name.hasSuffix(linkMark) ? String(name.dropLast(linkMark.count)) : name
    }

    /// Removes those of a file's temporaries that killed processes left, given whose files may be
    /// removed.
    static func sweep(
      beside target: CanonicalPath, _ names: [String], on fileSystem: any FileSystem,
      where isOwn: (FileStatus) -> Bool
    ) {
      for name in names {
        let owner = owner(of: name)
        let isLink = name != owner
        let paths = (name: target.sibling(named: name), owner: target.sibling(named: owner))
        func isOwnFile(_ path: String) throws(POSIXError) -> Bool {
          isOwn(try fileSystem.status(of: path, followingLinks: false))
        }
        do throws(POSIXError) {
          guard try isOwnFile(paths.name) else { continue }
          do throws(POSIXError) {
            // Looked at before it is opened: opening a FIFO or a device is an act of its own.
            guard try isOwnFile(paths.owner) else { continue }
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
}
