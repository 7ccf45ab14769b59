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
    default:
      guard let bytes = try read() else { return }
      let time = try files.status(of: path, followingLinks: true).version.modified
      try? files.removeName(Self.oldFile)
      let file = try files.open(Self.oldFile, .create)
      try write(Data(bytes), to: file)
      try file.setModified(to: time)
    }
  }

  /// Replaces the property list by the kept one, or by a copy of it, which has the same time if
  /// `keepsTime`.
  func restore(asCopy: Bool, keepsTime: Bool) throws {
    let (disk, path) = (simulation.disk, SuiteSubject.file)
    if asCopy { try copy(keepsTime: keepsTime) }
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

  private func copy(keepsTime: Bool) throws {
    try? files.removeName(Self.newFile)
    guard let bytes = simulation.disk.image.bytes(of: Self.oldFile) else { return }
    let time = try files.status(of: Self.oldFile, followingLinks: true).version.modified
    let file = try files.open(Self.newFile, .create)
    try write(Data(bytes), to: file)
    if keepsTime { try file.setModified(to: time) }
  }
}
