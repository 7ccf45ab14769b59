import Defaults
import Foundation
import FuzzInputs
import TestSupport
import Testing

@testable import DefaultsFile

@Suite("Share of entries that are recovered from a damaged file", .tags(.slow), .timeLimit(.aHang))
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

  /// The results of some damages.
  struct Tally {
    var cases = 0
    /// The cases in which every expected entry was recovered.
    var complete = 0
    var entries = 0
    var found = 0
    var wrong: [String] = []

    var share: Double { Double(complete) / Double(max(1, cases)) }
  }

  static func tally(_ form: Form, _ kind: OneDamage.Kind, cases: Int) throws -> Tally {
    var tally = Tally()
    let files = try files(form)
    var random = SplitMix64(state: 7)
    while tally.cases < cases {
      let file = files[tally.cases % files.count]
      let damage = OneDamage(kind, of: file.bytes.count, &random)
      let bytes = damage.damaged(file.bytes)
      let expected = file.entries(outside: damage)
      let salvage = Salvage.read(bytes)
      let found = salvage?.entries ?? [:]
      let losses = salvage?.losses ?? []
      let missing = expected.filter { found[$0.key] == nil }
      tally.cases += 1
      tally.entries += expected.count
      tally.found += expected.count - missing.count
      if missing.isEmpty { tally.complete += 1 }
      for (name, value) in expected where found[name].map({ $0 != value }) ?? false {
        // A journal's damaged name may be the name of another entry, which is reported.
        let isReported = losses.contains { loss in
          loss.contains("may be wrong")
            && (loss.contains(Salvage.shown(name)) || loss.hasSuffix(" more"))
        }
        if form == .journal, isReported { continue }
        tally.wrong.append("\(damage) of \(file.bytes.count): \(name)")
      }
    }
    return tally
  }

  @Test(
    "In 95 of 100 cases, recovery returns every undamaged entry; it reports a value that may be wrong",
    arguments: Form.allCases)
  func share(form: Form) throws {
    var all = Tally()
    for kind in OneDamage.Kind.allCases {
      let tally = try Self.tally(form, kind, cases: 200)
      #expect(tally.share >= 0.9, "\(kind): \(tally.complete) of \(tally.cases)")
      #expect(tally.wrong == [])
      all.cases += tally.cases
      all.complete += tally.complete
      all.entries += tally.entries
      all.found += tally.found
    }
    #expect(all.share >= 0.95)
    #expect(Double(all.found) >= 0.95 * Double(all.entries))
  }

  @Test("If two damages assign a value to the wrong entry, recovery usually reports that entry")
  func exchangedValues() throws {
    let names = Dictionary(uniqueKeysWithValues: (100..<140).map { ("name\($0)", "value\($0)") })
    let bytes = Array(
      try Defaults.PropertyListFormat.binary.encode(names.mapValues { .string($0) }))
    let values = Set(names.values.map { Defaults.PropertyListValue.string($0) })
    var random = SplitMix64(state: 11)
    var (count, said) = (0, 0)
    for number in 0..<150 {
      // Both damages are among the references that assign values.
      let kinds: [OneDamage.Kind] = [.deletion, .insertion, .flip]
      let first = OneDamage(kinds[number % 3], of: 80, &random).damaged(bytes)
      let damaged = OneDamage(kinds[number / 3 % 3], of: 80, &random).damaged(first)
      guard let found = Salvage.read(damaged), !found.isSound else { continue }
      let isExchanged = found.entries.contains { name, value in
        values.contains(value) && names[name].map { .string($0) != value } ?? false
      }
      guard isExchanged else { continue }
      count += 1
      if found.losses.contains(where: { $0.contains("the value of another entry") }) { said += 1 }
    }
    #expect(count > 0)
    // Some of the damage leaves no trace.
    #expect(Double(said) >= 0.9 * Double(count), "\(said) of \(count)")
  }

  @Test("If damage gives two entries of a journal's record one name, recovery returns neither")
  func doubledName() throws {
    let bytes = SoundFile.journal([["on0": true, "on1": false, "other": 7]]).bytes
    let name = Array("on1".utf8)
    let place = try #require(bytes.indices.first { bytes[$0...].starts(with: name) })
    var damaged = bytes
    damaged[place + 2] ^= 1
    let found = try #require(Salvage.read(damaged))
    #expect(found.entries == ["other": 7])
    #expect(!found.isSound)
  }

  @Test("Recovery of a text with a damaged length takes no bytes from the following number")
  func takenBytes() throws {
    // The last byte of the number reads as true, and its last two as 9. The order of the values
    // differs from file to file.
    for number in 0..<20 {
      let file = try SoundFile.binary([
        "text\(number)": "window.frame 12345", "n\(number)": 4105, "on\(number)": true,
      ])
      for index in file.bytes.indices {
        for flip: UInt8 in [1, 6, 52, 132] {
          var bytes = file.bytes
          bytes[index] ^= flip
          let found = Salvage.read(bytes)?.entries ?? [:]
          for (name, places) in file.places where !places.contains(where: { $0.contains(index) }) {
            #expect(found[name] == nil || found[name] == file.entries[name], "\(index) ^ \(flip)")
          }
        }
      }
    }
  }

  @Test("Recovery of hostile bytes never traps or hangs")
  func hostile() {
    let seeds = (MutationSeeds.journals + Self.small).map { $0 }
    var random = SplitMix64(state: 4)
    for number in 0..<600 {
      let seed = seeds[number % seeds.count]
      let input = Mutation.damaged(seed, with: &random, splicing: random.pick(seeds).bytes)
      _ = Salvage.read(input.bytes)
    }
  }

  private static let small: [HostileInput] = (1...4).flatMap { seed -> [HostileInput] in
    let entries = SampleEntries.of(UInt64(seed), count: 3 * seed)
    return [
      (try? SoundFile.binary(entries).bytes).map { HostileInput(.binary, $0) },
      (try? SoundFile.xml(entries).bytes).map { HostileInput(.xml, $0) },
    ].compactMap(\.self)
  }
}
