import Foundation
import TestSupport

@testable import Defaults

/// This machine's disk with faults: calls that fail, and writes that stop early.
///
/// Syncing is counted but not done, since no test cuts the power.
final class FaultyFileSystem: FileSystem {
  /// The operation of a call.
  enum Operation: Sendable, CaseIterable {
    case status, access, destination, workingFolder, names, makeFolder, changeMode, move, exchange
    case addName, removeName, open, create, read, write, truncate, synchronize, changeOwner, lock
    case attribute, changeAttribute

    /// Whether a full disk can reject the operation.
    var takesRoom: Bool {
      switch self {
      case .makeFolder, .move, .exchange, .addName, .create, .write, .synchronize, .changeAttribute:
        true
      default: false
      }
    }
  }

  /// One call, with its position in the order of all calls.
  struct Call: Sendable {
    let operation: Operation
    let path: String
    let number: Int
  }

  private struct State {
    var count = 0
    var failure: (code: POSIXErrorCode, concerns: @Sendable (Call) -> Bool)?
    var longestWrite = Int.max
    var hasWholeSeconds = false
    var delay: (@Sendable (Call) -> Void)?
    var assigned: (owner: uid_t, mode: mode_t)?
  }

  private let local = LocalFileSystem()
  // Not `Mutex`, which the thread sanitizer doesn't support.
  private let state = Lock(State())

  /// The number of calls so far.
  var count: Int { state.withLock { $0.count } }

  /// Makes calls fail from now on.
  func fail(
    with code: POSIXErrorCode, where concerns: @escaping @Sendable (Call) -> Bool = { _ in true }
  ) {
    state.withLock { $0.failure = (code, concerns) }
  }

  /// Makes openings of a file for writing fail. Each is followed by an opening for reading, which
  /// succeeds.
  func rejectWriting(of path: String, with code: POSIXErrorCode) {
    let openings = Log<Void>()
    fail(with: code) { call in
      guard call.operation == .open, call.path == path else { return false }
      openings.append(())
      return openings.count % 2 == 1
    }
  }

  /// Ends all failures.
  func heal() {
    state.withLock { $0.failure = nil }
  }

  /// Limits every write to this number of bytes.
  func limitWrites(to count: Int) {
    state.withLock { $0.longestWrite = count }
  }

  /// Makes the times of files as coarse as on some disks.
  func setWholeSeconds() {
    state.withLock { $0.hasWholeSeconds = true }
  }

  /// Calls the closure before every call, which waits until it returns.
  func delay(by delay: @escaping @Sendable (Call) -> Void) {
    state.withLock { $0.delay = delay }
  }

  /// Gives all files and folders this owner and mode, which can't be changed, like FAT.
  func assign(owner: uid_t, mode: mode_t) {
    state.withLock { $0.assigned = (owner, mode) }
    fail(with: .EPERM) { [.changeMode, .changeOwner, .addName].contains($0.operation) }
  }

  /// Returns a status as the disk reports it.
  fileprivate func reported(_ status: FileStatus) -> FileStatus {
    let (assigned, hasWholeSeconds) = state.withLock { ($0.assigned, $0.hasWholeSeconds) }
    let version = status.version
    let nanoseconds = hasWholeSeconds ? 0 : version.modified.nanoseconds
    return FileStatus(
      kind: status.kind, mode: assigned?.mode ?? status.mode,
      owner: assigned?.owner ?? status.owner, group: status.group,
      version: FileVersion(
        device: version.device, inode: version.inode, size: version.size,
        modified: FileTime(seconds: version.modified.seconds, nanoseconds: nanoseconds)),
      names: status.names)
  }

  fileprivate var longestWrite: Int { state.withLock { $0.longestWrite } }

  /// Counts a call; throws if it must fail.
  fileprivate func call(_ operation: Operation, _ path: String) throws(Errno) {
    let (call, delay, code) = state.withLock { state in
      state.count += 1
      let call = Call(operation: operation, path: path, number: state.count)
      let concerns = state.failure?.concerns(call) ?? false
      return (call, state.delay, concerns ? state.failure?.code : nil)
    }
    delay?(call)
    if let code { throw Errno(code) }
  }
}

extension FaultyFileSystem {
  func status(
    of path: String, followingLinks: Bool
  ) throws(Errno) -> FileStatus {
    try call(.status, path)
    return reported(try local.status(of: path, followingLinks: followingLinks))
  }

  func attributeNames(of path: String) throws(Errno) -> [String] {
    try call(.attribute, path)
    return try local.attributeNames(of: path)
  }

