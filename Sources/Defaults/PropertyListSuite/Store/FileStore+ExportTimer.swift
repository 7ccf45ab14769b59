/// The timer of the next export.
extension FileStore {
  /// Exports when the armed timer fires.
  func scheduleExport(at deadline: UInt64) {
    let now = MonotonicClock.now
    inBackground(after: deadline > now ? Double(deadline - now) / 1e9 : 0) { store in
      guard store.state.withLock({ $0.exports.schedule.fire(deadline) }) else { return }
      store.exportInBackground()
    }
  }

  func exportInBackground() {
    table.support.attempt { () throws(SuiteError) in
      let isPaused = state.withLock { state in
        !state.waiting.isEmpty && MonotonicClock.now < state.exports.pauseEnd
      }
      // Changes that wait are tried more often than an export that fails.
      if isPaused { return try commitNothing(.maintenance, within: .zero) }
      do throws(SuiteError) {
        try export(isOptional: true)
      } catch {
        state.withLock { state in
          state.exports.failures += 1
          let pause = ExportSchedule.delay(after: state.exports.failures)
          state.exports.pauseEnd = MonotonicClock.now(plus: .seconds(pause))
        }
        throw error
      }
    }
    if let deadline = state.withLock({ $0.armExport() }) { scheduleExport(at: deadline) }
  }
}
