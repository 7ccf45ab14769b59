import Foundation
import Harness

/// The operations and observations of one process, stored as a file of numbers.
struct HistoryRecord {
  var operations: [HistoryOperation] = []
  var observers: [ObservedEvents] = []
  /// The final values of the settings, by number.
  var view: [Int: Int] = [:]

  func write(to url: URL) throws {
    var numbers = [operations.count, observers.count, view.count]
    for operation in operations {
      numbers += [
        operation.kind.rawValue, operation.process, operation.key, operation.old, operation.new,
        operation.second, operation.start, operation.end,
      ]
    }
    for observer in observers {
      numbers += [observer.process, observer.key, observer.events.count]
      for event in observer.events { numbers += [event.old, event.new, event.second] }
    }
    for (key, value) in view { numbers += [key, value] }
    try numbers.withUnsafeBytes { try Data($0).write(to: url) }
  }

  init() {}

  init(contentsOf url: URL) throws {
    let data = try Data(contentsOf: url)
    var rest = data.withUnsafeBytes { Array($0.bindMemory(to: Int.self)) }[...]
    func next() throws -> Int {
      guard let number = rest.popFirst() else { throw HarnessError("A history is cut off") }
      return number
    }
    let counts = try (operations: next(), observers: next(), view: next())
    for _ in 0..<counts.operations {
      guard let kind = HistoryOperation.Kind(rawValue: try next()) else {
        throw HarnessError("A history has an unknown operation")
      }
      operations.append(
        HistoryOperation(
          kind: kind, process: try next(), key: try next(), old: try next(), new: try next(),
          second: try next(), start: try next(), end: try next()))
    }
    for _ in 0..<counts.observers {
      let (process, key, count) = try (next(), next(), next())
      let events = try (0..<count).map { _ in
        ObservedEvents.Event(old: try next(), new: try next(), second: try next())
      }
      observers.append(ObservedEvents(process: process, key: key, events: events))
    }
    for _ in 0..<counts.view { view[try next()] = try next() }
  }
}
