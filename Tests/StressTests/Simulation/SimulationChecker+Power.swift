/// The checks after a power loss: flushed changes must exist.
extension SimulationChecker {
  func violationsAfterPowerCut() -> [String] {
    SimulatedSettings.all.flatMap { key -> [String] in
      let value = stored[key] ?? 0
      let writes = record.deeds.filter { deed in
        deed.key == key && !deed.hasThrown
          && (deed.kind == .set || deed.kind == .remove || deed.kind == .swap && deed.hasRead)
      }
      guard value == 0 || writes.contains(where: { $0.new == value }) else {
        return ["invented: setting \(key): \(value) is stored after a power cut"]
      }
      if writes.allSatisfy({ $0.kind == .swap }) { return chain(key, value, writes) }
      return overwritten(key, value, writes)
    }
  }

  /// Whether a returned flush covers a write.
  private func isDurable(_ write: SimulatedDeed) -> Bool {
    guard let end = write.end else { return false }
    if write.start < 0 { return true }
    return record.deeds.contains { flush in
      flush.kind == .flush && flush.end != nil && !flush.hasThrown && flush.start > end
        && (write.process == flush.process || isSeen(write, by: flush)) && !isDropped(write)
    }
  }

  /// Whether a process had seen another one's write when its flush began, since it flushes known
  /// ones.
  private func isSeen(_ write: SimulatedDeed, by flush: SimulatedDeed) -> Bool {
    guard write.new != 0, write.hasRecord, !hasFaults(write.process) else { return false }
    let observer = SimulationRecord.Observer(process: flush.process, key: write.key)
    let (events, steps) = (record.events[observer] ?? [], record.eventSteps[observer] ?? [])
    return zip(events, steps).contains { $0.new == write.new && $1 < flush.start }
  }

  private func isDropped(_ write: SimulatedDeed) -> Bool {
    !write.hasRecord && record.drops.contains { $0.process == write.process && $0.key == write.key }
  }

  /// With only transactions, all durable ones are in the chain that ends at the value.
  private func chain(_ key: Int, _ value: Int, _ writes: [SimulatedDeed]) -> [String] {
    let old = Dictionary(writes.map { ($0.new, $0.old) }) { first, _ in first }
    var chain: Set<Int> = []
    var next = value
    while next != 0, chain.insert(next).inserted { next = old[next] ?? 0 }
    return writes.filter { isDurable($0) && !chain.contains($0.new) }.map {
      "durability: setting \(key): \(value) is stored after a power cut, and \($0.new) was flushed"
    }
  }

  /// Checks that no durable write replaced the value before it was flushed.
  private func overwritten(_ key: Int, _ value: Int, _ writes: [SimulatedDeed]) -> [String] {
    let candidates = writes.filter { $0.new == value }
    let ends = candidates.map { write in
      write.end.map { write.hasRecord || write.kind == .swap ? $0 : .max } ?? .max
    }
    let end = ends.max() ?? -3
    return writes.filter { isDurable($0) && $0.new != value && $0.start > end }.map {
      "durability: setting \(key): \(value) is stored after a power cut, and \($0.new) was "
        + "flushed after it"
    }
  }
}
