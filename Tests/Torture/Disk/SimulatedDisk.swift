import Defaults
import Foundation
import Synchronization

/// A file system in memory that notes each change, so that the states can be built which a crash
/// would have left.
///
/// It behaves as a local file system of Linux does: hard and symbolic links, inode numbers that are
/// used again, files that stay while they are open, one lock per opening. Permissions are kept and
/// ignored.
final class SimulatedDisk: Sendable {
  /// What becomes of an operation.
  enum Outcome: Sendable {
    case success
    /// Nothing is done; after a sync that fails, what it was for is never known to be on the disk.
    case failure(POSIXError.Code)
    /// Nothing is done, and the caller isn't told: a sync that was left out, or a disk that lies.
    case pretence
    /// A write does so many bytes.
    case short(Int)
  }

  struct State: Sendable {
    var image: DiskImage
    var log: [DiskOperation] = []
    /// Who has the lock of a file.
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

  /// A disk that holds the image. Times have the same value for so many operations in a row, as
  /// those of a file system with a coarse clock; `reusesNumbers`: whether a new file gets the inode
  /// number of one that is gone.
  init(
    _ image: DiskImage = DiskImage(), reusesNumbers: Bool = true, operationsPerTick: Int = 1
  ) {
    var image = image
    image.closeAll()
    state = Mutex(
      State(image: image, reusesNumbers: reusesNumbers, operationsPerTick: operationsPerTick))
  }

  /// What is on it now.
  var image: DiskImage { state.withLock { $0.image } }
  /// Everything that was done, failures left out.
  var log: [DiskOperation] { state.withLock { $0.log } }

  /// Decides from now on what becomes of each operation; it must not use the disk.
  func decide(_ outcome: (@Sendable (DiskOperation) -> Outcome)?) {
    state.withLock { $0.outcome = outcome }
  }

  /// Runs a body from now on before each sync, with the path of what is synced, to let something
  /// happen in the middle of something else. It isn't run for the syncs that it makes itself.
  func interrupt(_ body: (@Sendable (String) -> Void)?) {
    state.withLock { $0.interruption = body }
  }

  /// Lets everybody have every lock from now on, as a disk on which locks don't work.
  func pretendLocks() {
    state.withLock { $0.pretendsLocks = true }
  }

  /// Sets the disk's clock, which never goes back.
  func advanceClock(to time: Int) {
    state.withLock { $0.image.clock = max($0.image.clock, time) }
  }

  /// A time, in nanoseconds of the disk's clock.
  static func time(of time: FileTime) -> Int {
    (time.seconds - 1_800_000_000) * 1_000_000_000 + time.nanoseconds
  }

  /// Makes a symbolic link.
  func makeLink(_ path: String, to destination: String) throws(POSIXError) {
    try state.withLock { state throws(POSIXError) in
      _ = try state.make(.link(destination), mode: 0o777, at: path)
    }
  }
}

extension SimulatedDisk.State {
  /// Does an operation and notes it, unless it is made to fail. Returns how many bytes a write did.
  @discardableResult
  mutating func perform(
    _ kind: DiskOperation.Kind, _ path: String, _ newPath: String = ""
  ) throws(POSIXError) -> Int {
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
      throw POSIXError(code)
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

  /// Makes something new.
  mutating func make(
    _ content: DiskImage.Node.Content, mode: mode_t, at path: String
  ) throws(POSIXError) -> DiskImage.NodeID {
    let found = try image.look(up: path, followingLinks: false)
    guard found.node == nil else { throw POSIXError(.EEXIST) }
    let id = image.nextNode
    let node = DiskImage.Node(
      content: content, number: image.freshNumber(reusing: reusesNumbers), mode: mode)
    try perform(.make(id, node, at: found.place), path)
    return id
  }

  /// What a path leads to; throws if nothing stands there.
  func node(
    at path: String, followingLinks: Bool
  ) throws(POSIXError) -> DiskImage.NodeID {
    guard let node = try image.look(up: path, followingLinks: followingLinks).node else {
      throw POSIXError(.ENOENT)
    }
    return node
  }

  /// The status of a file, whether it has a name or not.
  func status(of id: DiskImage.NodeID) throws(POSIXError) -> FileStatus {
    guard let node = image[id] else { throw POSIXError(.ENOENT) }
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
      changed: Self.fileTime(node.changed), names: node.names)
  }

  private static func fileTime(_ time: Int) -> FileTime {
    // Before the disk's clock began, the nanoseconds count up from the second before.
    let (seconds, rest) = time.quotientAndRemainder(dividingBy: 1_000_000_000)
    return FileTime(
      seconds: 1_800_000_000 + (rest < 0 ? seconds - 1 : seconds),
      nanoseconds: rest < 0 ? rest + 1_000_000_000 : rest)
  }
}
