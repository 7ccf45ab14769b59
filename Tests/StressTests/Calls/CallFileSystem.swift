import Defaults
import Foundation

/// The file system of this machine, with a fault at one call.
///
/// Syncs are counted but not made, since there is no power loss here.
struct CallFileSystem: FileSystem {
  private let local = machineFileSystem
  let fault: FaultAtCall

  func status(
    of path: String, followingLinks: Bool
  ) throws(Errno) -> FileStatus {
    try fault.perform { () throws(Errno) in
      try local.status(of: path, followingLinks: followingLinks)
    }
  }

  func attributeNames(of path: String) throws(Errno) -> [String] {
    try fault.perform { () throws(Errno) in try local.attributeNames(of: path) }
  }

  func attribute(_ name: String, of path: String) throws(Errno) -> [UInt8]? {
    try fault.perform { () throws(Errno) in try local.attribute(name, of: path) }
  }

  func checkAccess(_ access: FileRights, to path: String) throws(Errno) {
    try fault.perform { () throws(Errno) in try local.checkAccess(access, to: path) }
  }

  func destination(ofLink path: String) throws(Errno) -> String {
    try fault.perform { () throws(Errno) in try local.destination(ofLink: path) }
  }

  func workingFolder() throws(Errno) -> String {
    try fault.perform { () throws(Errno) in try local.workingFolder() }
  }

  func names(inFolder path: String) throws(Errno) -> [String] {
    try fault.perform { () throws(Errno) in try local.names(inFolder: path) }
  }

  func makeFolder(_ path: String, mode: mode_t) throws(Errno) {
    try fault.perform { () throws(Errno) in try local.makeFolder(path, mode: mode) }
  }

  func changeMode(of path: String, to mode: mode_t) throws(Errno) {
    try fault.perform { () throws(Errno) in try local.changeMode(of: path, to: mode) }
  }

  func move(_ path: String, to newPath: String) throws(Errno) {
    try fault.perform { () throws(Errno) in try local.move(path, to: newPath) }
  }

  func exchange(_ path: String, _ otherPath: String) throws(Errno) {
    try fault.perform { () throws(Errno) in try local.exchange(path, otherPath) }
  }

  func addName(_ newPath: String, to path: String) throws(Errno) {
    try fault.perform { () throws(Errno) in try local.addName(newPath, to: path) }
  }

  func removeName(_ path: String) throws(Errno) {
    try fault.perform { () throws(Errno) in try local.removeName(path) }
  }

  func open(
    _ path: String, _ use: FileUse
  ) throws(Errno) -> any OpenFile {
    try fault.perform { () throws(Errno) -> any OpenFile in
      CallFile(file: try local.open(path, use), fault: fault)
    }
  }
}

/// An open file of a ``CallFileSystem``.
private final class CallFile: OpenFile {
  private let file: any OpenFile
  private let fault: FaultAtCall

  init(file: any OpenFile, fault: FaultAtCall) {
    self.file = file
    self.fault = fault
  }

  func status() throws(Errno) -> FileStatus {
    try fault.perform { () throws(Errno) in try file.status() }
  }

  func extent() throws(Errno) -> FileExtent {
    try fault.perform { () throws(Errno) in try file.extent() }
  }

  func read(
    into buffer: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(Errno) -> Int {
    try fault.perform { () throws(Errno) in try file.read(into: buffer, at: offset) }
  }

  func write(_ buffer: UnsafeRawBufferPointer, at offset: Int) throws(Errno) -> Int {
    try fault.write(buffer) { bytes throws(Errno) in try file.write(bytes, at: offset) }
  }

  func append(
    _ buffer: UnsafeRawBufferPointer, expectedAt offset: Int
  ) throws(Errno) -> Int {
    try fault.write(buffer) { bytes throws(Errno) in
      try file.append(bytes, expectedAt: offset)
    }
  }

  func truncate(to size: Int) throws(Errno) {
    try fault.perform { () throws(Errno) in try file.truncate(to: size) }
  }

  func synchronize() throws(Errno) {
    try fault.perform {}
  }

  func synchronizeContent() throws(Errno) {
    try fault.perform {}
  }

  func changeMode(to mode: mode_t) throws(Errno) {
    try fault.perform { () throws(Errno) in try file.changeMode(to: mode) }
  }

  func changeOwner(to owner: uid_t) throws(Errno) {
    try fault.perform { () throws(Errno) in try file.changeOwner(to: owner) }
  }

  func changeGroup(to group: gid_t) throws(Errno) {
    try fault.perform { () throws(Errno) in try file.changeGroup(to: group) }
  }

  func setModified(to time: FileTime) throws(Errno) {
    try fault.perform { () throws(Errno) in try file.setModified(to: time) }
  }

  func setAttribute(_ name: String, to value: [UInt8]?) throws(Errno) {
    try fault.perform { () throws(Errno) in try file.setAttribute(name, to: value) }
  }

  func tryLock() throws(Errno) -> Bool {
    try fault.perform { () throws(Errno) in try file.tryLock() }
  }

  func unlock() throws(Errno) {
    try fault.performSurely { () throws(Errno) in try file.unlock() }
  }
}
