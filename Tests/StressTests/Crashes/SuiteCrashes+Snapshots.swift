import Dispatch
import Foundation

/// Scenarios with an action while a snapshot waits for the disk.
extension SuiteCrashes {
  /// A set while an export waits for the disk at its first, second or third sync. The second one
  /// syncs the log with its lock held, so another process's change waits in memory.
  static func rotation(at number: Int, by process: Int) -> Scenario {
    let interrupted = Step(
      name: "0 flushes snapshot", promise: .powerCut,
      run: { stage in
        _ = try stage.process(process)
        // Everything runs on one thread.
        nonisolated(unsafe) let stage = stage
        nonisolated(unsafe) var count = 0
        nonisolated(unsafe) var problem: (any Error)?
        stage.disk.interrupt { path in
          count += 1
          // A log that this process has begun has its temporary path.
          let isLocked = path.contains(".journal")
          guard count == number, !isLocked || process != 0 else { return }
          do {
            let promise = isLocked ? Scenario.Promise.nothing : .kill
            try stage.perform(set("a", 3, by: process, promise: promise))
            try stage.perform(set("tail", "text", by: process, promise: promise))
          } catch {
            problem = error
          }
        }
        try stage.process(0).flush(.snapshot)
        stage.disk.interrupt(nil)
        if let problem { throw problem }
      })
    return Scenario(
      name: "rotation, changes of \(process) at sync \(number)", subject: SuiteSubject(),
      prepare: { DiskImage() }, start: [:],
      steps: [
        set("a", 1), flush(.snapshot), set("a", 2), set("b", 1), flush(), interrupted,
        set("c", 1, by: process), flush(by: process), set("a", 4), flush(.snapshot),
      ])
  }

  /// A set at the first sync, when the new file is written. Another thread flushes it at the first,
  /// second or third sync. The flush's promise must hold, whatever the result of the export.
  static func flushBeside(at number: Int, by process: Int) -> Scenario {
    let interrupted = Step(
      name: "0 flushes snapshot", promise: .powerCut,
      run: { stage in
        _ = try stage.process(process)
        // This thread uses the stage only before the other one starts and after it has ended.
        nonisolated(unsafe) let stage = stage
        nonisolated(unsafe) var count = 0
        nonisolated(unsafe) var problem: (any Error)?
        let end = DispatchSemaphore(value: 0)
        nonisolated(unsafe) var hasStarted = false
        nonisolated(unsafe) var hasEnded = false
        stage.disk.interrupt { _ in
          count += 1
          // The set may have to wait in memory for the lock.
          let change = set("a", 3, by: process, promise: .nothing)
          do {
            if count == 1 { try stage.perform(change) }
          } catch {
            problem = error
          }
          guard count == number else { return }
          hasStarted = true
          Thread.detachNewThread {
            do {
              try stage.perform(flush(by: process, mayFail: true))
            } catch {
              problem = error
            }
            end.signal()
          }
          // A flush that waits for the end of the snapshot returns after that.
          hasEnded = end.wait(timeout: .now() + 0.2) == .success
        }
        let suite = try stage.process(0)
        let result = Result { try suite.flush(.snapshot) }
        stage.disk.interrupt(nil)
        if hasStarted, !hasEnded { end.wait() }
        try result.get()
        if let problem { throw problem }
      })
    return Scenario(
      name: "flush of \(process) during a snapshot, at sync \(number)", subject: SuiteSubject(),
      prepare: { DiskImage() }, start: [:],
      steps: [
        set("a", 1), flush(.snapshot), set("a", 2), set("b", 1), interrupted,
        set("c", 1, by: process), flush(by: process),
      ])
  }
}
