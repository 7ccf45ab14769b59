import Dispatch
import Foundation

/// Scenarios in which something happens while a snapshot waits for the disk.
extension SuiteCrashes {
  /// Something is set while an export waits for the disk, at its first, second or third sync. The
  /// second one is that of the log, whose lock is held: another process's change waits in memory.
  static func rotation(at number: Int, by process: Int) -> Scenario {
    let interrupted = Step(
      name: "0 flushes snapshot", promise: .powerCut,
      run: { stage in
        _ = try stage.process(process)
        // Everything is on one thread.
        nonisolated(unsafe) let stage = stage
        nonisolated(unsafe) var count = 0
        nonisolated(unsafe) var problem: (any Error)?
        stage.disk.interrupt { path in
          count += 1
          // A log that this process began has its temporary path.
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

  /// Something is set at the first sync, when the new file is written. It is flushed at the first,
  /// second or third sync, by another thread: what the flush promised has to hold, whatever becomes
  /// of the export.
  static func flushBeside(at number: Int, by process: Int) -> Scenario {
    let interrupted = Step(
      name: "0 flushes snapshot", promise: .powerCut,
      run: { stage in
        _ = try stage.process(process)
        // The stage is used by this thread before the other one starts and after it ended.
        nonisolated(unsafe) let stage = stage
        nonisolated(unsafe) var count = 0
        nonisolated(unsafe) var problem: (any Error)?
        let end = DispatchSemaphore(value: 0)
        nonisolated(unsafe) var hasStarted = false
        nonisolated(unsafe) var hasEnded = false
        stage.disk.interrupt { _ in
          count += 1
          // It may have to wait in memory for the lock.
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
          // One that waits for the snapshot to end comes back after that.
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
      name: "flush of \(process) beside a snapshot, at sync \(number)", subject: SuiteSubject(),
      prepare: { DiskImage() }, start: [:],
      steps: [
        set("a", 1), flush(.snapshot), set("a", 2), set("b", 1), interrupted,
        set("c", 1, by: process), flush(by: process),
      ])
  }
}
