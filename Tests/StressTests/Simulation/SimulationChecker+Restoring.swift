/// The checks after an older property list was moved back.
extension SimulationChecker {
  /// The entries that aren't those of the restored file, although nothing set them since, and those
  /// that are, although something did.
  var restored: [String] {
    guard let restoration = record.restorations.last, restoration.isCertain else { return [] }
    let noticed = noticed(since: restoration.step)
    // If a person changes or removes the restored file before a process sees it, only that is an
    // edit.
    let isEdited = record.deeds.contains {
      $0.process == SimulatedDeed.editor && $0.start > restoration.step
    }
    return SimulatedSettings.all.flatMap { key -> [String] in
      let (value, restored) = (stored[key] ?? 0, restoration.values[key] ?? 0)
      let writes = operations.filter { $0.isWrite && $0.key == key }
      if value != restored {
        // An entry that didn't differ isn't an edit, so later changes of it stay.
        guard let replaced = restoration.replaced, replaced[key] ?? 0 != restored, !isEdited
        else { return [] }
        let isLater = writes.contains { write in
          write.new == value
            && (write.process == SimulatedDeed.editor ? write.start : write.end) > restoration.step
        }
        return isLater
          ? [] : ["restored: setting \(key): \(restored) was restored, and \(value) is stored"]
      }
      if value == 0 { return [] }
      let isReplaced = writes.contains { write in
        write.start > noticed && write.end < .max
          && !record.saves.contains { $0.step > write.start && $0.values[key] == value }
      }
      return isReplaced
        ? ["restored: setting \(key): \(value) of the restored file replaced a later change"] : []
    }
  }

  /// The time at which a process certainly had noticed a file that was put in place.
  private func noticed(since step: Int) -> Int {
    record.deeds.filter { deed in
      // Transactions check the file, too.
      (deed.kind == .swap || deed.isFresh) && deed.start > step && !deed.hasThrown
    }.compactMap(\.end).min() ?? .max
  }
}
