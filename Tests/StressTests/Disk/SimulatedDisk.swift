import Defaults
import Foundation
import Synchronization

/// A file system in memory that records each change, to build the states that a crash can leave.
///
/// It behaves like a local file system of Linux: hard and symbolic links, reused inode numbers,
/// files that exist while they are open, one lock per opening. Permissions have no effect.
final class SimulatedDisk: Sendable {
  /// The result of an operation.
  enum Outcome: Sendable {
    case success
    /// The operation has no effect. After a failed sync, its changes never count as durable.
    case failure(POSIXError.Code)
    /// The operation has no effect, but appears to succeed: a missing sync, or a disk that lies.
    case pretence
    /// A write writes only some bytes.
    case short(Int)
  }

  struct State: Sendable {
    var image: DiskImage
    var log: [DiskOperation] = []
    /// The openings that hold the locks of files.
    var holders: [DiskImage.NodeID: Int] = [:]
    var nextOpening = 0
    var outcome: (@Sendable (DiskOperation) -> Outcome)?
    var interruption: (@Sendable (String) -> Void)?
    var pretendsLocks = false
    let reusesNumbers: Bool
    let operationsPerTick: Int
    var operations = 0
  }

  let state: Mutex<State>

  /// Creates a disk with the content of an image. `operationsPerTick` consecutive operations have
  /// the same time, as with a coarse clock. With `reusesNumbers`, a new file gets the inode number
  /// of a removed one.
  init(
    _ image: DiskImage = DiskImage(), reusesNumbers: Bool = true, operationsPerTick: Int = 1
  ) {
    var image = image
    image.closeAll()
    state = Mutex(
      State(image: image, reusesNumbers: reusesNumbers, operationsPerTick: operationsPerTick))
  }

  /// The current content.
  var image: DiskImage { state.withLock { $0.image } }
  /// All operations except failed ones.
  var log: [DiskOperation] { state.withLock { $0.log } }

  /// Sets a closure that decides the result of each further operation. It must not use the disk.
  func decide(_ outcome: (@Sendable (DiskOperation) -> Outcome)?) {
    state.withLock { $0.outcome = outcome }
  }

  /// Sets a closure that runs before each further sync, with the synced path, to act in the middle
  /// of another operation. It isn't called for its own syncs.
  func interrupt(_ body: (@Sendable (String) -> Void)?) {
    state.withLock { $0.interruption = body }
  }

  /// Grants every further lock to every caller, like a disk without working locks.
  func pretendLocks() {
    state.withLock { $0.pretendsLocks = true }
  }

  /// Advances the disk's clock, which never goes back.
  func advanceClock(to time: Int) {
    state.withLock { $0.image.clock = max($0.image.clock, time) }
  }

  /// A time in nanoseconds of the disk's clock.
  static func time(of time: FileTime) -> Int {
    (time.seconds - 1_800_000_000) * 1_000_000_000 + time.nanoseconds
  }

  /// Creates a symbolic link.
  func makeLink(_ path: String, to destination: String) throws(Errno) {
    try state.withLock { state throws(Errno) in
      _ = try state.make(.link(destination), mode: 0o777, at: path)
    }
  }
}

extension SimulatedDisk.State {
  /// Does and records an operation, unless it fails. Returns the number of written bytes.
  @discardableResult
  mutating func perform(
    _ kind: DiskOperation.Kind, _ path: String, _ newPath: String = ""
  ) throws(Errno) -> Int {
    operations += 1
    let time = operations % operationsPerTick == 0 ? image.clock + operationsPerTick : image.clock
    var operation = DiskOperation(kind: kind, time: time, path: path, newPath: newPath)
    var count = 0
    if case .write(_, let bytes, _) = kind { count = bytes.count }
    switch outcome?(operation) ?? .success {
    case .success: break
    case .pretence: return count
    case .failure(let code):
      switch kind {
      case .synchronize(let node), .synchronizeContent(let node):
        log.append(DiskOperation(kind: .failedSynchronize(node), time: time, path: path))
      default: break
      }
      throw Errno(code)
    case .short(let limit):
      guard case .write(let node, let bytes, let offset) = kind else { break }
      count = min(limit, bytes.count)
      operation = DiskOperation(
        kind: .write(node, Array(bytes.prefix(count)), at: offset), time: time, path: path)
    }
    image.apply(operation)
    log.append(operation)
    return count
  }

  /// Creates a file, folder or link.
  mutating func make(
    _ content: DiskImage.Node.Content, mode: mode_t, at path: String
  ) throws(Errno) -> DiskImage.NodeID {
    let found = try image.look(up: path, followingLinks: false)
    guard found.node == nil else { throw Errno(.EEXIST) }
    let id = image.nextNode
    let node = DiskImage.Node(
      content: content, number: image.freshNumber(reusing: reusesNumbers), mode: mode)
    try perform(.make(id, node, at: found.place), path)
    return id
  }

  /// The file at a path. Throws if there is none.
  func node(
    at path: String, followingLinks: Bool
  ) throws(Errno) -> DiskImage.NodeID {
    guard let node = try image.look(up: path, followingLinks: followingLinks).node else {
      throw Errno(.ENOENT)
    }
    return node
  }

  /// The status of a file with or without a name.
  func status(of id: DiskImage.NodeID) throws(Errno) -> FileStatus {
    guard let node = image[id] else { throw Errno(.ENOENT) }
    let (kind, size): (FileStatus.Kind, Int) =
      switch node.content {
      case .file(let bytes): (.file, bytes.count)
      case .folder: (.folder, 4096)
      case .link(let destination): (.link, destination.utf8.count)
      }
    return FileStatus(
      kind: kind, mode: node.mode, owner: geteuid(), group: getegid(),
      version: FileVersion(
        device: 1, inode: node.number, size: size, modified: Self.fileTime(node.modified)),
      names: node.names)
  }

  private static func fileTime(_ time: Int) -> FileTime {
    // Before the clock's origin, the nanoseconds count up from the previous second.
    let (seconds, rest) = time.quotientAndRemainder(dividingBy: 1_000_000_000)
    return FileTime(
      seconds: 1_800_000_000 + (rest < 0 ? seconds - 1 : seconds),
      nanoseconds: rest < 0 ? rest + 1_000_000_000 : rest)
  }
}
