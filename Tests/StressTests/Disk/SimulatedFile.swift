import Defaults
import Foundation

/// An open file or folder of a simulated disk.
final class SimulatedFile: OpenFile {
  private let disk: SimulatedDisk
  private let node: DiskImage.NodeID
  private let opening: Int
  private let path: String
  private let isWritable: Bool

  init(
    disk: SimulatedDisk, node: DiskImage.NodeID, opening: Int, path: String, isWritable: Bool
  ) {
    self.disk = disk
    self.node = node
    self.opening = opening
    self.path = path
    self.isWritable = isWritable
  }

  deinit {
    disk.state.withLock { state in
      if state.holders[node] == opening { state.holders[node] = nil }
      state.image.close(node)
    }
  }

  func status() throws(Errno) -> FileStatus {
    try disk.state.withLock { state throws(Errno) in try state.status(of: node) }
  }

  func read(
    into buffer: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(Errno) -> Int {
    let content = disk.state.withLock { $0.image[node]?.content }
    guard case .file(let bytes) = content else { throw Errno(.EISDIR) }
    let part = bytes.dropFirst(offset).prefix(buffer.count)
    buffer.copyBytes(from: part)
    return part.count
  }

  func write(_ buffer: UnsafeRawBufferPointer, at offset: Int) throws(Errno) -> Int {
    guard isWritable else { throw Errno(.EBADF) }
    if buffer.isEmpty { return 0 }
    let bytes = Array(buffer)
    return try perform(.write(node, bytes, at: offset))
  }

  func append(
    _ buffer: UnsafeRawBufferPointer, expectedAt offset: Int
  ) throws(Errno) -> Int {
    guard isWritable else { throw Errno(.EBADF) }
    if buffer.isEmpty { return 0 }
    let bytes = Array(buffer)
    return try disk.state.withLock { state throws(Errno) in
      let end = try state.status(of: node).version.size
      return try state.perform(.write(node, bytes, at: end), path)
    }
  }

  func truncate(to size: Int) throws(Errno) {
    guard isWritable, size >= 0 else { throw Errno(.EINVAL) }
    try perform(.truncate(node, to: size))
  }

  func synchronize() throws(Errno) {
    interrupt()
    try perform(.synchronize(node))
  }

  func synchronizeContent() throws(Errno) {
    interrupt()
    try perform(.synchronizeContent(node))
  }

  func changeMode(to mode: mode_t) throws(Errno) {
    try perform(.changeMode(node, to: mode))
  }

  func setAttribute(_ name: String, to value: [UInt8]?) throws(Errno) {
    try disk.state.withLock { state throws(Errno) in
      if value == nil, state.image[node]?.attributes[name] == nil { throw Errno(.ENODATA) }
      try state.perform(.setAttribute(node, name, to: value), path)
    }
  }

  func setModified(to time: FileTime) throws(Errno) {
    try perform(.setModified(node, to: SimulatedDisk.time(of: time)))
  }

  /// Whether no opening holds the lock.
  var isLockFree: Bool { disk.state.withLock { $0.holders[node] == nil } }

  /// Everything belongs to the user.
  func changeOwner(to owner: uid_t) throws(Errno) {}

  func changeGroup(to group: gid_t) throws(Errno) {}

  func tryLock() throws(Errno) -> Bool {
    disk.state.withLock { state in
      if state.pretendsLocks { return true }
      guard state.holders[node] ?? opening == opening else { return false }
      state.holders[node] = opening
      return true
    }
  }

  func unlock() throws(Errno) {
    disk.state.withLock { state in
      if state.holders[node] == opening { state.holders[node] = nil }
    }
  }

  private func interrupt() {
    guard let body = disk.state.withLock({ $0.interruption }) else { return }
    disk.interrupt(nil)
    body(path)
    disk.state.withLock { $0.interruption = $0.interruption ?? body }
  }

  @discardableResult
  private func perform(_ kind: DiskOperation.Kind) throws(Errno) -> Int {
    try disk.state.withLock { state throws(Errno) in try state.perform(kind, path) }
  }
}
