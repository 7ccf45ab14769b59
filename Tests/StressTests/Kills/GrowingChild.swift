import Foundation
import Harness

/// Sets increasing values until it is killed, and reports each set that has returned.
///
/// Its first line contains the values at the start. Each further line is the number of a step.
struct GrowingChild {
  /// The activity in addition to setting.
  enum Habit: Int, CaseIterable {
    case setting
    /// Writes the file at times, and waits until it is done.
    case pausingToWrite
    /// A second thread writes the file repeatedly while the first one sets.
    case writingBeside
  }

  let store: any TestedStore
  let parent: Parent
  let writer: Int
  let habit: Habit
  let seed: UInt64

  func run() throws {
    let found = GrowingValues(writer: writer) { store.entry($0) }
    parent.tell("found \(found.description)")
    if habit == .writingBeside {
      let (store, parent) = (store, parent)
      Thread.detachNewThread {
        while true {
          do { try store.writeFile() } catch { parent.tell("! \(error)") }
        }
      }
    }
    var random = SeededGenerator(seed: seed)
    for step in (found.last + 1)... {
      GrowingValues.make(step, writer: writer, in: store)
      parent.tell("\(step)")
      if habit == .pausingToWrite, random.happens(percent: 2) { try store.writeFile() }
    }
  }
}
