import Defaults
import Foundation
import TestSupport
import Testing

extension Defaults.Keys {
  fileprivate static let bulkVolume = Key("bulk volume", default: 1)
  fileprivate static let bulkName = Key<String?>("bulk name")
  fileprivate static let bulkSizes = Key("bulk sizes", default: [Double]())
}

@Suite("Operations on many values")
struct BulkTests {
  @Test("Several keys are set in one change", arguments: SuiteKind.allCases)
  func values(kind: SuiteKind) throws {
    let sample = try Sample(kind)
    let changes = Log<Defaults.Change>()
    let observation = sample.suite.observe(nil, options: []) { changes.append($0) }
    let names = try sample.suite.setValues(
      (.bulkVolume, 5), (.bulkName, "Bo"), (.bulkSizes, [1.5]))
    #expect(names == ["bulk volume", "bulk name", "bulk sizes"])
    #expect(sample.suite.entries == ["bulk volume": 5, "bulk name": "Bo", "bulk sizes": [1.5]])
    #expect(changes.all.map(\.names) == [names])
    try sample.suite.setValues((.bulkName, nil))
    #expect(!sample.suite.contains(.bulkName))
    observation.invalidate()
  }

  @Test("Setting several keys can skip entries that exist", arguments: SuiteKind.allCases)
  func skipping(kind: SuiteKind) throws {
    let suite = try Sample(kind)
    suite.suite[.bulkVolume] = 3
    let set = try suite.suite.setValues(
      (.bulkVolume, 5), (.bulkSizes, [1]), skippingPresent: true)
    #expect(set == ["bulk sizes"])
    #expect(suite.suite[.bulkVolume] == 3)
    let entries = try suite.suite.setEntries(
      ["bulk sizes": [], "new": "x"], skippingPresent: true)
    #expect(entries == ["new"])
    #expect(suite.suite.entries == ["bulk volume": 3, "bulk sizes": [1.0], "new": "x"])
    #expect(try suite.suite.setEntries(["new": "y"]) == ["new"])
    #expect(suite.suite.string(forKey: "new") == "y")
  }

  @Test("Setting several keys sets all of them or none", arguments: SuiteKind.allCases)
  func allOrNone(kind: SuiteKind) throws {
    let sample = try Sample(kind)
    let any = Defaults.Key<[Defaults.AnySerializable]>("any", default: [], suite: sample.suite)
    #expect(throws: Defaults.SuiteError.self) {
      try sample.suite.setValues((.bulkVolume, 5), (any, [nil]))
    }
    let tooDeep = (0...Defaults.PropertyListValue.maximumDepth)
      .reduce(Defaults.PropertyListValue.integer(1)) { value, _ in [value] }
    #expect(throws: Defaults.SuiteError.self) {
      try sample.suite.setEntries(["a": 1, "b": tooDeep, "c": 2])
    }
    #expect(sample.suite.entries == [:])
  }

  @Test("An increment returns the new value", arguments: SuiteKind.allCases)
  func increment(kind: SuiteKind) throws {
    let sample = try Sample(kind)
    let count = Defaults.Key("count", default: 10, suite: sample.suite)
    #expect(try sample.suite.increment(count) == 11)
    #expect(try sample.suite.increment(count, by: -20) == -9)
    #expect(sample.suite.entries == ["count": -9])
  }

  @Test("An increment that overflows the type throws and changes nothing")
  func overflow() throws {
    let suite = Defaults.MemorySuite(["big": .unsignedInteger(.max), "text": "x"])
    let small = Defaults.Key("small", default: Int8(120), suite: suite)
    let big = Defaults.Key("big", default: UInt64(0), suite: suite)
    let text = Defaults.Key("text", default: 0, suite: suite)
    let error = #expect(throws: Defaults.SuiteError.self) { try suite.increment(small, by: 8) }
    #expect((error?.code, error?.key) == (.overflow, "small"))
    #expect(error?.reason == "The sum of 120 and 8 doesn't fit Int8; the value was not changed")
    #expect(throws: Defaults.SuiteError.self) { try suite.increment(big) }
    let undecodable = #expect(throws: Defaults.SuiteError.self) { try suite.increment(text) }
    #expect(undecodable?.code == .undecodable)
    #expect(suite.entries == ["big": .unsignedInteger(.max), "text": "x"])
    #expect(try suite.increment(small, by: 7) == 127)
  }

  @Test("Concurrent increments all take effect, each with a different result")
  func concurrentIncrements() async throws {
    let sample = try Sample(.binaryFile)
    let count = Defaults.Key("count", default: 0, suite: sample.suite)
    let seen = try await withThrowingTaskGroup(of: [Int].self) { group in
      for _ in 0..<4 {
        group.addTask { try (0..<50).map { _ in try sample.suite.increment(count) } }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    #expect(seen.sorted() == Array(1...200))
  }

  @Test("Names of entries are found by a prefix", arguments: SuiteKind.allCases)
  func prefix(kind: SuiteKind) throws {
    let sample = try Sample(kind)
    try sample.suite.setEntries(["ui.a": 1, "ui.b": 2, "ux": 3])
    #expect(sample.suite.names(prefix: "ui.") == ["ui.a", "ui.b"])
    #expect(sample.suite.names(prefix: "u") == ["ui.a", "ui.b", "ux"])
    #expect(sample.suite.names(prefix: "x") == [])
  }

  @Test("The file sizes of a suite are the sizes of its property list and its journal")
  func size() throws {
    let folder = try TemporaryFolder()
    let suite = try Defaults.PropertyListSuite(url: folder.url("suite.plist"))
    #expect(try suite.fileSizes().propertyList == 0)
    suite.set(String(repeating: "x", count: 10_000), forKey: "x")
    #expect(try suite.fileSizes().log > 10_000)
    try suite.flush(.snapshot)
    let size = try suite.fileSizes()
    let file = try Data(contentsOf: folder.url("suite.plist"))
    #expect(size.propertyList == file.count)
    #expect(size.log > 0)
    withExtendedLifetime(folder) {}
  }
}
