import Defaults
import Foundation

/// A change of a disk, or a wait for the disk.
struct DiskOperation: Sendable {
  /// A name in a folder.
  struct Place: Hashable, Sendable {
    let folder: DiskImage.NodeID
    let name: String
  }

  enum Kind: Sendable {
    /// Creates a file, folder or symbolic link.
    case make(DiskImage.NodeID, DiskImage.Node, at: Place)
    case write(DiskImage.NodeID, [UInt8], at: Int)
    case truncate(DiskImage.NodeID, to: Int)
    case changeMode(DiskImage.NodeID, to: mode_t)
    case setAttribute(DiskImage.NodeID, String, to: [UInt8]?)
    /// The time of the last modification, in nanoseconds of the disk's clock.
    case setModified(DiskImage.NodeID, to: Int)
    case move(DiskImage.NodeID, from: Place, to: Place)
    /// Two files exchange their names.
    case exchange(DiskImage.NodeID, DiskImage.NodeID, at: Place, Place)
    case addName(DiskImage.NodeID, at: Place)
    case removeName(DiskImage.NodeID, at: Place)
    /// Syncs the content and attributes of a file, or the names in a folder.
    case synchronize(DiskImage.NodeID)
    /// Syncs the content and size of a file.
    case synchronizeContent(DiskImage.NodeID)
    /// A failed sync. The system discards what it couldn't write, so a later successful sync
    /// doesn't cover it.
    case failedSynchronize(DiskImage.NodeID)
  }

  /// The part of an operation that survives a crash.
  enum Survival: Hashable, Sendable {
    case whole
    case missing
    /// The first bytes of a write; the file ends after them.
    case short(Int)
    /// A write with the full size, but zeros in this range where the file was extended.
    case zeroed(Range<Int>)
  }

  let kind: Kind
  /// The time of the operation, in nanoseconds of the disk's clock.
  let time: Int
  /// The path that was passed, or under which the file was opened.
  let path: String
  /// The second path of a call with two.
  var newPath = ""

  /// Whether it changes names in a folder.
  var isChangeOfNames: Bool {
    switch kind {
    case .make, .move, .exchange, .addName, .removeName: true
    default: false
    }
  }

  /// Whether a crash can undo it before a sync.
  var isChange: Bool {
    switch kind {
    case .synchronize, .synchronizeContent, .failedSynchronize: false
    default: true
    }
  }
}

extension DiskOperation: CustomStringConvertible {
  var description: String {
    switch kind {
    case .make(_, let node, _):
      switch node.content {
      case .file: "create \(path)"
      case .folder: "make folder \(path)"
      case .link(let destination): "link \(path) -> \(destination)"
      }
    case .write(_, let bytes, let offset): "write \(bytes.count) bytes at \(offset) of \(path)"
    case .truncate(_, let size): "truncate \(path) to \(size)"
    case .changeMode(_, let mode): "change mode of \(path) to \(String(mode, radix: 8))"
    case .setAttribute(_, let name, let value):
      "\(value == nil ? "remove" : "set") attribute \(name) of \(path)"
    case .setModified: "set the time of \(path)"
    case .move: "rename \(path) to \(newPath)"
    case .exchange: "exchange \(path) and \(newPath)"
    case .addName: "link \(path) to \(newPath)"
    case .removeName: "remove \(path)"
    case .synchronize: "sync \(path)"
    case .synchronizeContent: "sync the content of \(path)"
    case .failedSynchronize: "sync \(path), which failed"
    }
  }
}
