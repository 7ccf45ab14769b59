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
  ) throws(POSIXError) -> FileStatus {
    try fault.perform { () throws(POSIXError) in
      try local.status(of: path, followingLinks: followingLinks)
    }
  }

  func attributeNames(of path: String) throws(POSIXError) -> [String] {
    try fault.perform { () throws(POSIXError) in try local.attributeNames(of: path) }
  }

  func attribute(_ name: String, of path: String) throws(POSIXError) -> [UInt8]? {
    try fault.perform { () throws(POSIXError) in try local.attribute(name, of: path) }
  }

  func checkAccess(_ access: FileRights, to path: String) throws(POSIXError) {
    try fault.perform { () throws(POSIXError) in try local.checkAccess(access, to: path) }
  }

  func destination(ofLink path: String) throws(POSIXError) -> String {
    try fault.perform { () throws(POSIXError) in try local.destination(ofLink: path) }
  }

  func workingFolder() throws(POSIXError) -> String {
    try fault.perform { () throws(POSIXError) in try local.workingFolder() }
  }

  func names(inFolder path: String) throws(POSIXError) -> [String] {
    try fault.perform { () throws(POSIXError) in try local.names(inFolder: path) }
  }

  func makeFolder(_ path: String, mode: mode_t) throws(POSIXError) {
    try fault.perform { () throws(POSIXError) in try local.makeFolder(path, mode: mode) }
  }

  func changeMode(of path: String, to mode: mode_t) throws(POSIXError) {
    try fault.perform { () throws(POSIXError) in try local.changeMode(of: path, to: mode) }
  }

  func move(_ path: String, to newPath: String) throws(POSIXError) {
    try fault.perform { () throws(POSIXError) in try local.move(path, to: newPath) }
  }

  func exchange(_ path: String, _ otherPath: String) throws(POSIXError) {
    try fault.perform { () throws(POSIXError) in try local.exchange(path, otherPath) }
  }

  func addName(_ newPath: String, to path: String) throws(POSIXError) {
    try fault.perform { () throws(POSIXError) in try local.addName(newPath, to: path) }
  }

  func removeName(_ path: String) throws(POSIXError) {
    try fault.perform { () throws(POSIXError) in try local.removeName(path) }
  }

  func open(
    _ path: String, _ use: FileUse
  ) throws(POSIXError) -> any OpenFile {
    try fault.perform { () throws(POSIXError) -> any OpenFile in
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

  func status() throws(POSIXError) -> FileStatus {
    try fault.perform { () throws(POSIXError) in try file.status() }
  }

  func extent() throws(POSIXError) -> FileExtent {
    try fault.perform { () throws(POSIXError) in try file.extent() }
  }

  func read(
    into buffer: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(POSIXError) -> Int {
    try fault.perform { () throws(POSIXError) in try file.read(into: buffer, at: offset) }
  }

  func write(_ buffer: UnsafeRawBufferPointer, at offset: Int) throws(POSIXError) -> Int {
    try fault.write(buffer) { bytes throws(POSIXError) in try file.write(bytes, at: offset) }
  }

  func truncate(to size: Int) throws(POSIXError) {
    try fault.perform { () throws(POSIXError) in try file.truncate(to: size) }
  }

  func synchronize() throws(POSIXError) {
    try fault.perform {}
  }

  func synchronizeContent() throws(POSIXError) {
    try fault.perform {}
  }

  func changeMode(to mode: mode_t) throws(POSIXError) {
    try fault.perform { () throws(POSIXError) in try file.changeMode(to: mode) }
  }

  func changeOwner(to owner: uid_t) throws(POSIXError) {
    try fault.perform { () throws(POSIXError) in try file.changeOwner(to: owner) }
  }

  func changeGroup(to group: gid_t) throws(POSIXError) {
    try fault.perform { () throws(POSIXError) in try file.changeGroup(to: group) }
  }

  func setModified(to time: FileTime) throws(POSIXError) {
    try fault.perform { () throws(POSIXError) in try file.setModified(to: time) }
  }

  func setAttribute(_ name: String, to value: [UInt8]?) throws(POSIXError) {
    try fault.perform { () throws(POSIXError) in try file.setAttribute(name, to: value) }
  }

  func tryLock() throws(POSIXError) -> Bool {
    try fault.perform { () throws(POSIXError) in try file.tryLock() }
  }

  func unlock() throws(POSIXError) {
    try fault.performSurely { () throws(POSIXError) in try file.unlock() }
  }
}
