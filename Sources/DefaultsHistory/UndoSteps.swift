import Defaults

/// The recorded transactions. The events of all changes arrive in commit order.
struct UndoSteps {
  /// A transaction that can be reversed.
  struct Step {
    /// Grows with each step.
    let number: Int
    let entries: [String: Defaults.Change.Entry]
  }

  /// The raw value is the origin of the change.
  enum Direction: String {
    case undo, redo

    /// The steps that this direction reverses.
    var steps: WritableKeyPath<UndoSteps, [Step]> { self == .undo ? \.undo : \.redo }
  }

  private(set) var undo: [Step] = []
  private(set) var redo: [Step] = []
  /// The number of the latest step.
  private var latest = 0
  /// The number of the latest step that isn't a reversal by this stack.
  private var latestChange = 0
  /// The transactions that are being reversed, until the event of the reversal arrives.
  private var pending: [(direction: Direction, step: Step, isDiscarded: Bool)] = []

  /// Discards all transactions and returns them.
  mutating func removeAll() -> [Step] {
    for index in pending.indices { pending[index].isDiscarded = true }
    defer { (undo, redo) = ([], []) }
    return undo + redo
  }

  /// Takes the latest transaction, to reverse it; nil if there is none.
  mutating func begin(_ direction: Direction) -> Step? {
    guard let step = self[keyPath: direction.steps].popLast() else { return nil }
    pending.append((direction, step, isDiscarded: false))
    return step
  }

  /// Ends the reversal of a transaction that failed. The step returns to its place, unless
  /// meanwhile a change was recorded that ends all redoing.
  mutating func fail(_ direction: Direction, _ step: Step, keepsStep: Bool) {
    let index = pending.firstIndex { $0.step.number == step.number }
    guard let index, !pending.remove(at: index).isDiscarded, keepsStep else { return }
    if direction == .redo, step.number < latestChange { return }
    let steps = self[keyPath: direction.steps]
    let place = steps.firstIndex { $0.number > step.number } ?? steps.endIndex
    self[keyPath: direction.steps].insert(step, at: place)
  }

  /// Records a change. If `limit` is nil, only a reversal by this stack is recorded.
  mutating func record(_ change: Defaults.Change, _ limit: Int?) {
    let reversed = change.entries.mapValues { Defaults.Change.Entry(old: $0.new, new: $0.old) }
    let index = pending.firstIndex {
      $0.direction.rawValue == change.origin && $0.step.entries == reversed
    }
    latest += 1
    let step = Step(number: latest, entries: change.entries)
    if let index {
      // The other direction reverses a reversal by this stack.
      let (direction, _, isDiscarded) = pending.remove(at: index)
      if isDiscarded { return }
      if direction == .undo { redo.append(step) } else { undo.append(step) }
    } else if let limit {
      redo = []
      latestChange = latest
      undo.append(step)
      undo.removeFirst(max(0, undo.count - max(0, limit)))
    }
  }
}
