import Defaults
import Foundation

/// The content of a simulated disk. Copies are cheap.
///
/// Names are compared as Swift strings, not by bytes.
struct DiskImage: Sendable {
  /// Identifies a file of a disk permanently, unlike its inode number.
  typealias NodeID = Int

  struct Node: Sendable {
    enum Content: Hashable, Sendable {
      case file([UInt8])
      case folder([String: NodeID])
      case link(String)
    }

    var content: Content
    let number: UInt64
    var mode: mode_t
    /// Stored without effect, like the mode.
    var attributes: [String: [UInt8]] = [:]
    var modified = 0
    var names = 0
    var openings = 0
  }

  static let root: NodeID = 0

  private(set) var nodes: [NodeID: Node] = [
    root: Node(content: .folder([:]), number: 2, mode: 0o700, names: 1)
  ]
  /// The time of the last operation.
  var clock = 0
  /// Greater than all assigned IDs.
  private(set) var nextNode = 1
  private var nextNumber: UInt64 = 11

  subscript(node: NodeID) -> Node? { nodes[node] }

  /// The file with a name, if there is one.
  subscript(place: DiskOperation.Place) -> NodeID? {
    guard case .folder(let entries) = nodes[place.folder]?.content else { return nil }
    return entries[place.name]
  }

  /// The inode number of a new file: the smallest free one, as in ext4, or a new one.
  func freshNumber(reusing: Bool) -> UInt64 {
    guard reusing else { return nextNumber }
    let taken = Set(nodes.values.map(\.number))
    var number: UInt64 = 11
    while taken.contains(number) { number += 1 }
    return number
  }

  /// Makes a change, or the part of it that survives a crash. Skips a change that is impossible
  /// because an earlier one didn't survive.
  mutating func apply(_ operation: DiskOperation, _ survival: DiskOperation.Survival = .whole) {
    clock = operation.time
    if case .make(let node, let new, _) = operation.kind {
      // Reserved even if it doesn't survive, so that no later file gets the same ID.
      nextNode = max(nextNode, node + 1)
      nextNumber = max(nextNumber, new.number + 1)
    }
    guard survival != .missing else { return }
    switch operation.kind {
    case .make(let node, let new, let place): make(node, new, at: place)
    case .write(let node, let bytes, let offset): write(bytes, at: offset, to: node, survival)
    case .truncate(let node, let size):
      change(node) { bytes in
        if size < bytes.count { bytes.removeSubrange(size...) }
        bytes += [UInt8](repeating: 0, count: size - bytes.count)
      }
    case .changeMode(let node, let mode):
      nodes[node]?.mode = mode
    case .setAttribute(let node, let name, let value):
      nodes[node]?.attributes[name] = value
    case .setModified(let node, let time):
      nodes[node]?.modified = time
    case .move(let node, let place, let newPlace):
      guard self[place] == node, self[newPlace] != node, isFolder(newPlace.folder) else { return }
      setEntry(newPlace, to: node)
      setEntry(place, to: nil)
    case .exchange(let node, let other, let place, let otherPlace):
      guard self[place] == node, self[otherPlace] == other else { return }
      exchange(node, other, at: place, otherPlace)
    case .addName(let node, let place):
      guard nodes[node] != nil, self[place] == nil else { return }
      setEntry(place, to: node)
    case .removeName(let node, let place):
      guard self[place] == node else { return }
      setEntry(place, to: nil)
    case .synchronize, .synchronizeContent, .failedSynchronize: break
    }
  }

  mutating func open(_ node: NodeID) {
    nodes[node]?.openings += 1
  }

  mutating func close(_ node: NodeID) {
    nodes[node]?.openings -= 1
    dropIfGone(node)
  }

  /// Ends all processes: closes all files, and removes those without a name.
  mutating func closeAll() {
    for node in nodes.keys {
      nodes[node]?.openings = 0
      dropIfGone(node)
    }
  }

  func isFolder(_ node: NodeID) -> Bool {
    if case .folder = nodes[node]?.content { true } else { false }
  }

  private mutating func make(_ node: NodeID, _ new: Node, at place: DiskOperation.Place) {
    guard isFolder(place.folder), self[place] == nil else { return }
    // The previous file with the inode number wasn't removed, so this one can't exist.
    guard !nodes.values.contains(where: { $0.number == new.number }) else { return }
    nodes[node] = new
    nodes[node]?.modified = clock
    setEntry(place, to: node)
  }

  private mutating func write(
    _ bytes: [UInt8], at offset: Int, to node: NodeID, _ survival: DiskOperation.Survival
  ) {
    change(node) { content in
      let size = content.count
      var bytes = bytes[...]
      if case .short(let count) = survival { bytes = bytes.prefix(count) }
      content += [UInt8](repeating: 0, count: max(0, offset + bytes.count - size))
      // Blocks that already were on the disk keep the old bytes instead.
      let old = content[offset..<offset + bytes.count]
      content.replaceSubrange(offset..<offset + bytes.count, with: bytes)
      guard case .zeroed(let range) = survival else { return }
      for position in range where position < bytes.count {
        let place = offset + position
        content[place] = place < size ? old[place] : 0
      }
    }
  }

  private mutating func change(_ node: NodeID, _ body: (inout [UInt8]) -> Void) {
    guard case .file(var bytes) = nodes[node]?.content else { return }
    body(&bytes)
    nodes[node]?.content = .file(bytes)
    nodes[node]?.modified = clock
  }

  /// Exchanges two files. Neither of them is without a name in between.
  private mutating func exchange(
    _ node: NodeID, _ other: NodeID, at place: DiskOperation.Place,
    _ otherPlace: DiskOperation.Place
  ) {
    for (node, place) in [(other, place), (node, otherPlace)] {
      guard case .folder(var entries) = nodes[place.folder]?.content else { continue }
      entries[place.name] = node
      nodes[place.folder]?.content = .folder(entries)
      nodes[place.folder]?.modified = clock
    }
  }

  private mutating func setEntry(_ place: DiskOperation.Place, to node: NodeID?) {
    guard case .folder(var entries) = nodes[place.folder]?.content else { return }
    let old = entries[place.name]
    entries[place.name] = node
    nodes[place.folder]?.content = .folder(entries)
    nodes[place.folder]?.modified = clock
    for (node, change) in [(node, 1), (old, -1)] {
      guard let node else { continue }
      nodes[node]?.names += change
    }
    // A rename removes its old name last, so that the file always has one.
    if let old { dropIfGone(old) }
  }

  private mutating func dropIfGone(_ node: NodeID) {
    guard let gone = nodes[node], gone.names == 0, gone.openings == 0 else { return }
    nodes[node] = nil
  }
}
