import Defaults
import Foundation
import Synchronization

/// A suite in memory that violates one requirement on request.
final class FaultySuite: Defaults.Suite {
  enum Fault: String, CaseIterable {
    case waitsForTransactions
    case readsNothingDuringTransactions
    case showsTheStateBefore
    case shortensArrays
    case hidesIssues
    case tellsOfEqualValues
    case keepsWhatThrew
    case tellsOfEachNameAlone
    case tellsNobody
    case mistakesOldForNew
    case tellsOfOtherNames
    case leavesOutTheInitialEvent
    case neverEndsAnObservation
    case ignoresSilence
    case roundsReals
    case ignoresCaseOfNames
    case setsWithoutLock
    case flushesOnlySnapshots

    /// The requirement that the fault violates.
    var requirement: Int {
      switch self {
      case .waitsForTransactions, .readsNothingDuringTransactions: 1
      case .showsTheStateBefore: 2
      case .shortensArrays, .hidesIssues: 3
      case .tellsOfEqualValues: 5
      case .keepsWhatThrew, .tellsOfEachNameAlone: 6
      case .tellsNobody, .mistakesOldForNew, .tellsOfOtherNames: 7
      case .leavesOutTheInitialEvent: 8
      case .neverEndsAnObservation: 9
      case .ignoresSilence: 10
      case .roundsReals, .ignoresCaseOfNames: 12
      case .setsWithoutLock: 13
      case .flushesOnlySnapshots: 14
      }
    }
  }

  private struct State {
    var entries: [String: Defaults.PropertyListValue] = [:]
    var previous: [String: Defaults.PropertyListValue] = [:]
    var flushed: [String: Defaults.PropertyListValue] = [:]
    var endless: [any Defaults.Observation] = []
  }

  let support: Defaults.SuiteSupport
  private let fault: Fault?
  private let writer = NSLock()
  private let state = Mutex(State())

  init(_ fault: Fault?, onIssue: @escaping @Sendable (Defaults.Issue) -> Void) {
    self.fault = fault
    let isSilent = fault == .hidesIssues
    support = Defaults.SuiteSupport(label: "faulty", onIssue: isSilent ? { _ in } : onIssue)
  }

  var entries: [String: Defaults.PropertyListValue] {
    switch fault {
    case .waitsForTransactions:
      writer.lock()
      defer { writer.unlock() }
      return state.withLock(\.entries)
    case .readsNothingDuringTransactions:
      guard writer.try() else { return [:] }
      defer { writer.unlock() }
      return state.withLock(\.entries)
    case .showsTheStateBefore: return state.withLock(\.previous)
    default: return state.withLock(\.entries)
    }
  }

  func entry(named name: String) -> Defaults.PropertyListValue? { entries[storedName(of: name)] }

  /// The entries that another process would find.
  var storedEntries: [String: Defaults.PropertyListValue] { state.withLock(\.flushed) }

  func transaction<Result, Failure: Error>(
    _ body: (inout Defaults.Draft) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    defer { support.deliver() }
    writer.lock()
    defer { writer.unlock() }
    var draft = Defaults.Draft(of: self)
    do throws(Failure) {
      let result = try body(&draft)
      commit(draft.edits)
      return result
    } catch {
      if fault == .keepsWhatThrew { commit(draft.edits) }
      throw error
    }
  }

  func write(_ body: (inout Defaults.Draft) -> Void) {
    guard fault == .setsWithoutLock else { return transaction(body) }
    var draft = Defaults.Draft(of: self)
    body(&draft)
    commit(draft.edits)
    support.deliver()
  }

  private func commit(_ edits: [String: Defaults.Edit]) {
    state.withLock { state in
      state.previous = state.entries
      var changed: [String: Defaults.Change.Entry] = [:]
      for (name, edit) in edits {
        let name = storedName(of: name)
        let old = state.entries[name]
        let new = edit.entry.map(stored)
        if old == new, fault != .tellsOfEqualValues { continue }
        state.entries[name] = new
        changed[name] =
          fault == .mistakesOldForNew ? .init(old: new, new: old) : .init(old: old, new: new)
      }
      if !changed.isEmpty { tell(changed) }
    }
  }

  private func storedName(of name: String) -> String {
    fault == .ignoresCaseOfNames ? name.lowercased() : name
  }

  private func stored(_ value: Defaults.PropertyListValue) -> Defaults.PropertyListValue {
    switch (fault, value) {
    case (.roundsReals, .real(let real)): .real(real.rounded())
    case (.shortensArrays, .array(let elements)):
      .array(elements.filter { if case .string = $0 { false } else { true } })
    default: value
    }
  }

  private func tell(_ changed: [String: Defaults.Change.Entry]) {
    switch fault {
    case .tellsNobody: break
    case .tellsOfEachNameAlone:
      for entry in changed { support.enqueue(Defaults.Change([entry.key: entry.value])) }
    case .ignoresSilence:
      let (support, done) = (support, DispatchSemaphore(value: 0))
      Thread.detachNewThread {
        support.enqueue(Defaults.Change(changed))
        done.signal()
      }
      done.wait()
    default: support.enqueue(Defaults.Change(changed))
    }
  }

  func observe(
    _ names: Set<String>?, options: Defaults.ObservationOptions,
    _ handler: Defaults.Handler<Defaults.Change>
  ) -> any Defaults.Observation {
    defer { support.deliver() }
    return state.withLock { state in
      var initial: [String: Defaults.PropertyListValue?] = [:]
      for name in names ?? Set(state.entries.keys) {
        initial.updateValue(state.entries[name], forKey: name)
      }
      let options = fault == .leavesOutTheInitialEvent ? options.subtracting(.initial) : options
      let observation = support.observe(
        fault == .tellsOfOtherNames ? nil : names, options: options, initial: initial, handler)
      guard fault == .neverEndsAnObservation else { return observation }
      state.endless.append(observation)
      return Endless()
    }
  }

  func flush() {
    if fault != .flushesOnlySnapshots { flush(.durable) }
  }

  func flush(_ extent: Defaults.FlushExtent) {
    state.withLock { $0.flushed = $0.entries }
  }

  private final class Endless: Defaults.Observation {
    func invalidate() {}
    func tieToLifetime(of owner: AnyObject) -> Self { self }
    func removeLifetimeTie() {}
  }
}
