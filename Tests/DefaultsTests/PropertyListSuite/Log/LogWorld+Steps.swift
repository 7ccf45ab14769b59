import FuzzInputs
import TestSupport

@testable import Defaults

/// Random actions of processes, editors and the system.
extension LogWorld {
  /// Does one random action and checks every crash during it.
  mutating func step() {
    time += Int64(random(0..<200))
    let process = random(0..<processes.count)
    switch random(0..<24) {
    case 0..<7: set(process)
    case 7..<10: exportOrGoOn(process)
    case 10..<14: edit()
    case 14..<20: mergeOrGoOn(process)
    case 20: sync()
    case 21: compact()
    case 22: processes[process].export = nil  // The process was killed or stopped for good.
    default: delete()
    }
  }

  private func clock(_ process: Int) -> LogVersion {
    LogVersion(UInt64(time + processes[process].drift))
  }

  private mutating func set(_ process: Int) {
    let names = (0..<random(1..<3)).map { _ in Self.names[random(0..<Self.names.count)] }
    let changes = Dictionary(
      names.map { ($0, random(0..<4) == 0 ? nil : random(0..<5)) as (String, Int?) }
    ) { first, _ in first }
    // A version that is behind or equal: the position of a set in the log decides.
    let record = LogRecord.set(
      changes, clock(process).microseconds, writer: processes[process].writer)
    // An equal value isn't a change.
    let changed = changes.filter { current[$0.key] != $0.value }.keys
    log.add([record]) { $0.merging(changes) }
    for index in processes.indices { processes[index].merge?.changed.formUnion(changed) }
    check("set")
  }

  /// Everything so far is on disk: the log and the names in its folder.
  private mutating func sync() {
    log.synced = log.records.count
    replaced = []
    possible = [file]
    check("sync")
  }

  private mutating func exportOrGoOn(_ process: Int) {
    guard let export = processes[process].export else {
      fresh += 1
      let id = UInt64(fresh)
      let file = File(identity: .sample(id, content: current), content: current)
      files.append(file)
      processes[process].export = Export(id: id, file: files.count - 1)
      log.add([.began(id, clock(process).microseconds)]) { $0 }
      check("export began")
      return
    }
    processes[process].export = nil
    // The rest happens while the lock is held.
    guard state.finding(file.map { files[$0].identity }) != .external else { return }
    log.add([.exported(export.id, files[export.file].identity)]) { $0 }
    check("exported")
    sync()
    // An editor saves now: the exchange returns its file, which is put back.
    if random(0..<8) == 0 { return edit() }
    guard state.mayPlace(export.id) else { return }
    // The process was stopped or killed before or after the rename.
    if random(0..<5) == 0 { return }
    file = export.file
    possible.insert(file)
    check("renamed")
    if random(0..<5) == 0 { return }
    possible = [file]
    check("folder synced")
    log.add([.placed(export.id)], placed: export.file) { $0 }
    check("placed")
  }

  /// An editor changes the current file, or one that it read before.
  private mutating func edit() {
    guard var number = file,
      !pending(log, log.records.count, file).values.contains(where: { $0 == nil })
    else { return }
    var isStale = false
    if random(0..<4) == 0, let older = log.placed.last(where: { $0 != log.placed.last }), let older
    {
      // Only what the log knows for certain: an editor of an unknown file, or of one that was
      // deleted since, changes everything.
      let index = state.bases.lastIndex { $0.file == files[older].identity }
      isStale = index.map { !state.bases[$0...].contains { $0.content == .absent } } ?? false
      if isStale { number = older }
    }
    var edits: [String: Int?] = [:]
    for _ in 0..<random(1..<3) {
      fresh += 1
      edits[Self.names[random(0..<Self.names.count)]] = fresh
    }
    if !isStale, random(0..<4) == 0 {
      let name = Self.names[random(0..<Self.names.count)]
      // With two changes at once, it could be a change of another version of the file.
      let known = files.filter { file in state.bases.contains { $0.file == file.identity } }
      guard files[number].edits == nil || log.merged[log.records.count].contains(number),
        (known + [files[number]]).allSatisfy({ $0.content[name] != nil })
      else { return }
      edits = [name: nil]
    }
    fresh += 1
    let content = files[number].content.merging(edits)
    files.append(
      File(
        identity: .sample(UInt64(fresh), content: content), content: content, edits: edits,
        previous: number))
    file = files.count - 1
    possible.insert(file)
    check("edited")
  }

