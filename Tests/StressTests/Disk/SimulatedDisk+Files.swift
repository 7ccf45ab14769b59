import Defaults
import Foundation

extension SimulatedDisk: FileSystem {
  func status(
    of path: String, followingLinks: Bool
  ) throws(Errno) -> FileStatus {
    try state.withLock { state throws(Errno) in
      try state.status(of: state.node(at: path, followingLinks: followingLinks))
    }
  }

  func checkAccess(
    _ access: FileRights, to path: String
  ) throws(Errno) {
    _ = try status(of: path, followingLinks: true)
  }

  func destination(ofLink path: String) throws(Errno) -> String {
    try state.withLock { state throws(Errno) in
      let node = try state.node(at: path, followingLinks: false)
      guard case .link(let destination) = state.image[node]?.content else {
        throw Errno(.EINVAL)
      }
      return destination
    }
  }

  func workingFolder() throws(Errno) -> String { "/" }

  func names(inFolder path: String) throws(Errno) -> [String] {
    try state.withLock { state throws(Errno) in
      let node = try state.node(at: path, followingLinks: true)
      guard case .folder(let entries) = state.image[node]?.content else {
        throw Errno(.ENOTDIR)
      }
      return Array(entries.keys)
    }
  }

  func attributeNames(of path: String) throws(Errno) -> [String] {
    try state.withLock { state throws(Errno) in
      let node = try state.node(at: path, followingLinks: true)
      return (state.image[node]?.attributes.keys).map(Array.init) ?? []
    }
  }

  func attribute(_ name: String, of path: String) throws(Errno) -> [UInt8]? {
    try state.withLock { state throws(Errno) in
      let node = try state.node(at: path, followingLinks: true)
      return state.image[node]?.attributes[name]
    }
  }

  func makeFolder(_ path: String, mode: mode_t) throws(Errno) {
    try state.withLock { state throws(Errno) in
      _ = try state.make(.folder([:]), mode: mode, at: path)
    }
  }

  func changeMode(of path: String, to mode: mode_t) throws(Errno) {
    try state.withLock { state throws(Errno) in
      let node = try state.node(at: path, followingLinks: true)
      try state.perform(.changeMode(node, to: mode), path)
    }
  }

  func move(_ path: String, to newPath: String) throws(Errno) {
    try state.withLock { state throws(Errno) in
      let image = state.image
      // The folders of both paths must exist before their names matter.
      let source = try image.look(up: path, followingLinks: false)
      let target = try image.look(up: newPath, followingLinks: false)
      guard let node = source.node else { throw Errno(.ENOENT) }
      if [source, target].contains(where: { $0.place.name == "." }) { throw Errno(.EBUSY) }
      if image.isFolder(node), image.isFolder(target.place.folder, inside: node) {
        throw Errno(.EINVAL)
      }
      if let old = target.node {
        if image.isFolder(old), old != node, image.isFolder(source.place.folder, inside: old) {
          throw Errno(.ENOTEMPTY)
        }
        // For two names of one file, nothing happens, and both stay.
        if old == node { return }
        switch (image.isFolder(node), image.isFolder(old)) {
        case (true, false): throw Errno(.ENOTDIR)
        case (false, true): throw Errno(.EISDIR)
        case (true, true):
          guard case .folder([:]) = image[old]?.content else { throw Errno(.ENOTEMPTY) }
        case (false, false): break
        }
      }
      try state.perform(.move(node, from: source.place, to: target.place), path, newPath)
    }
  }

  func exchange(_ path: String, _ otherPath: String) throws(Errno) {
    try state.withLock { state throws(Errno) in
      let image = state.image
      let one = try image.look(up: path, followingLinks: false)
      let other = try image.look(up: otherPath, followingLinks: false)
      guard let node = one.node, let otherNode = other.node else { throw Errno(.ENOENT) }
      if [one, other].contains(where: { $0.place.name == "." }) { throw Errno(.EBUSY) }
      if image.isFolder(node), image.isFolder(other.place.folder, inside: node) {
        throw Errno(.EINVAL)
      }
      if image.isFolder(otherNode), image.isFolder(one.place.folder, inside: otherNode) {
        throw Errno(.EINVAL)
      }
      if node == otherNode { return }
      try state.perform(
        .exchange(node, otherNode, at: one.place, other.place), path, otherPath)
    }
  }

  func addName(_ newPath: String, to path: String) throws(Errno) {
    try state.withLock { state throws(Errno) in
      let node = try state.node(at: path, followingLinks: false)
      let target = try state.image.look(up: newPath, followingLinks: false)
      if target.node != nil { throw Errno(.EEXIST) }
      if state.image.isFolder(node) { throw Errno(.EPERM) }
      try state.perform(.addName(node, at: target.place), path, newPath)
    }
  }

  func removeName(_ path: String) throws(Errno) {
    try state.withLock { state throws(Errno) in
      let found = try state.image.look(up: path, followingLinks: false)
      guard let node = found.node else { throw Errno(.ENOENT) }
      if state.image.isFolder(node) { throw Errno(.EISDIR) }
      try state.perform(.removeName(node, at: found.place), path)
    }
  }

  func open(
    _ path: String, _ use: FileUse
  ) throws(Errno) -> any OpenFile {
    let (node, opening) = try state.withLock { state throws(Errno) in
      let node: DiskImage.NodeID
      switch use {
      case .create: node = try state.make(.file([]), mode: 0o600, at: path)
      case .read: node = try state.node(at: path, followingLinks: true)
      case .readNoFollow, .update:
        node = try state.node(at: path, followingLinks: false)
        if case .link = state.image[node]?.content { throw Errno(.ELOOP) }
        if use == .update, state.image.isFolder(node) { throw Errno(.EISDIR) }
      case .folder:
        node = try state.node(at: path, followingLinks: true)
        if !state.image.isFolder(node) { throw Errno(.ENOTDIR) }
      }
      state.image.open(node)
      state.nextOpening += 1
      return (node, state.nextOpening)
    }
    let isWritable =
      switch use {
      case .create, .update: true
      case .read, .readNoFollow, .folder: false
      }
    return SimulatedFile(
      disk: self, node: node, opening: opening, path: path, isWritable: isWritable)
  }
}
