import Defaults
import Foundation
import FuzzInputs

/// The file system of a simulated process. Each call is a step.
final class ProcessFileSystem: FileSystem {
  let process: SimulatedProcess
  let simulation: SimulationContext

  init(_ process: SimulatedProcess, _ simulation: SimulationContext) {
    self.process = process
    self.simulation = simulation
  }

  private var disk: SimulatedDisk { process.disk }

  /// Takes the step of a call, which may fail according to the schedule.
  func begin(
    _ call: SimulatedCall, _ text: @autoclosure () -> String
  ) throws(Errno) {
    if process.isDead { throw Errno(.EIO) }
    simulation.scheduler.step(text())
    if process.isDead { throw Errno(.EIO) }
    simulation.setClock(of: disk)
    simulation.count(call)
    if let code = simulation.fault(in: call, of: process) { throw Errno(code) }
  }

  func status(of path: String, followingLinks: Bool) throws(Errno) -> FileStatus {
    try begin(.status, "status of \(path)")
    return try disk.status(of: path, followingLinks: followingLinks)
  }

  func checkAccess(_ rights: FileRights, to path: String) throws(Errno) {
    try begin(.access, "access to \(path)")
    try disk.checkAccess(rights, to: path)
  }

  func destination(ofLink path: String) throws(Errno) -> String {
    try begin(.link, "destination of \(path)")
    return try disk.destination(ofLink: path)
  }

  func workingFolder() throws(Errno) -> String { "/" }

  func names(inFolder path: String) throws(Errno) -> [String] {
    try begin(.names, "names in \(path)")
    return try disk.names(inFolder: path).sorted()
  }

  func makeFolder(_ path: String, mode: mode_t) throws(Errno) {
    try begin(.folder, "make folder \(path)")
    try disk.makeFolder(path, mode: mode)
  }

  func changeMode(of path: String, to mode: mode_t) throws(Errno) {
    try begin(.mode, "change mode of \(path)")
    try disk.changeMode(of: path, to: mode)
  }

  func move(_ path: String, to newPath: String) throws(Errno) {
    try begin(.move, "rename \(path) to \(newPath)")
    try disk.move(path, to: newPath)
  }

  func exchange(_ path: String, _ otherPath: String) throws(Errno) {
    try begin(.exchange, "exchange \(path) and \(otherPath)")
    try disk.exchange(path, otherPath)
  }

  func addName(_ newPath: String, to path: String) throws(Errno) {
    try begin(.addName, "link \(path) to \(newPath)")
    try disk.addName(newPath, to: path)
  }

  func removeName(_ path: String) throws(Errno) {
    try begin(.remove, "remove \(path)")
    try disk.removeName(path)
  }

  func open(_ path: String, _ use: FileUse) throws(Errno) -> any OpenFile {
    try begin(use == .create ? .create : .open, "open \(path) (\(use))")
    guard let file = try disk.open(path, use) as? SimulatedFile else { throw Errno(.EIO) }
    return ProcessFile(process.open(file), path, use, on: self)
  }

  var now: UInt64 { simulation.time(of: process) }

  var processNumber: Int32 { Int32(process.number + 100) }

  func randomNumber() -> UInt64 {
    process.randomNumbers += 1
    var random = SplitMix64(
      state: simulation.schedule.seed &+ UInt64(process.number) << 32
        &+ UInt64(process.randomNumbers))
    return max(1, random.next())
  }

  func omits(rule: EngineRule) -> Bool { simulation.schedule.omitted == rule }
}

/// An open file of a simulated process.
final class ProcessFile: OpenFile {
  private let number: Int
  private let path: String
  private let use: FileUse
  private let system: ProcessFileSystem

  init(_ number: Int, _ path: String, _ use: FileUse, on system: ProcessFileSystem) {
    self.number = number
    self.path = path
    self.use = use
    self.system = system
  }

  deinit { system.process.close(number) }

  private var process: SimulatedProcess { system.process }
  private var scheduler: SimulationScheduler { system.simulation.scheduler }

  private func begin(
    _ call: SimulatedCall, _ text: @autoclosure () -> String
  ) throws(Errno) -> SimulatedFile {
    try system.begin(call, text())
    return try process.file(number)
  }

  func status() throws(Errno) -> FileStatus { try begin(.status, "status \(path)").status() }

