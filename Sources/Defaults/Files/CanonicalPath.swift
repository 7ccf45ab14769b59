import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

extension Defaults {
  /// The one absolute path of a file: no symbolic link, no `.` or `..`, no empty component.
  ///
  /// Two paths of one file give equal canonical paths, before the file or its folders exist too;
  /// hard links and bind mounts aside, which can't be told from other files by path. Equality is
  /// by bytes, as the file system's is: "é" in its two spellings is one String and two files.
  struct CanonicalPath: Sendable {
    /// The path as a string.
    let string: String

    /// Follows a path, from the working folder if it is relative.
    ///
    /// A link is followed wherever it stands, in the last component too; one that leads nowhere
    /// gives the path of the file that would be created through it. `..` is the folder above the
    /// real folder, not the component before it. Throws `noLocation` for a path that can't be one,
    /// `unreadable` or another code if the way can't be followed: a loop, no permission, a file in
    /// place of a folder, a link of somebody else in a folder such as /tmp. Costs one system call
    /// per component.
    init(
      _ path: String, failingAs code: SuiteError.Code = .unreadable,
      on fileSystem: any FileSystem = LocalFileSystem()
    ) throws(SuiteError) {
      if path.isEmpty || path.utf8.contains(0) {
        let problem = path.isEmpty ? "is empty" : "has a NUL"
        throw SuiteError(.noLocation, "The path \(problem). Give the path of a file", path: path)
      }
      do throws(POSIXError) {
        let start = path.utf8.first == Self.slash ? "/" : try fileSystem.workingFolder()
        // A working folder has no links in it.
        let folder = Self.components(start).map { "/" + $0 }.joined()
        string = try Self.follow(path, from: folder, on: fileSystem)
      } catch {
        throw SuiteError(code, "The path can't be followed", path: path, error)
      }
    }

    /// The path of a name in the folder of a path that was followed already. A link that has the
    /// name isn't followed.
    init(_ name: String, beside other: Self) { string = other.sibling(named: name) }

    /// A path that was followed already, but for its last component, which isn't to be.
    init(unfollowed path: String) { string = path }

    /// Follows the path of a file URL; throws `noLocation` for any other URL.
    init(_ url: URL) throws(SuiteError) {
      // `path` leaves a slash or NUL in a component as an escape, which would be another name.
      guard url.isFileURL, ["", "localhost"].contains(url.host() ?? ""),
        !Self.hasEscapedSlashOrNUL(url.path(percentEncoded: true)), !url.path.isEmpty
      else {
        throw SuiteError(
          .noLocation, "The URL doesn't name a file of this machine. Give a file URL",
          path: url.absoluteString)
      }
      try self.init(Self.unresolvedPath(url))
    }

    /// The path of the folder that the file is in.
    var folder: String { Self.folder(of: string) }

    /// The last component.
    var name: String {
      let end = string.utf8.lastIndex(of: Self.slash) ?? string.startIndex
      return String(Substring(string.utf8[end...].dropFirst()))
    }

    /// The path of another file in the same folder.
    func sibling(named name: String) -> String {
      folder == "/" ? "/" + name : folder + "/" + name
    }

    /// The folder of a path that is canonical, by text.
    static func folder(of path: String) -> String {
      let end = path.utf8.lastIndex(of: slash) ?? path.startIndex
      return end == path.startIndex ? "/" : String(path[..<end])
    }

    private static let slash = UInt8(ascii: "/")
    /// As many links as Linux follows.
    private static let linkLimit = 40

    private static func hasEscapedSlashOrNUL(_ path: String) -> Bool {
      var rest = path.utf8[...]
      while let escape = rest.firstIndex(of: UInt8(ascii: "%")) {
        rest = rest[escape...].dropFirst()
        let code = rest.prefix(2)
        if ["2F", "2f", "00"].contains(where: { code.elementsEqual($0.utf8) }) { return true }
      }
      return false
    }

    /// Follows a path from a canonical one, which is empty for the root.
    private static func follow(
      _ path: String, from start: String, on fileSystem: any FileSystem
    ) throws(POSIXError) -> String {
      var resolved = start
      var pending = Array(components(path).reversed())
      var links = 0
      while let component = pending.popLast() {
        let folder = resolved
        guard component != ".." else {
          resolved = String(folder[..<(folder.utf8.lastIndex(of: slash) ?? folder.startIndex)])
          continue
        }
        resolved += "/" + component
        let status = try fileSystem.statusIfPresent(of: resolved, followingLinks: false)
        switch status?.kind {
        case nil, .folder: continue
        case .file, .special: if !pending.isEmpty { throw POSIXError(.ENOTDIR) }
        case .link:
          links += 1
          if links > linkLimit { throw POSIXError(.ELOOP) }
          if let status, try isTrap(status, in: folder, on: fileSystem) {
            throw POSIXError(.EACCES)
          }
          let destination = try fileSystem.destination(ofLink: resolved)
          resolved = destination.utf8.first == slash ? "" : folder
          pending += components(destination).reversed()
        }
      }
      return resolved.isEmpty ? "/" : resolved
    }

    /// Whether a link stands in a folder such as /tmp, where everybody may put one, and is neither
    /// ours nor the folder's owner's. Linux doesn't follow such links, if it is so configured
    /// (`fs.protected_symlinks`); nor do we, who read links ourselves.
    private static func isTrap(
      _ link: FileStatus, in folder: String, on fileSystem: any FileSystem
    ) throws(POSIXError) -> Bool {
      if link.owner == geteuid() { return false }
      let folder = try fileSystem.status(of: folder.isEmpty ? "/" : folder)
      return folder.mode & 0o1002 == 0o1002 && link.owner != folder.owner
    }

    /// The components but for the empty ones and `.`; split by bytes, since a slash with a
    /// combining mark is one character.
    private static func components(_ path: String) -> [String] {
      path.utf8.split(separator: slash).map { String(Substring($0)) }.filter { $0 != "." }
    }

    /// The path with its `..` still in it; `URL.path` takes them out by text when there is a base,
    /// which is wrong behind a symbolic link.
    private static func unresolvedPath(_ url: URL) -> String {
      let path = url.relativePath
      guard path.utf8.first != slash, let base = url.baseURL else { return path }
      let folder = unresolvedPath(base)
      if base.hasDirectoryPath { return folder + "/" + path }
      // The path stands beside a base that is no folder: its last component is what goes.
      guard let end = folder.utf8.lastIndex(of: slash) else { return path }
      return String(folder[...end]) + path
    }
  }
}

extension Defaults.CanonicalPath: Hashable {
  static func == (left: Self, right: Self) -> Bool {
    left.string.utf8.elementsEqual(right.string.utf8)
  }

  func hash(into hasher: inout Hasher) {
    for byte in string.utf8 { hasher.combine(byte) }
    hasher.combine(0 as UInt8)
  }
}
