import Defaults
import Foundation

extension SimulatedDisk: FileSystem {
  func status(
    of path: String, followingLinks: Bool
  ) throws(POSIXError) -> FileStatus {
    try state.withLock { state throws(POSIXError) in
      try state.status(of: state.node(at: path, followingLinks: followingLinks))
    }
  }

  func statusIfPresent(of path: String, followingLinks: Bool) throws(POSIXError) -> FileStatus? {
    try state.withLock { state throws(POSIXError) in
      do throws(POSIXError) {
        let node = try state.image.look(up: path, followingLinks: followingLinks).node
        return try node.map { node throws(POSIXError) in try state.status(of: node) }
      } catch {
        guard error.code == .ENOENT else { throw error }
        return nil
      }
    }
  }

  func checkAccess(
    _ access: FileRights, to path: String
  ) throws(POSIXError) {
    _ = try status(of: path, followingLinks: true)
  }

  func destination(ofLink path: String) throws(POSIXError) -> String {
    try state.withLock { state throws(POSIXError) in
      let node = try state.node(at: path, followingLinks: false)
      guard case .link(let destination) = state.image[node]?.content else {
        throw POSIXError(.EINVAL)
      }
      return destination
    }
  }

  func workingFolder() throws(POSIXError) -> String { "/" }

  func names(inFolder path: String) throws(POSIXError) -> [String] {
    try state.withLock { state throws(POSIXError) in
      let node = try state.node(at: path, followingLinks: true)
      guard case .folder(let entries) = state.image[node]?.content else {
        throw POSIXError(.ENOTDIR)
      }
      return Array(entries.keys)
    }
  }

  func attributeNames(of path: String) throws(POSIXError) -> [String] {
    try state.withLock { state throws(POSIXError) in
      let node = try state.node(at: path, followingLinks: true)
      return (state.image[node]?.attributes.keys).map(Array.init) ?? []
    }
  }

  func attribute(_ name: String, of path: String) throws(POSIXError) -> [UInt8]? {
    try state.withLock { state throws(POSIXError) in
      let node = try state.node(at: path, followingLinks: true)
      return state.image[node]?.attributes[name]
    }
  }

  func makeFolder(_ path: String, mode: mode_t) throws(POSIXError) {
    try state.withLock { state throws(POSIXError) in
      _ = try state.make(.folder([:]), mode: mode, at: path)
    }
  }

  func changeMode(of path: String, to mode: mode_t) throws(POSIXError) {
    try state.withLock { state throws(POSIXError) in
      let node = try state.node(at: path, followingLinks: true)
      try state.perform(.changeMode(node, to: mode), path)
    }
  }

  func move(_ path: String, to newPath: String) throws(POSIXError) {
    try state.withLock { state throws(POSIXError) in
      let image = state.image
      // The folders of both paths must exist before their names matter.
      let source = try image.look(up: path, followingLinks: false)
      let target = try image.look(up: newPath, followingLinks: false)
      guard let node = source.node else { throw POSIXError(.ENOENT) }
      if [source, target].contains(where: { $0.place.name == "." }) { throw POSIXError(.EBUSY) }
      if image.isFolder(node), image.isFolder(target.place.folder, inside: node) {
        throw POSIXError(.EINVAL)
      }
      if let old = target.node {
        if image.isFolder(old), old != node, image.isFolder(source.place.folder, inside: old) {
          throw POSIXError(.ENOTEMPTY)
        }
        // For two names of one file, nothing happens, and both stay.
        if old == node { return }
        switch (image.isFolder(node), image.isFolder(old)) {
        case (true, false): throw POSIXError(.ENOTDIR)
        case (false, true): throw POSIXError(.EISDIR)
        case (true, true):
          guard case .folder([:]) = image[old]?.content else { throw POSIXError(.ENOTEMPTY) }
        case (false, false): break
        }
      }
      try state.perform(.move(node, from: source.place, to: target.place), path, newPath)
    }
  }

  func exchange(_ path: String, _ otherPath: String) throws(POSIXError) {
    try state.withLock { state throws(POSIXError) in
      let image = state.image
      let one = try image.look(up: path, followingLinks: false)
      let other = try image.look(up: otherPath, followingLinks: false)
      guard let node = one.node, let otherNode = other.node else { throw POSIXError(.ENOENT) }
      if [one, other].contains(where: { $0.place.name == "." }) { throw POSIXError(.EBUSY) }
      if image.isFolder(node), image.isFolder(other.place.folder, inside: node) {
        throw POSIXError(.EINVAL)
      }
      if image.isFolder(otherNode), image.isFolder(one.place.folder, inside: otherNode) {
        throw POSIXError(.EINVAL)
      }
      if node == otherNode { return }
      try state.perform(
        .exchange(node, otherNode, at: one.place, other.place), path, otherPath)
    }
  }

  func addName(_ newPath: String, to path: String) throws(POSIXError) {
    try state.withLock { state throws(POSIXError) in
      let node = try state.node(at: path, followingLinks: false)
      let target = try state.image.look(up: newPath, followingLinks: false)
      if target.node != nil { throw POSIXError(.EEXIST) }
      if state.image.isFolder(node) { throw POSIXError(.EPERM) }
      try state.perform(.addName(node, at: target.place), path, newPath)
    }
  }

  func removeName(_ path: String) throws(POSIXError) {
    try state.withLock { state throws(POSIXError) in
      let found = try state.image.look(up: path, followingLinks: false)
      guard let node = found.node else { throw POSIXError(.ENOENT) }
      if state.image.isFolder(node) { throw POSIXError(.EISDIR) }
      try state.perform(.removeName(node, at: found.place), path)
    }
  }

  func open(
    _ path: String, _ use: FileUse
  ) throws(POSIXError) -> any OpenFile {
    let (node, opening) = try state.withLock { state throws(POSIXError) in
      let node: DiskImage.NodeID
      switch use {
      case .create: node = try state.make(.file([]), mode: 0o600, at: path)
      case .read: node = try state.node(at: path, followingLinks: true)
      case .readNoFollow, .update:
        node = try state.node(at: path, followingLinks: false)
        if case .link = state.image[node]?.content { throw POSIXError(.ELOOP) }
        if use == .update, state.image.isFolder(node) { throw POSIXError(.EISDIR) }
      case .folder:
        node = try state.node(at: path, followingLinks: true)
        if !state.image.isFolder(node) { throw POSIXError(.ENOTDIR) }
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
