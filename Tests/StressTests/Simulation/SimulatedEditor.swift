import Defaults
import Foundation

/// A text editor that reads the settings file, changes an entry, and saves it.
struct SimulatedEditor: Sendable {
  let process: SimulatedProcess
  let simulation: SimulationContext

  static let newFile = SuiteSubject.folder + "/" + SuiteSubject.otherName
  static let oldFile = SuiteSubject.folder + "/Defaults.plist~"

  var scheduler: SimulationScheduler { simulation.scheduler }
  var files: ProcessFileSystem { ProcessFileSystem(process, simulation) }

  func run() {
    for edit in simulation.schedule.edits {
      _ = scheduler.wait("waits for its time", until: edit.step, isPatient: true) {
        scheduler.step >= edit.step
      }
      if process.isDead { return }
      do {
        try perform(edit)
      } catch {
        if process.isDead { return }
        // Another process renamed the file in the meantime, so the editor gives up.
        scheduler.step("gives up: \(error)")
      }
    }
  }

  func perform(_ edit: SimulationSchedule.Edit) throws {
    switch edit.saving {
    case .delete: return try delete()
    case .setAside, .link, .copy: return try keep(edit.saving)
    case .moveBack, .copyBack:
      return try restore(asCopy: edit.saving == .copyBack, keepsTime: edit.isMixed)
    case .rename, .inPlace, .moveAway: break
    }
    guard let bytes = try read(SuiteSubject.file), !bytes.isEmpty else { return }
    guard let content = EditedContent(Data(bytes), isText: simulation.schedule.isText) else {
      return simulation.addProblem("the text editor read a torn file")
    }
    let value = simulation.newValue()
    var values = ["edited": value]
    var deeds = [(SimulatedSettings.edited, value)]
    if edit.isMixed {
      let value = simulation.newValue()
      values["mixed"] = value
      deeds.append((SimulatedSettings.mixed[0], value))
    }
    let data = try content.data(with: values)
    for (key, value) in deeds {
      _ = simulation.begin(.set, by: SimulatedDeed.editor, key: key, new: value)
    }
    defer {
      simulation.record.saves.append((scheduler.step, simulation.values(in: Array(data))))
    }
    try save(data, edit.saving)
    // A change written into a file that has lost its name doesn't count.
    let isCertain = edit.saving != .inPlace
    if !process.isDead { simulation.record.edits.append((value, isCertain)) }
    scheduler.step("has saved edited = \(value)")
  }

  private func delete() throws {
    scheduler.step("is about to remove the property list")
    noteRemovals(of: SimulatedSettings.all)
    let content = simulation.quietContent
    try files.removeName(SuiteSubject.file)
    if process.isDead { return }
    simulation.record.edits.append((0, false))
    simulation.record.deleted = content
  }

  func noteRemovals(of keys: some Sequence<Int>) {
    for key in keys { _ = simulation.begin(.remove, by: SimulatedDeed.editor, key: key) }
  }

  private func save(_ data: Data, _ saving: SimulationSchedule.Saving) throws {
    let (files, path) = (files, SuiteSubject.file)
    if saving == .inPlace {
      let file = try files.open(path, .update)
      try file.truncate(to: 0)
      return try write(data, to: file)
    }
    try? files.removeName(Self.newFile)
    let file = try files.open(Self.newFile, .create)
    try write(data, to: file)
    try file.synchronize()
    if saving == .moveAway {
      try files.move(path, to: Self.oldFile)
      // In one step, since engines without timers immediately treat a missing file as deleted.
      return try simulation.disk.move(Self.newFile, to: path)
    }
    try files.move(Self.newFile, to: path)
  }

  func write(_ data: Data, to file: any OpenFile) throws {
    var written = 0
    while written < data.count {
      written += try data.withUnsafeBytes { bytes in
        try file.write(UnsafeRawBufferPointer(rebasing: bytes[written...]), at: written)
      }
    }
  }

  /// Returns the bytes of a file; nil without the file.
  func read(_ path: String) throws -> [UInt8]? {
    let status = try files.statusIfPresent(of: path, followingLinks: true)
    guard let status else { return nil }
    let file = try files.open(path, .read)
    var bytes = [UInt8](repeating: 0, count: status.version.size + 100_000)
    var count = 0
    while true {
      let read = try bytes.withUnsafeMutableBytes { bytes in
        try file.read(into: UnsafeMutableRawBufferPointer(rebasing: bytes[count...]), at: count)
      }
      if read == 0 { return Array(bytes[..<count]) }
      count += read
    }
  }
}