  func attribute(_ name: String, of path: String) throws(Errno) -> [UInt8]? {
    try call(.attribute, path)
    return try local.attribute(name, of: path)
  }

  func checkAccess(_ access: FileRights, to path: String) throws(Errno) {
    try call(.access, path)
    try local.checkAccess(access, to: path)
  }

  func destination(ofLink path: String) throws(Errno) -> String {
    try call(.destination, path)
    return try local.destination(ofLink: path)
  }

  func workingFolder() throws(Errno) -> String {
    try call(.workingFolder, ".")
    return try local.workingFolder()
  }

  func names(inFolder path: String) throws(Errno) -> [String] {
    try call(.names, path)
    return try local.names(inFolder: path)
  }

  func makeFolder(_ path: String, mode: mode_t) throws(Errno) {
    try call(.makeFolder, path)
    try local.makeFolder(path, mode: mode)
  }

  func changeMode(of path: String, to mode: mode_t) throws(Errno) {
    try call(.changeMode, path)
    try local.changeMode(of: path, to: mode)
  }

  func move(_ path: String, to newPath: String) throws(Errno) {
    try call(.move, newPath)
    try local.move(path, to: newPath)
  }

  func exchange(_ path: String, _ otherPath: String) throws(Errno) {
    try call(.exchange, otherPath)
    try local.exchange(path, otherPath)
  }

  func addName(_ newPath: String, to path: String) throws(Errno) {
    try call(.addName, newPath)
    try local.addName(newPath, to: path)
  }

  func removeName(_ path: String) throws(Errno) {
    try call(.removeName, path)
    try local.removeName(path)
  }

  func open(_ path: String, _ use: FileUse) throws(Errno) -> any OpenFile {
    try call(use == .create ? .create : .open, path)
    return FaultyFile(try local.open(path, use), path: path, on: self)
  }
}

/// An open file of a disk with faults.
private final class FaultyFile: OpenFile {
  private let file: any OpenFile
  private let path: String
  private let disk: FaultyFileSystem

  init(_ file: any OpenFile, path: String, on disk: FaultyFileSystem) {
    self.file = file
    self.path = path
    self.disk = disk
  }

  deinit {
    // Closing unlocks the file only when no other process has the open file; a child that another
    // test is just starting has all open files of this process until it runs its program.
    try? file.unlock()
  }

  func status() throws(Errno) -> FileStatus {
    try disk.call(.status, path)
    return disk.reported(try file.status())
  }

  func read(
    into buffer: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(Errno) -> Int {
    try disk.call(.read, path)
    return try file.read(into: buffer, at: offset)
  }

  func write(_ buffer: UnsafeRawBufferPointer, at offset: Int) throws(Errno) -> Int {
    try disk.call(.write, path)
    let bytes = UnsafeRawBufferPointer(rebasing: buffer.prefix(disk.longestWrite))
    return try file.write(bytes, at: offset)
  }

  func append(
    _ buffer: UnsafeRawBufferPointer, expectedAt offset: Int
  ) throws(Errno) -> Int {
    try disk.call(.write, path)
    let bytes = UnsafeRawBufferPointer(rebasing: buffer.prefix(disk.longestWrite))
    return try file.append(bytes, expectedAt: offset)
  }

  func truncate(to size: Int) throws(Errno) {
    try disk.call(.truncate, path)
    try file.truncate(to: size)
  }

  func synchronize() throws(Errno) {
    try disk.call(.synchronize, path)
  }

  func synchronizeContent() throws(Errno) {
    try disk.call(.synchronize, path)
  }

  func changeMode(to mode: mode_t) throws(Errno) {
    try disk.call(.changeMode, path)
    try file.changeMode(to: mode)
  }

  func changeOwner(to owner: uid_t) throws(Errno) {
    try disk.call(.changeOwner, path)
    try file.changeOwner(to: owner)
  }

  func changeGroup(to group: gid_t) throws(Errno) {
    try disk.call(.changeOwner, path)
    try file.changeGroup(to: group)
  }

  func setModified(to time: FileTime) throws(Errno) {
    try disk.call(.changeAttribute, path)
    try file.setModified(to: time)
  }

  func setAttribute(_ name: String, to value: [UInt8]?) throws(Errno) {
    try disk.call(.changeAttribute, path)
    try file.setAttribute(name, to: value)
  }

  func tryLock() throws(Errno) -> Bool {
    try disk.call(.lock, path)
    return try file.tryLock()
  }

  func unlock() throws(Errno) {
    // Never fails: the system unlocks without the disk, also for a process that is killed.
    try file.unlock()
  }
}
