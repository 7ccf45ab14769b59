import Defaults
import DefaultsTesting
import Foundation
import Testing

@Suite("The laws")
struct LawTests {
  @Test("Every suite of the package keeps them", arguments: Defaults.Law.all, SuiteKind.allCases)
  func suites(law: Defaults.Law, kind: SuiteKind) async throws {
    let sample = try Sample(kind)
    var stored: (@Sendable () throws -> [String: Defaults.PropertyListValue])?
    if SuiteKind.persistent.contains(kind) { stored = { try sample.storedEntries() } }
    try await law.check(
      Defaults.LawSubject(sample.suite, issues: { sample.issues.all }, storedEntries: stored))
  }

  @Test("A suite that does everything itself keeps them", arguments: Defaults.Law.all)
  func ownSuite(law: Defaults.Law) async throws {
    try await law.check { FaultySuite(nil, onIssue: $0) }
  }

  @Test("A store keeps them if it gives back what it took", arguments: Defaults.Law.all)
  func store(law: Defaults.Law) async throws {
    try await law.check(ofStore: { RowStore() })
  }

  @Test("All can be checked in one call")
  func everything() async throws {
    try await Defaults.checkLaws { Defaults.MemorySuite(onIssue: { _ in }) }
    try await Defaults.checkLaws(ofStore: { RowStore() })
  }

  @Test("A suite that breaks one is found out", arguments: FaultySuite.Fault.allCases)
  func faults(fault: FaultySuite.Fault) async {
    await withKnownIssue {
      for law in Defaults.Law.all where law.number == fault.law {
        let issues = IssueLog()
        let suite = FaultySuite(fault, onIssue: { issues.append($0) })
        var subject = Defaults.LawSubject(suite, issues: { issues.all })
        // Only a suite that never answers uses it up.
        subject.patience = 0.1
        try await law.check(subject)
      }
    }
  }

  @Test("A view that isn't always of the same suite is found out")
  func fickleView() async {
    await withKnownIssue {
      for law in Defaults.Law.all where law.number == 11 {
        try await law.check { FickleView() }
      }
    }
  }

  @Test("A store that gives back something else is found out")
  func faultyStore() async {
    await withKnownIssue {
      for law in Defaults.Law.all where law.number == 12 {
        try await law.check(ofStore: { ForgetfulStore() })
      }
    }
  }

  @Test(
    "A store that keeps removed names, or saves only once, is found out",
    arguments: CarelessStore.Fault.allCases)
  func carelessStores(fault: CarelessStore.Fault) async throws {
    let laws = Defaults.Law.all.filter { $0.number == 14 }
    try #require(laws.count == 2)
    for law in laws {
      try await withKnownIssue {
        try await law.check(ofStore: { CarelessStore(fault) })
      } when: {
        fault.breaks(law)
      }
    }
  }

  @Test(
    "A suite that keeps removed names, or saves only once, is found out if its entries are read again",
    arguments: CarelessStore.Fault.allCases)
  func carelessSuites(fault: CarelessStore.Fault) async throws {
    func subject() throws -> Defaults.LawSubject {
      let store = CarelessStore(fault)
      return Defaults.LawSubject(
        try Defaults.StoredSuite(store, onIssue: { _ in }), storedEntries: { store.load() })
    }
    await withKnownIssue {
      for law in Defaults.Law.all where law.number == 14 { try await law.check(subject()) }
    }
    // The check passes where it can't read what is stored.
    for law in Defaults.Law.all where law.number == 14 {
      try await law.check { try Defaults.StoredSuite(CarelessStore(fault), onIssue: { _ in }) }
    }
  }

  @Test("A store that can't be read passes if it says so, and is found out if it says it is empty")
  func unreadableStores() {
    Defaults.Law.checkUnreadable(ofStore: { DamagedStore(isHonest: true) })
    withKnownIssue { Defaults.Law.checkUnreadable(ofStore: { DamagedStore(isHonest: false) }) }
  }

  @Test("A binary file takes every value")
  func binaryFiles() throws {
    let sample = try Sample(.binaryFile)
    let values = ExactValue.all.map { ($0.name, $0.entry) }
    try sample.suite.setEntries(Dictionary(uniqueKeysWithValues: values))
    #expect(try sample.storedEntries().count == values.count)
  }
}

/// A store that takes true for 1.
private final class ForgetfulStore: Defaults.Store {
  private let rows = RowStore()
  let label = "forgetful"

  func load() -> [String: Defaults.PropertyListValue] {
    rows.load().mapValues { $0 == true ? 1 : $0 }
  }

  func save(_ entries: [String: Defaults.PropertyListValue], changed: Set<String>) throws {
    try rows.save(entries, changed: changed)
  }
}

/// A store that saves too little.
final class CarelessStore: Defaults.Store {
  enum Fault: CaseIterable {
    case keepsRemovedNames
    case savesOnce

    func breaks(_ law: Defaults.Law) -> Bool {
      switch self {
      case .keepsRemovedNames: law.sentence.hasPrefix("A name that was removed")
      case .savesOnce: true
      }
    }
  }

  private let fault: Fault
  private let rows = RowStore()
  let label = "careless"

  init(_ fault: Fault) { self.fault = fault }

  func load() -> [String: Defaults.PropertyListValue] { rows.load() }

  func save(_ entries: [String: Defaults.PropertyListValue], changed: Set<String>) throws {
    switch fault {
    case .keepsRemovedNames: try rows.save(entries, changed: Set(entries.keys))
    case .savesOnce: if rows.load().isEmpty { try rows.save(entries, changed: changed) }
    }
  }
}

/// A store of which nothing can be read, whether it says so or not.
private struct DamagedStore: Defaults.Store {
  let isHonest: Bool
  let label = "damaged"

  func load() throws -> [String: Defaults.PropertyListValue] {
    if isHonest { throw CocoaError(.fileReadCorruptFile) }
    return [:]
  }

  func save(_ entries: [String: Defaults.PropertyListValue], changed: Set<String>) {}
}

/// A view that makes a suite anew each time it is asked for the one that it shows.
private final class FickleView: Defaults.StoredSuiteView {
  /// Kept, so that no two have the same place in memory.
  private let suites = Log<Defaults.MemorySuite>()

  var storage: Defaults.StoredSuite {
    let suite = Defaults.MemorySuite()
    suites.append(suite)
    return suite.storage
  }
}
