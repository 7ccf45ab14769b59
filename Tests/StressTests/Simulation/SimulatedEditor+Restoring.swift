import Defaults
import Foundation

/// Older property lists that a person puts back.
extension SimulatedEditor {
  /// Keeps the property list under another name, with its time.
  func keep(_ saving: SimulationSchedule.Saving) throws {
    let (files, path) = (files, SuiteSubject.file)
    switch saving {
    case .setAside:
      noteRemovals(of: SimulatedSettings.all)
      try files.move(path, to: Self.oldFile)
    case .link:
      try? files.removeName(Self.oldFile)
      try files.addName(Self.oldFile, to: path)
    default: _ = try copy(path, to: Self.oldFile, keepsTime: true)
    }
  }

  /// Replaces the property list by the kept one, or by a copy of it, which has the same time if
  /// `keepsTime`.
  func restore(asCopy: Bool, keepsTime: Bool) throws {
    let (disk, path) = (simulation.disk, SuiteSubject.file)
    if asCopy, try !copy(Self.oldFile, to: Self.newFile, keepsTime: keepsTime) { return }
    scheduler.step("is about to move the old property list back")
    let source = asCopy ? Self.newFile : Self.oldFile
    guard !process.isDead, let bytes = disk.image.bytes(of: source) else { return }
    // In one step, so that the replaced file is known.
    let replaced = disk.image.bytes(of: path).map { simulation.values(in: $0) }
    simulation.setClock(of: disk)
    try disk.move(source, to: path)
    let values = simulation.values(in: bytes)
    noteRemovals(of: SimulatedSettings.all.filter { values[$0] == nil })
    // The log may not know a file that a text editor saved, or that it replaced before there was a
    // log.
    let saves = simulation.record.saves
    let hasLog = simulation.schedule.hasLogAtStart
    let isUnknown =
      !hasLog && !saves.isEmpty
      || saves.contains { $0.values == replaced || $0.values == values }
    simulation.record.restorations.append(
      SimulationRecord.Restoration(
        step: scheduler.step, values: values, replaced: replaced,
        isCertain: simulation.isQuiet && !isUnknown))
    simulation.record.saves.append((scheduler.step, values))
  }

  /// Returns whether there was a file to copy.
  private func copy(_ source: String, to copy: String, keepsTime: Bool) throws -> Bool {
    guard let bytes = try read(source) else { return false }
    let time = try files.status(of: source, followingLinks: true).version.modified
    try? files.removeName(copy)
    let file = try files.open(copy, .create)
    try write(Data(bytes), to: file)
    if keepsTime { try file.setModified(to: time) }
    return true
  }
}
