import Defaults
import Foundation
import Harness

/// Runs the steps of a scenario, and reports each of them.
///
/// It prints `ok` or `threw` with the number of a step, and with the error for the latter. At the
/// end it prints `sees` with the entries of other processes, and `calls` with the number of calls
/// and whether the fault happened.
struct CallChild {
  let scenario: CallScenario
  let prefix: String
  let parent: Parent
  let actor: CallScenario.Actor
  /// nil if no fault happens.
  var fault: FaultAtCall?

  /// Keeps a suite open until the process exits, since its work at exit is part of the scenario.
  private nonisolated(unsafe) static var atExit: CallScenario.Actor?

  /// A process with a fault in its file system. Alone it does no background work, so that its calls
  /// always have the same order. With a second process it waits for locks as programs do.
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

  /// A process that uses the file as any program does.
  init(besideAt file: URL, patience: Int, parent: Parent) {
    prefix = "b"
    scenario = CallScenario(prefix: prefix, reopens: false)
    self.parent = parent
    actor = CallScenario.Actor { try LockPatience.open(file, milliseconds: patience) }
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
    // Only written here, on the only thread.
    Self.atExit = actor
    if let fault { parent.tell("calls \(fault.count) \(fault.happened)") }
  }
}
