import DefaultsLayers
import Foundation
import Testing

@testable import Defaults

// The entries that a transaction's body reads, and the locks that it waits for.

extension TransactionRunTests {
  @Test("A transaction reads the entries of one instant while other threads and processes write")
  func oneInstant() throws {
    suite[a] = 1
    suite[b] = 1
    var runs = 0
    try suite.transaction { draft in
      runs += 1
      let first = draft[a]
      if runs == 1 {
        try other.transaction { draft in (draft[a], draft[b]) = (2, 2) }
        try Thread.running { [suite] in try suite.refresh() }
        #expect(suite[b] == 2)
      }
      #expect(draft[b] == first)
      #expect(draft.names == ["a", "b"])
      draft[Defaults.Key("sum", default: 0)] = first + draft[b]
    }
    #expect(runs == 2)
    #expect(try twins.stored() == ["a": 2, "b": 2, "sum": 4])
  }

  @Test("A set of another thread doesn't wait for a transaction's body")
  func setWhileBodyRuns() throws {
    try suite.transaction { draft in
      try Thread.running { [suite, b] in suite[b] = 5 }
      #expect(suite[b] == 5)
      draft[a] = 1
    }
    #expect(try twins.stored() == ["a": 1, "b": 5])
  }

  @Test("A transaction that only reads takes no lock and stores nothing")
  func readOnly() throws {
    let path = twins.folder["suite.plist.journal"]
    #expect(try suite.transaction { draft in draft[a] } == 0)
    #expect(!FileManager.default.fileExists(atPath: path))
    suite[a] = 1
    try other.refresh()
    let lock = try twins.holdLock()
    #expect(try other.transaction { draft in draft[a] } == 1)
    #expect(throws: Rejection.self) {
      try suite.transaction { draft in
        draft[a] = 2
        throw Rejection()
      }
    }
    try lock.unlock()
    #expect(twins.issues.count == 0)
  }

  @Test("A transaction of a layered suite reads the names and entries of one instant")
  func layeredInstant() throws {
    let above = Defaults.MemorySuite(["min": 0, "max": 5])
    let layered = try Defaults.LayeredSuite(.layer(above, name: "above"), .writable(suite))
    var runs = 0
    try layered.transaction { draft in
      runs += 1
      #expect(draft.entry(named: "min") == (runs == 1 ? 0 : 6))
      if runs == 1 {
        try Thread.running { [suite, a] in
          suite[a] = 1
          try above.transaction { draft in
            try draft.setEntry(6, named: "min")
            try draft.setEntry(9, named: "max")
          }
        }
      }
      #expect(draft.entry(named: "max") == (runs == 1 ? 5 : 9))
      for name in draft.names { #expect(draft.entry(named: name) != nil) }
      #expect(draft.names == (runs == 1 ? ["min", "max"] : ["a", "min", "max"]))
    }
    #expect(runs == 2)
  }

  @Test(
    "Without the lock, a transaction that read a waiting change throws `locked`, not its own error")
  func waitingEntry() throws {
    suite[b] = 1
    let lock = try twins.holdLock()
    suite[a] = 5
    #expect(suite[a] == 5)
    let error = #expect(throws: Defaults.SuiteError.self) {
      try suite.transaction { draft in if draft[a] == 5 { throw Rejection() } }
    }
    #expect(error?.code == .locked)
    #expect(throws: Defaults.SuiteError.self) {
      try Defaults.update(Defaults.Key("a", default: 0, suite: suite)) { $0 += 1 }
    }
    try lock.unlock()
    #expect(throws: Rejection.self) {
      try suite.transaction { draft in if draft[a] == 5 { throw Rejection() } }
    }
  }

  @Test("A draft that outlives its transaction reads the committed entries")
  func escapedDraft() throws {
    var escaped: Defaults.Draft?
    try suite.transaction { draft in escaped = draft }
    suite[a] = 3
    #expect(escaped?[a] == 3)
    #expect(escaped?.names == ["a"])
  }
}
