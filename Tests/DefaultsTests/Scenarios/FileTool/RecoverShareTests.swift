import Defaults
import Foundation
import Mutation
import Testing

@testable import DefaultsFile

@Suite("How much is recovered of files that are damaged in one place", .timeLimit(.minutes(5)))
struct RecoverShareTests {
  enum Form: CaseIterable, Sendable { case binary, xml, journal }

  private static func files(_ form: Form) throws -> [SoundFile] {
    let samples = (1...8).map { SampleEntries.of(UInt64($0), count: [1, 4, 12, 40, 90][$0 % 5]) }
    switch form {
    case .binary: return try samples.map { try .binary($0) }
    case .xml: return try samples.map { try .xml($0) }
    case .journal:
      return samples.map { .journal([$0]) }
        + samples.map { .journal($0.map { [$0.key: $0.value] }) }
        + [.journal(samples)]
    }
  }

  /// What came of some damages.
  struct Tally {
    var cases = 0
    /// Where all came back that should.
    var complete = 0
    var entries = 0
    var found = 0
    var wrong: [String] = []

    var share: Double { Double(complete) / Double(max(1, cases)) }
  }

  static func tally(_ form: Form, _ kind: OneDamage.Kind, cases: Int) throws -> Tally {
    var tally = Tally()
    let files = try files(form)
    var random = SplitMix64(state: UInt64(form.hashValue & 0) &+ 7)
    while tally.cases < cases {
      let file = files[tally.cases % files.count]
      let damage = OneDamage(kind, of: file.bytes.count, &random)
      let bytes = damage.damaged(file.bytes)
      let expected = file.entries(outside: damage)
      let found = Salvage.read(bytes)?.entries ?? [:]
      let missing = expected.filter { found[$0.key] == nil }
      tally.cases += 1
      tally.entries += expected.count
      tally.found += expected.count - missing.count
      if missing.isEmpty { tally.complete += 1 }
      for (name, value) in expected where found[name].map({ $0 != value }) ?? false {
        tally.wrong.append("\(damage) of \(file.bytes.count): \(name)")
      }
      if ProcessInfo.processInfo.environment["RECOVER_LAB"] != nil, !missing.isEmpty {
        print(
          "LAB", form, damage, "of", file.bytes.count, "missing", missing.count, "of",
          expected.count)
      }
    }
    if ProcessInfo.processInfo.environment["RECOVER_LAB"] != nil {
      print(
        "LABSUM", form, kind, tally.complete, tally.cases, tally.found, tally.entries, tally.wrong)
    }
    return tally
  }

  @Test(
    "In 95 of 100 cases every entry outside of the damage comes back, and none with another value",
    arguments: Form.allCases, OneDamage.Kind.allCases)
  func share(form: Form, kind: OneDamage.Kind) throws {
    let tally = try Self.tally(form, kind, cases: 300)
    #expect(tally.share >= 0.95)
    #expect(Double(tally.found) >= 0.95 * Double(tally.entries))
    #expect(tally.wrong == [])
  }
}