  private mutating func delete() {
    guard file != nil, random(0..<3) == 0 else { return }
    // Otherwise an edit that no process has seen would be deleted with the file.
    file = nil
    possible.insert(nil)
    check("deleted")
  }

  private mutating func mergeOrGoOn(_ process: Int) {
    if let merge = processes[process].merge {
      processes[process].merge = nil
      finish(merge, process)
      return
    }
    let finding = state.finding(file.map { files[$0].identity })
    guard finding == .external else { return }
    fresh += 1
    let id = UInt64(fresh)
    let edits = pending(log, log.records.count, file)
    log.add([.mergeBegan(id)]) { $0 }
    check("merge began")
    var merge = Merge(id: id, file: file, edits: edits)
    // Some processes compute the record now and append it later.
    if random(0..<2) == 0 { merge.record = merging(merge) }
    if random(0..<2) == 0 { finish(merge, process) } else { processes[process].merge = merge }
  }

  private func merging(_ merge: Merge) -> LogRecord.Content? {
    let file = merge.file.map { files[$0] }
    return state.mergeRecord((file?.content ?? [:]).entries, file?.identity, id: merge.id, at: 0)
  }

  private mutating func finish(_ merge: Merge, _ process: Int) {
    // The process finds another file and starts again.
    guard merge.file == file, let content = merge.record ?? merging(merge) else { return }
    // The file and its name are synced before a log records the merge: otherwise power loss
    // restores an older file, which looks like another edit.
    possible = [file]
    let isFirst = merge.file.map { !state.wasMerged(files[$0].identity) } ?? !state.wasMerged(nil)
    let edits = isFirst ? merge.edits.filter { !merge.changed.contains($0.key) } : [:]
    let record = LogRecord(
      writer: processes[process].writer, version: clock(process), content: content)
    var merged = merge.file
    log.add([record], placed: isFirst ? .some(merge.file) : nil, merged: merged) {
      $0.merging(edits)
    }
    // Edits of the file's base are in it, too.
    while let number = merged, let previous = files[number].previous {
      log.merged[log.merged.count - 1].insert(previous)
      merged = previous
    }
    for index in processes.indices { processes[index].merge?.changed.formUnion(edits.keys) }
    merges += 1
    check("merged")
  }

  /// A new log takes the place: the checkpoint of an earlier position and the records since.
  private mutating func compact() {
    let start = random(log.synced..<log.records.count + 1)
    guard log.states[start].isComplete else { return }
    var new = Log()
    new.add(log.states[start].compactedRecords) { _ in [:] }
    let count = new.records.count
    new.expected[count] = log.expected[start]
    new.placed[count] = log.placed[start]
    new.merged[count] = log.merged[start]
    for index in start..<log.records.count {
      new.add([log.records[index]]) { _ in [:] }
      new.expected[new.records.count] = log.expected[index + 1]
      new.placed[new.records.count] = log.placed[index + 1]
      new.merged[new.records.count] = log.merged[index + 1]
    }
    // The new log is written and synced before it gets its name.
    new.synced = new.records.count
    replaced.append(log)
    log = new
    check("compacted")
  }
}

extension [String: Int] {
  func merging(_ changes: [String: Int?]) -> Self {
    var result = self
    for (name, value) in changes { result[name] = value }
    return result
  }
}
