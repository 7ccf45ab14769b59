import Defaults
import DefaultsHistory

/// Past changes that are undone together, such as those of a transaction.
struct PastStep {
  /// The entries before and after.
  private(set) var entries: [String: Defaults.Change.Entry] = [:]
  /// The secret names, whose entries are unknown.
  private(set) var secrets: Set<String> = []
  /// The origin of the change; nil for joined steps.
  var origin: String?
  /// The number of entries that differ before and after, or are secret.
  private var changeCount = 0

  init(_ changes: some Sequence<Defaults.PastChange>) {
    for change in changes {
      if change.isSecret { secrets.insert(change.name) }
      entries[change.name] = .init(old: change.old, new: change.new)
      origin = change.origin
    }
    changeCount = entries.keys.count(where: isChange)
  }

  /// Joins steps, the oldest first.
  init(joining steps: some Sequence<Self>) {
    for step in steps.reversed() { join(earlier: step) }
    entries = entries.filter { isChange($0.key) }
  }

  private func isChange(_ name: String) -> Bool {
    entries[name].map { $0.old != $0.new || secrets.contains(name) } ?? false
  }

  mutating func join(earlier step: Self) {
    for (name, entry) in step.entries {
      if isChange(name) { changeCount -= 1 }
      if step.secrets.contains(name) { secrets.insert(name) }
      entries[name] = .init(old: entry.old, new: (entries[name] ?? entry).new)
      if isChange(name) { changeCount += 1 }
    }
  }

  /// Lets a change under a name be undone under another one.
  mutating func moveEntry(named old: String, to new: String) {
    entries[new] = entries.removeValue(forKey: old)
  }

  /// Returns the step with other entries after it.
  func replacing(after entry: (String) -> Defaults.PropertyListValue?) -> Self {
    var step = self
    for (name, change) in entries { step.entries[name] = .init(old: change.old, new: entry(name)) }
    return step
  }

  func isInverse(of other: Self) -> Bool {
    entries.count == other.changeCount
      && entries.allSatisfy { other.entries[$0.key] == .init(old: $0.value.new, new: $0.value.old) }
  }
}

extension [PastStep] {
  /// Removes the steps that an undo reversed: the fewest latest steps that it reverses together, or
  /// else the latest one that it reverses alone. Returns whether there were any.
  mutating func removeSteps(reversedBy undo: PastStep) -> Bool {
    var joined = PastStep([])
    var single: Int?
    for index in indices.reversed() {
      joined.join(earlier: self[index])
      if undo.isInverse(of: joined) {
        removeSubrange(index...)
        return true
      }
      if single == nil, undo.isInverse(of: self[index]) { single = index }
    }
    guard let single else { return false }
    remove(at: single)
    return true
  }
}
