import Defaults
import Foundation
import Harness

/// Does the steps of a scenario, and reports each as it returns.
///
/// Its lines: `ok` or `threw` with the number of a step, and for the latter the error; at the end
/// `sees` with the entries of others, and `calls` with their number and whether the fault happened.
struct CallChild {
  let scenario: CallScenario
  let prefix: String
  let parent: Parent
  let actor: CallScenario.Actor
  /// nil: nothing happens to it.
  var fault: FaultAtCall?

  /// So that a suite is open when the process exits: what is done then is part of the scenario.
  private nonisolated(unsafe) static var atExit: CallScenario.Actor?

  /// One whose files have a fault. Alone it does nothing in the background, so that its calls come
  /// in the same order each time; in company it waits for others as a program does.
  init(_ fault: FaultAtCall, at file: URL, hasCompany: Bool, parent: Parent) {
    prefix = "a"
    scenario = CallScenario(prefix: prefix)
    self.parent = parent
    self.fault = fault
    actor = CallScenario.Actor {
      let file = try StoredFile(path: file.path, on: CallFileSystem(fault: fault))
      let (suite, start) = try FileStore.open(file, isAutomatic: hasCompany)
      start()
      return suite
    }
  }

  /// One that works on the file as any program does.
  init(besideAt file: URL, patience: Int, parent: Parent) {
    prefix = "b"
    scenario = CallScenario(prefix: prefix, reopens: false)
    self.parent = parent
    actor = CallScenario.Actor { try ShortPatience.open(file, milliseconds: patience) }
  }

  func run(atEnd: () -> Void = {}) {
    for (number, step) in scenario.steps.enumerated() {
      do {
        try step.run(actor)
        parent.tell("ok \(number)")
      } catch let error as Defaults.SuiteError {
        parent.tell("threw \(number) \(error.code.rawValue) \(error)")
      } catch {
        parent.tell("threw \(number) \(error)")
      }
    }
    if let entries = try? actor.suite.entries {
      let others = entries.filter {
        !$0.key.hasPrefix(prefix + ".") && $0.key != CallScenario.counter
      }
      parent.tell("sees \(others.sortedText)")
    }
    atEnd()
    // Written here alone, on the only thread that there is.
    Self.atExit = actor
    if let fault { parent.tell("calls \(fault.count) \(fault.happened)") }
  }
}
