import Defaults
import DefaultsSync

/// What the sync should do, without its optimizations: a device knows a set of changes, and a file
/// has the set that its device knew. Nothing is ever discarded.
struct SyncModel {
  /// A change of a setting.
  struct Change {
    let device: String
    let number: UInt64
    let edit: Defaults.Edit
    let version: UInt64
    /// The changes that it replaced, by their indices.
    let replaced: Set<Int>
  }

  /// The changes that a device knows, by setting, as indices.
  typealias Knowledge = [String: Set<Int>]

  private(set) var changes: [Change] = []

  /// Adds a change to what a device knows.
  mutating func add(_ change: Change, of name: String, to knowledge: inout Knowledge) {
    knowledge[name, default: []].insert(changes.count)
    changes.append(change)
  }

  /// Returns the known changes of a setting that no other known one replaced.
  func standing(_ name: String, in knowledge: Knowledge) -> [Int] {
    let known = knowledge[name] ?? []
    let replaced = known.reduce(into: Set<Int>()) { $0.formUnion(changes[$1].replaced) }
    return known.subtracting(replaced).sorted {
      let (left, right) = (changes[$0], changes[$1])
      return (left.version, left.device, left.number) < (right.version, right.device, right.number)
    }
  }

  /// Returns the value that a device with this knowledge shows.
  func value(
    of name: String, _ resolution: SyncResolution, in knowledge: Knowledge
  ) -> Defaults.Edit {
    value(of: standing(name, in: knowledge), resolution)
  }

  /// Returns the value that standing changes give a setting.
  func value(of standing: [Int], _ resolution: SyncResolution) -> Defaults.Edit {
    let edits = standing.map { changes[$0].edit }
    guard let newest = edits.last, edits.count > 1 else { return edits.last ?? .remove }
    let values = edits.compactMap(\.entry)
    switch resolution {
    case .latest, .ask: return newest
    case .max:
      let numbers = values.compactMap { if case .integer(let number) = $0 { number } else { nil } }
      return numbers.max().map { .set(.integer($0)) } ?? newest
    case .union:
      let numbers = values.flatMap { value -> [Int64] in
        guard case .array(let elements) = value else { return [] }
        return elements.compactMap { if case .integer(let number) = $0 { number } else { nil } }
      }
      return values.isEmpty
        ? newest : .set(.array(Set(numbers).sorted().map { .integer($0) }))
    }
  }
}
