import Defaults
import DefaultsTesting
import Foundation
import TestSupport
import Testing

@Suite("Suite requirements")
struct SuiteRequirementTests {
  @Test(
    "Every suite of the package meets each requirement", arguments: Defaults.SuiteRequirement.all,
    SuiteKind.allCases)
  func suites(requirement: Defaults.SuiteRequirement, kind: SuiteKind) async throws {
    let sample = try Sample(kind)
    var stored: (@Sendable () throws -> [String: Defaults.PropertyListValue])?
    var durable = stored
    if SuiteKind.persistent.contains(kind) {
      stored = { try sample.storedEntries() }
      durable = { try sample.durableEntries() }
    }
    try await requirement.check(
      Defaults.SuiteUnderTest(
        sample.suite, issues: { sample.issues.all }, storedEntries: stored,
        durableEntries: durable))
  }

  @Test(
    "A custom suite in memory meets each requirement, with and without access to its storage",
    arguments: Defaults.SuiteRequirement.all)
  func ownSuite(requirement: Defaults.SuiteRequirement) async throws {
    try await requirement.check { FaultySuite(nil, onIssue: $0) }
    try await requirement.check(makeSubject(nil))
  }

  /// A suite with a fault, and access to its issues and its storage.
  private func makeSubject(_ fault: FaultySuite.Fault?) -> Defaults.SuiteUnderTest {
    let issues = IssueLog()
    let suite = FaultySuite(fault, onIssue: { issues.append($0) })
    return Defaults.SuiteUnderTest(
      suite, issues: { issues.all }, storedEntries: { suite.storedEntries })
  }

  @Test(
    "A store that returns the saved entries meets each requirement",
    arguments: Defaults.SuiteRequirement.all)
  func store(requirement: Defaults.SuiteRequirement) async throws {
    try await requirement.check(ofStore: { RowStore() })
  }

  @Test("All requirements can be checked in one call")
  func everything() async throws {
    try await Defaults.checkRequirements { Defaults.MemorySuite(onIssue: { _ in }) }
    try await Defaults.checkRequirements(ofStore: { RowStore() })
  }

  /// The requirements with a number.
  private func requirements(_ number: Int) -> [Defaults.SuiteRequirement] {
    Defaults.SuiteRequirement.all.filter { $0.number == number }
  }

  @Test(
    "A suite that violates a requirement fails its check", arguments: FaultySuite.Fault.allCases)
  func faults(fault: FaultySuite.Fault) async throws {
    let found = try await recordedIssues {
      for requirement in requirements(fault.requirement) {
        var subject = makeSubject(fault)
        // Only a suite that never answers uses it up.
        subject.patience = 0.1
        try await requirement.check(subject)
      }
    }
    #expect(!found.isEmpty)
  }

  @Test("A view that changes its suite between calls fails its check")
  func fickleView() async throws {
    let found = try await recordedIssues {
      for requirement in requirements(11) { try await requirement.check { FickleView() } }
    }
    #expect(!found.isEmpty)
  }

  @Test("A store that returns other values than it saved fails its check")
  func faultyStore() async throws {
    let found = try await recordedIssues {
      for requirement in requirements(12) {
        try await requirement.check(ofStore: { ForgetfulStore() })
      }
    }
    #expect(!found.isEmpty)
  }

  @Test(
    "A store that can't tell some names apart fails its check, and passes if it rejects them",
    arguments: LossyNameStore.Fault.allCases)
  func lossyNames(fault: LossyNameStore.Fault) async throws {
    let requirements = requirements(12)
    let found = try await recordedIssues {
      for requirement in requirements {
        try await requirement.check(ofStore: { LossyNameStore(fault, isStrict: false) })
      }
    }
    #expect(!found.isEmpty)
    for requirement in requirements {
      try await requirement.check(ofStore: { LossyNameStore(fault, isStrict: true) })
    }
  }

  @Test(
    "A store that keeps removed names or saves only once fails its check",
    arguments: CarelessStore.Fault.allCases)
  func carelessStores(fault: CarelessStore.Fault) async throws {
    let requirements = requirements(14)
    try #require(requirements.count == 2)
    for requirement in requirements {
      let found = try await recordedIssues {
        try await requirement.check(ofStore: { CarelessStore(fault) })
      }
      #expect(found.isEmpty != fault.breaks(requirement))
    }
  }

  @Test(
    "A suite that keeps removed names or saves only once fails its check if its entries are read",
    arguments: CarelessStore.Fault.allCases)
  func carelessSuites(fault: CarelessStore.Fault) async throws {
    let found = try await recordedIssues {
      for requirement in requirements(14) {
        let store = CarelessStore(fault)
        try await requirement.check(
          Defaults.SuiteUnderTest(
            try Defaults.StoredSuite(store, onIssue: { _ in }), storedEntries: { store.load() }))
      }
    }
    #expect(!found.isEmpty)
    // The check passes if it can't read the stored entries.
    for requirement in requirements(14) {
      try await requirement.check {
        try Defaults.StoredSuite(CarelessStore(fault), onIssue: { _ in })
      }
    }
  }

  @Test("An unreadable store passes the check if it throws, and fails if it is empty")
  func unreadableStores() async throws {
    Defaults.SuiteRequirement.checkUnreadable(ofStore: { DamagedStore(isHonest: true) })
    let found = try await recordedIssues {
      Defaults.SuiteRequirement.checkUnreadable(ofStore: { DamagedStore(isHonest: false) })
    }
    #expect(found.count == 1)
  }

  @Test("A suite in a binary file stores every value of the requirements")
  func binaryFiles() throws {
    let sample = try Sample(.binaryFile)
    let values = ExactValue.all.map { ($0.name, $0.entry) }
    try sample.suite.setEntries(Dictionary(uniqueKeysWithValues: values))
    #expect(try sample.storedEntries().count == values.count)
    #expect(try sample.durableEntries().count == values.count)
  }
}

/// A store that returns 1 for true.
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

    func breaks(_ requirement: Defaults.SuiteRequirement) -> Bool {
      switch self {
      case .keepsRemovedNames: requirement.sentence.hasPrefix("A name that was removed")
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

/// A store that can't be read, and either throws or returns no entries.
private struct DamagedStore: Defaults.Store {
  let isHonest: Bool
  let label = "damaged"

  func load() throws -> [String: Defaults.PropertyListValue] {
    if isHonest { throw CocoaError(.fileReadCorruptFile) }
    return [:]
  }

  func save(_ entries: [String: Defaults.PropertyListValue], changed: Set<String>) {}
}

/// A view that creates a suite each time.
private final class FickleView: Defaults.StoredSuiteView {
  /// Kept, so that no two have the same address.
  private let suites = Log<Defaults.MemorySuite>()

  var storage: Defaults.StoredSuite {
    let suite = Defaults.MemorySuite()
    suites.append(suite)
    return suite.storage
  }
}