  func read(
    into buffer: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(Errno) -> Int {
    let file = try begin(.read, "read \(buffer.count) at \(offset) of \(path)")
    // A read that meets a writer or a signal may be short, but not empty.
    let choices = scheduler.choices
    guard buffer.count > 1, choices.happens(.shortCall, at: scheduler.step, oneIn: 12) else {
      return try file.read(into: buffer, at: offset)
    }
    let count = 1 + choices.number(.splitSize, at: scheduler.step, below: buffer.count - 1)
    return try file.read(
      into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]), at: offset)
  }

  func write(_ buffer: UnsafeRawBufferPointer, at offset: Int) throws(Errno) -> Int {
    try put(buffer, at: offset, "write") { file, bytes, offset throws(Errno) in
      try file.write(bytes, at: offset)
    }
  }

  func append(
    _ buffer: UnsafeRawBufferPointer, expectedAt offset: Int
  ) throws(Errno) -> Int {
    try put(buffer, at: offset, "append") { file, bytes, offset throws(Errno) in
      try file.append(bytes, expectedAt: offset)
    }
  }

  private func put(
    _ buffer: UnsafeRawBufferPointer, at offset: Int, _ verb: String,
    _ put: (SimulatedFile, UnsafeRawBufferPointer, Int) throws(Errno) -> Int
  ) throws(Errno) -> Int {
    let file = try begin(.write, "\(verb) \(buffer.count) at \(offset) of \(path)")
    let (choices, step) = (scheduler.choices, scheduler.step)
    let part = 1 + choices.number(.splitSize, at: step, below: buffer.count - 1)
    // A log keeps the path of its creation. Its header and checkpoint have no new change, and
    // neither has the last record of a log that was replaced.
    let names = try file.status().names
    let isInLog = names > 0 && path.contains(".journal") && offset > LogHeader.size
    defer { if isInLog { system.simulation.noteRecord() } }
    if buffer.count > 1, system.simulation.isShort(in: process) {
      return try put(file, UnsafeRawBufferPointer(rebasing: buffer[..<part]), offset)
    }
    guard buffer.count > 1, choices.happens(.split, at: step, oneIn: 4) else {
      return try put(file, buffer, offset)
    }
    // Other processes see the first bytes before the last ones.
    _ = try put(file, UnsafeRawBufferPointer(rebasing: buffer[..<part]), offset)
    scheduler.step("has written \(part) of \(buffer.count) at \(offset) of \(path)")
    let rest = try process.file(number)
    system.simulation.setClock(of: process.disk)
    _ = try put(rest, UnsafeRawBufferPointer(rebasing: buffer[part...]), offset + part)
    return buffer.count
  }

  func truncate(to size: Int) throws(Errno) {
    try begin(.truncate, "truncate \(path) to \(size)").truncate(to: size)
  }

  func synchronize() throws(Errno) {
    let file = try begin(.sync, "sync \(path)")
    if use == .folder, system.omits(rule: .folderSync) { return }
    try file.synchronize()
  }

  func synchronizeContent() throws(Errno) {
    try begin(.sync, "sync the content of \(path)").synchronizeContent()
  }

  func changeMode(to mode: mode_t) throws(Errno) {
    try begin(.mode, "change mode of \(path)").changeMode(to: mode)
  }

  func changeOwner(to owner: uid_t) throws(Errno) {}

  func changeGroup(to group: gid_t) throws(Errno) {}

  func setModified(to time: FileTime) throws(Errno) {
    try begin(.mode, "set the time of \(path)").setModified(to: time)
  }

  func setAttribute(_ name: String, to value: [UInt8]?) throws(Errno) {
    try begin(.mode, "set attribute \(name) of \(path)").setAttribute(name, to: value)
  }

  var lockAttempts: Int { 2 }

  func tryLock() throws(Errno) -> Bool {
    while true {
      let file = try begin(.lock, "lock \(path)")
      if try file.tryLock() {
        if path.contains(".journal") { process.locks.insert(number) }
        return true
      }
      // A temporary file stays locked while its process lives.
      guard try !isTemporary(file) else { return false }
      let (choices, step) = (scheduler.choices, scheduler.step)
      let isImpatient =
        system.simulation.schedule.isImpatient
        && choices.happens(.deadline, at: step, oneIn: 2)
      let deadline =
        isImpatient ? step + choices.number(.deadlineTime, at: step, below: 100) : Int.max
      let isFree = scheduler.wait(
        "waits for the lock of \(path)", until: deadline, isPatient: true
      ) { file.isLockFree }
      if !isFree, !process.isDead { return false }
    }
  }

  private func isTemporary(_ file: SimulatedFile) throws(Errno) -> Bool {
    guard path.hasSuffix(".tmp") else { return false }
    let present = try process.disk.statusIfPresent(of: path, followingLinks: false)
    return try present?.version.inode == file.status().version.inode
  }

  func unlock() throws(Errno) {
    // A step before unlocking, since a process stopped here either holds the lock or doesn't.
    let file = try begin(.unlock, "unlock \(path)")
    process.locks.remove(number)
    try file.unlock()
  }
}
