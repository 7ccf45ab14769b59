import Foundation

/// The one absolute path of a file: no symbolic link, no `.` or `..`, no empty component.
///
/// Two paths of one file give equal canonical paths, before the file or its folders exist too;
/// hard links and bind mounts aside, which can't be distinguished from other files by path. Equality
/// is by bytes, as the file system's is: "é" in its two spellings is one String and two files.
struct CanonicalPath: Sendable {
  /// The path as a string.
  let string: String

  /// Follows a path, from the working folder if it is relative.
  ///
  /// A link is followed wherever it is, in the last component too; one that leads nowhere
  /// gives the path of the file that would be created through it. `..` is the folder above the
  /// real folder, not the component before it. Throws `noLocation` for a path that can't be one,
  /// `unreadable` or another code if the way can't be followed: a loop, no permission, a file in
  /// place of a folder, a link of another user in a folder such as /tmp. Costs one system call
  /// per component.
  init(
    _ path: String, failingAs code: SuiteError.Code = .unreadable,
    on fileSystem: any FileSystem = LocalFileSystem()
  ) throws(SuiteError) {
    var links: [Self] = []
    try self.init(path, failingAs: code, on: fileSystem, links: &links)
  }

  /// Follows a path, and adds the places of the links on the way to the list, also of those before
  /// an obstacle, whose place comes last then.
  init(
    _ path: String, failingAs code: SuiteError.Code = .unreadable,
    on fileSystem: any FileSystem = LocalFileSystem(), links: inout [Self]
  ) throws(SuiteError) {
    if path.isEmpty || path.utf8.contains(0) {
      let problem = path.isEmpty ? "is empty" : "has a NUL"
      throw SuiteError(.noLocation, "The path \(problem). Give the path of a file", path: path)
    }
    string = try SuiteError.explaining(code, "The path can't be followed", path: path) {
      () throws(POSIXError) in try fileSystem.follow(path, links: &links)
    }
  }

  /// A path that is canonical.
  fileprivate init(resolved: String) { string = resolved }

  /// The path of a name in the folder of another file. A link that has the name isn't followed.
  init(_ name: String, beside other: Self) { string = other.sibling(named: name) }

  /// The path of the folder that the file is in.
  var folder: String { Self.folder(of: string) }

  /// The last component.
  var name: String { Self.name(of: string) }

  /// The path of another file in the same folder.
  func sibling(named name: String) -> String { folder == "/" ? "/" + name : folder + "/" + name }

  /// The last component of a path that is canonical.
  static func name(of path: String) -> String {
    let end = path.utf8.lastIndex(of: slash) ?? path.startIndex
    return String(Substring(path.utf8[end...].dropFirst()))
  }

  /// The folder of a path that is canonical, by text.
  static func folder(of path: String) -> String {
    let end = path.utf8.lastIndex(of: slash) ?? path.startIndex
    return end == path.startIndex ? "/" : String(path[..<end])
  }
}

extension CanonicalPath: Equatable {
  static func == (left: Self, right: Self) -> Bool {
    left.string.hasSameScalars(as: right.string)
  }
}

private let slash = UInt8(ascii: "/")

// MARK: - Following links

extension FileSystem {
  /// The canonical form of a path.
  fileprivate func follow(
    _ path: String, links places: inout [CanonicalPath]
  ) throws(POSIXError) -> String {
    // Canonical so far, which a working folder is; empty for the root.
    var resolved = ""
    if path.utf8.first != slash {
      resolved = components(try workingFolder()).map { "/" + $0 }.joined()
    }
    var pending = Array(components(path).reversed())
    var links = 0
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
        places.append(CanonicalPath(resolved: resolved))
        throw POSIXError(.ENOTDIR)
      case .link:
        links += 1
        places.append(CanonicalPath(resolved: resolved))
        // As many links as Linux follows.
        if links > 40 { throw POSIXError(.ELOOP) }
        if let status, try isTrap(status, in: folder) { throw POSIXError(.EACCES) }
        let destination = try destination(ofLink: resolved)
        resolved = destination.utf8.first == slash ? "" : folder
        pending += components(destination).reversed()
      }
    }
    return resolved.isEmpty ? "/" : resolved
  }

  /// Whether a link is in a folder such as /tmp, where everybody may put one, and is neither
  /// ours nor the folder's owner's. Linux doesn't follow such links, if it is so configured
  /// (`fs.protected_symlinks`); nor do we, who read links ourselves.
  private func isTrap(_ link: FileStatus, in folder: String) throws(POSIXError) -> Bool {
    if link.owner == geteuid() { return false }
    let folder = try status(of: folder.isEmpty ? "/" : folder)
    return folder.mode & 0o1002 == 0o1002 && link.owner != folder.owner
  }

  /// The components but for the empty ones and `.`; split by bytes, since a slash with a
  /// combining mark is one character.
  private func components(_ path: String) -> [String] {
    var components: [String] = []
    var rest = path.utf8[...]
    while let start = rest.firstIndex(where: { $0 != slash }) {
      let component = rest[start...].prefix { $0 != slash }
      rest = rest[component.endIndex...]
      let name = String(Substring(component))
      if name != "." { components.append(name) }
    }
    return components
  }
}

// MARK: - URLs

extension CanonicalPath {
  /// Follows the path of a file URL; throws `noLocation` for any other URL.
  init(_ url: URL) throws(SuiteError) {
    guard let path = Self.path(of: url), !path.isEmpty else {
      throw SuiteError(
        .noLocation, "The URL doesn't name a file of this machine. Give a file URL",
        path: url.absoluteString)
    }
    try self.init(path)
  }

  /// The path of a file URL, with its `..` still in it; `URL.path` takes them out by text, which is
  /// wrong behind a symbolic link. Nil for another URL. By text too: the properties of `URL` cost a
  /// quarter of opening the first suite of a process.
  static func path(of url: URL) -> String? {
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
    // The path is next to a base that is no folder: its last component is what goes.
    guard let end = folder.utf8.lastIndex(of: slash) else { return path }
    return String(folder[...end]) + path
  }

  /// The text with its escapes undone; nil if one is no escape, if a slash or NUL is escaped, which
  /// would be another name, or if it isn't UTF-8 then.
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

/// The rules for the name of one file or folder; they are about bytes, as the file system's are.
package enum FileName {
  /// The longest name that the common file systems take, in bytes.
  package static let byteLimit = 255

  /// Why a string can't name a file, in a clause; nil if it can.
  static func problem(with name: String) -> String? {
    if name.isEmpty { return "is empty" }
    if name == "." || name == ".." { return "means a folder" }
    // Not by characters: a slash with a combining mark is another character, but the same byte.
    if name.utf8.contains(UInt8(ascii: "/")) { return "has a slash" }
    if name.utf8.contains(0) { return "has a NUL" }
    if name.utf8.count > byteLimit { return "has more than \(byteLimit) bytes" }
    return nil
  }

  /// The name followed by a suffix. If both don't fit, the end of the name is cut off, and a
  /// checksum of all of it keeps names apart that start alike.
  package static func joining(
    _ name: String, _ suffix: String, limit: Int = byteLimit
  ) -> String {
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
