import Foundation

/// The canonical absolute path of a file: no symbolic link, no `.` or `..`, no empty component.
///
/// All paths of a file have the same canonical path, even before the file or its folders exist.
/// Exceptions are hard links and bind mounts, which a path can't identify. Paths are compared by
/// bytes, as in file systems: the two encodings of "é" are equal strings but different files.
package struct CanonicalPath: Sendable {
  package let string: String

  /// Resolves a path, relative to the working folder unless it is absolute.
  ///
  /// Links are followed in all components, including the last. A dangling link gives the path of
  /// the file that would be created through it. `..` is the parent of the resolved folder. Takes
  /// one system call per component.
  ///
  /// - Throws: `noLocation` for an invalid path. `unreadable`, or the given code, if the path can't
  ///   be followed: a loop, no permission, a file in place of a folder, or another user's link in a
  ///   folder such as /tmp.
  package init(
    _ path: String, failingAs code: SuiteError.Code = .unreadable,
    on fileSystem: any FileSystem = LocalFileSystem()
  ) throws(SuiteError) {
    var links: [Self] = []
    try self.init(path, failingAs: code, on: fileSystem, links: &links)
  }

  /// Resolves a path and appends the locations of its links to an empty list, even if resolution
  /// fails. The last location is then the obstacle.
  init(
    _ path: String, failingAs code: SuiteError.Code = .unreadable,
    on fileSystem: any FileSystem = LocalFileSystem(), links: inout [Self]
  ) throws(SuiteError) {
    if path.isEmpty || path.utf8.contains(0) {
      let problem = path.isEmpty ? "is empty" : "has a NUL"
      throw SuiteError(.noLocation, "The path \(problem). Give the path of a file", path: path)
    }
    string = try SuiteError.explaining(code, "The path can't be followed", path: path) {
      () throws(Errno) in try fileSystem.follow(path, links: &links)
    }
  }

  /// Creates a path from a string that is canonical, apart from a link in the last component.
  init(resolved: String) { string = resolved }

  var folder: String { Self.folder(of: string) }
  var name: String { Self.name(of: string) }

  func sibling(named name: String) -> String { folder == "/" ? "/" + name : folder + "/" + name }

  /// Returns the last component of a canonical path.
  static func name(of path: String) -> String {
    let end = path.utf8.lastIndex(of: slash) ?? path.startIndex
    return String(Substring(path.utf8[end...].dropFirst()))
  }

  /// Returns the folder of a canonical path, without looking at the file system.
  static func folder(of path: String) -> String {
    let end = path.utf8.lastIndex(of: slash) ?? path.startIndex
    return end == path.startIndex ? "/" : String(path[..<end])
  }
}

extension CanonicalPath: Equatable {
  package static func == (left: Self, right: Self) -> Bool {
    left.string.hasSameScalars(as: right.string)
  }
}

private let slash = UInt8(ascii: "/")

// MARK: - Following links

extension FileSystem {
  /// Returns the canonical form of a path.
  fileprivate func follow(
    _ path: String, links: inout [CanonicalPath]
  ) throws(Errno) -> String {
    // The canonical path so far, beginning with the working folder; empty for the root.
    var resolved = ""
    if path.utf8.first != slash {
      resolved = components(try workingFolder()).map { "/" + $0 }.joined()
    }
    var pending = Array(components(path).reversed())
    while let component = pending.popLast() {
      let folder = resolved
      guard component != ".." else {
        resolved = String(folder[..<(folder.utf8.lastIndex(of: slash) ?? folder.startIndex)])
        continue
      }
      resolved += "/" + component
      let status = try statusIfPresent(of: resolved, followingLinks: false)
      switch status?.kind {
      case nil, .folder: continue
      case .file, .special:
        guard !pending.isEmpty else { continue }
        links.append(CanonicalPath(resolved: resolved))
        throw Errno(.ENOTDIR)
      case .link:
        links.append(CanonicalPath(resolved: resolved))
        // The same limit as on Linux.
        if links.count > 40 { throw Errno(.ELOOP) }
        if let status, try isTrap(status, in: folder) { throw Errno(.EACCES) }
        let destination = try destination(ofLink: resolved)
        resolved = destination.utf8.first == slash ? "" : folder
        pending += components(destination).reversed()
      }
    }
    return resolved.isEmpty ? "/" : resolved
  }

