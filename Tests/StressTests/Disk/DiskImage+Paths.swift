import Defaults
import Foundation

extension DiskImage {
  /// The target of a path.
  struct Lookup {
    let place: DiskOperation.Place
    /// nil if the name doesn't exist.
    let node: NodeID?
  }

  /// Follows a path from the root, as the system does. A link in the last component is followed
  /// only if requested.
  func look(up path: String, followingLinks: Bool) throws(Errno) -> Lookup {
    var pending = try Self.components(path)
    var folders = [Self.root]
    var links = 0
    while let name = pending.popLast() {
      let folder = folders.last ?? Self.root
      guard case .folder(let entries) = nodes[folder]?.content else { throw Errno(.ENOTDIR) }
      if name == "." { continue }
      if name == ".." {
        if folders.count > 1 { folders.removeLast() }
        continue
      }
      if name.utf8.count > 255 { throw Errno(.ENAMETOOLONG) }
      let node = entries[name]
      let isLast = pending.isEmpty
      if let node, case .link(let destination) = nodes[node]?.content, !isLast || followingLinks {
        links += 1
        if links > 40 { throw Errno(.ELOOP) }
        if destination.hasPrefix("/") { folders = [Self.root] }
        pending += try Self.components(destination)
        continue
      }
      if isLast {
        return Lookup(place: DiskOperation.Place(folder: folder, name: name), node: node)
      }
      guard let node else { throw Errno(.ENOENT) }
      folders.append(node)
    }
    let folder = folders.last ?? Self.root
    return Lookup(place: DiskOperation.Place(folder: folder, name: "."), node: folder)
  }

  /// The bytes of the file at a path; nil if there is none.
  func bytes(of path: String) -> [UInt8]? {
    guard let node = try? look(up: path, followingLinks: true).node,
      case .file(let bytes) = nodes[node]?.content
    else { return nil }
    return bytes
  }

  /// Whether a folder is another folder or inside of it.
  func isFolder(_ node: NodeID, inside folder: NodeID) -> Bool {
    if node == folder { return true }
    guard case .folder(let entries) = nodes[folder]?.content else { return false }
    return entries.values.contains { isFolder($0) && isFolder(node, inside: $0) }
  }

  /// Equal for images that a program can't distinguish, except by the times of folders.
  var fingerprint: Int {
    var hasher = Hasher()
    visit { path, node in
      hasher.combine(path)
      hasher.combine(node.number)
      hasher.combine(node.mode)
      hasher.combine(node.attributes)
      hasher.combine(node.names)
      guard case .file(let bytes) = node.content else { return }
      hasher.combine(node.modified)
      bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
    }
    return hasher.finalize()
  }

  /// Visits everything with a name, sorted by path.
  func visit(_ body: (String, Node) -> Void) {
    visit(Self.root, "", body)
  }

  private func visit(_ folder: NodeID, _ path: String, _ body: (String, Node) -> Void) {
    guard case .folder(let entries) = nodes[folder]?.content else { return }
    for (name, id) in entries.sorted(by: { $0.key < $1.key }) {
      guard let node = nodes[id] else { continue }
      body(path + "/" + name, node)
      visit(id, path + "/" + name, body)
    }
  }

  /// The components of a path in reverse order.
  private static func components(_ path: String) throws(Errno) -> [String] {
    if path.isEmpty { throw Errno(.ENOENT) }
    return path.split(separator: "/").reversed().map(String.init)
  }
}

extension DiskImage: CustomStringConvertible {
  /// A line for each file: path, inode number, times, number of names, and content.
  var description: String {
    var lines: [String] = []
    visit { path, node in
      switch node.content {
      case .file(let bytes):
        let shown = bytes.prefix(160).map { byte in
          (0x20..<0x7f).contains(byte) && byte != UInt8(ascii: "\\")
            ? String(UnicodeScalar(byte))
            : "\\" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
        lines.append(
          "\(path): inode \(node.number), \(bytes.count) bytes, modified \(node.modified), "
            + "names \(node.names): \(shown.joined())")
      case .folder: lines.append("\(path)/")
      case .link(let destination): lines.append("\(path) -> \(destination)")
      }
    }
    return lines.joined(separator: "\n")
  }
}