  /// Returns whether a link is in a folder that everybody may write, such as /tmp, and belongs
  /// neither to the program's user nor to the folder's owner. Linux doesn't follow such links if
  /// configured so (`fs.protected_symlinks`). This library reads links itself, so it must check
  /// that, too.
  private func isTrap(_ link: FileStatus, in folder: String) throws(Errno) -> Bool {
    if link.owner == geteuid() { return false }
    let folder = try status(of: folder.isEmpty ? "/" : folder)
    return folder.mode & 0o1002 == 0o1002 && link.owner != folder.owner
  }

  /// Returns the components except `.` and empty components. The path is split by bytes, since a
  /// slash and a combining mark are one character.
  private func components(_ path: String) -> [String] {
    var (components, rest) = ([String](), path.utf8[...])
    // `split` would need the metadata of an array of parts.
    while !rest.isEmpty {
      let component = String(Substring(rest.prefix { $0 != slash }))
      rest = rest.dropFirst(component.utf8.count + 1)
      if !component.isEmpty, component != "." { components.append(component) }
    }
    return components
  }
}

// MARK: - URLs

extension CanonicalPath {
  /// Returns the path of a file URL including its `..`, which `URL.path` resolves as text, which is
  /// wrong after a symbolic link. Nil for other URLs. This parses the text, since the properties of
  /// `URL` take a quarter of the time to open a process's first suite.
  package static func path(of url: URL) -> String? {
    guard url.isFileURL else { return nil }
    var text = url.relativeString.utf8[...]
    // Only a URL without a base has a scheme.
    if url.baseURL == nil { text = text.dropFirst("file:".utf8.count) }
    if text.starts(with: "//".utf8) {
      let host = text.dropFirst(2).prefix { $0 != slash }
      guard host.isEmpty || host.elementsEqual("localhost".utf8) else { return nil }
      text = text[host.endIndex...]
    }
    guard let path = unescaped(text.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") })
    else { return nil }
    guard path.utf8.first != slash, let base = url.baseURL else { return path }
    guard let folder = self.path(of: base) else { return nil }
    if base.hasDirectoryPath { return folder + "/" + path }
    // A base that isn't a folder is replaced in its last component.
    guard let end = folder.utf8.lastIndex(of: slash) else { return path }
    return String(folder[...end]) + path
  }

  /// Returns the text without percent escapes. Nil if an escape is invalid or means a slash or NUL,
  /// which would give another name, or if the result isn't UTF-8.
  private static func unescaped(_ text: Substring.UTF8View) -> String? {
    guard text.contains(UInt8(ascii: "%")) else { return String(Substring(text)) }
    var bytes: [UInt8] = []
    var rest = text
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let code = UInt8(hexadecimal: rest.prefix(2), count: 2), code != 0, code != slash
      else { return nil }
      bytes.append(code)
      rest = rest.dropFirst(2)
    }
    return String(validating: bytes, as: UTF8.self)
  }
}

// MARK: - Names

/// The rules for the name of a file or folder. They concern bytes, as in file systems.
package enum FileName {
  /// The longest name in common file systems, in bytes.
  package static let byteLimit = 255

  /// Returns why a string can't name a file, as a clause; nil if it can.
  static func problem(with name: String) -> String? {
    if name.isEmpty { return "is empty" }
    if name == "." || name == ".." { return "means a folder" }
    // Compare bytes: a slash and a combining mark are one character.
    if name.utf8.contains(UInt8(ascii: "/")) { return "has a slash" }
    if name.utf8.contains(0) { return "has a NUL" }
    if name.utf8.count > byteLimit { return "has more than \(byteLimit) bytes" }
    return nil
  }

  /// Returns the name with a suffix. If the result is too long, the end of the name is replaced by
  /// a checksum of the whole name, which distinguishes names with the same beginning.
  package static func joining(_ name: String, _ suffix: String, limit: Int = byteLimit) -> String {
    guard name.utf8.count + suffix.utf8.count > limit else { return name + suffix }
    let mark =
      "~" + String(Array(name.utf8).withUnsafeBytes { Defaults.Checksum.of($0) }, radix: 36)
    var kept = name[...]
    while kept.utf8.count > limit - suffix.utf8.count - mark.utf8.count, !kept.isEmpty {
      kept.unicodeScalars.removeLast()
    }
    return kept + mark + suffix
  }
}
