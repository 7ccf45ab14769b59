import Defaults
import Foundation
import TestSupport
import Testing

@Suite("Imports")
struct ImportTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test("A dump of an import's report has no values, which may be secret")
  func mirror() throws {
    let suite = Defaults.MemorySuite()
    let report = try suite.importEntries(from: ["token": "abc"])
    var text = ""
    dump(report, to: &text)
    #expect(text.contains("token: taken") && !text.contains("abc"))
  }

  @Test(
    "A merging import sets the imported entries and keeps the rest", arguments: SuiteKind.allCases)
  func merge(kind: SuiteKind) throws {
    let sample = try ObservedSample(kind)
    let result = try sample.suite.importEntries(from: #"{"a":1,"b":20,"d":4}"#, as: .json)
    #expect(sample.suite.entries == ["a": 1, "b": 20, "c": 3, "d": 4])
    #expect((result.added, result.updated, result.removed) == (["d"], ["b"], []))
    #expect((Set(result.skipped.keys), result.taken) == (["a"], ["b", "d"]))
    #expect(sample.changes.all.map(\.names) == [["b", "d"]])
  }

  @Test(
    "A replacing import keeps entries that are equal and removes the others",
    arguments: SuiteKind.allCases)
  func replace(kind: SuiteKind) throws {
    let sample = try ObservedSample(kind)
    let result = try sample.suite.importEntries(
      from: #"{"a":1,"b":20,"d":4}"#, as: .json, by: .replace)
    #expect(sample.suite.entries == ["a": 1, "b": 20, "d": 4])
    #expect((result.added, result.updated, result.removed) == (["d"], ["b"], ["c"]))
    #expect((Set(result.skipped.keys), result.taken) == (["a"], ["b", "d"]))
    #expect(sample.changes.all.map(\.names) == [["b", "c", "d"]])
  }

  @Test("A replacing import removes every entry that isn't imported", arguments: SuiteKind.allCases)
  func replaceAll(kind: SuiteKind) throws {
    let sample = try ObservedSample(kind)
    let result = try sample.suite.importEntries(from: ["d": 4], by: .replace)
    #expect(sample.suite.entries == ["d": 4])
    #expect((result.added, result.removed) == (["d"], ["a", "b", "c"]))
  }

  @Test("An import with a value of the wrong type for a selected key is rejected as a whole")
  func wrongType() throws {
    let suite = Defaults.MemorySuite(["volume": 3])
    let key = Defaults.Key("volume", default: 0, suite: suite)
    let theme = Defaults.Key("theme", default: "", suite: suite)
    let error = #expect(throws: Defaults.SuiteError.self) {
      try suite.importEntries(.keys([theme, key]), from: ["theme": "dark", "volume": "loud"])
    }
    #expect(error?.code == .undecodable)
    #expect(error?.key == "volume")
    #expect(suite.entries == ["volume": 3])
  }

  @Test(
    "A closure resolves import conflicts in the order of names",
    arguments: SuiteKind.allCases)
  func mergeByClosure(kind: SuiteKind) throws {
    let sample = try ObservedSample(kind)
    let asked = Log<String>()
    let result = try sample.suite.importEntries(
      from: #"{"a":1,"c":30,"b":20,"d":4}"#, as: .json,
      by: .merge { name, old, new in
        asked.append("\(name) \(old) \(new)")
        return name == "b" ? old : [old, new]
      })
    #expect(asked.all == ["b 2 20", "c 3 30"])
    #expect(sample.suite.entries == ["a": 1, "b": 2, "c": [3, 30], "d": 4])
    #expect((result.taken, result.removed) == (["c", "d"], []))
    #expect(
      result.skipped.mapValues(\.description).sorted { $0.key < $1.key }.map(\.value) == [
        "the value is the same", "the current value was kept",
      ])
    #expect(sample.changes.count == 1)
  }

  @Test("An import report is sorted by name, even if one name is a prefix of another")
  func reportOrder() throws {
    let suite = Defaults.MemorySuite(["app.theme": 1, "app-2": 2, "gone": 3])
    let report = try suite.importEntries(
      from: ["app": 1, "app.theme": 1, "app2": 1, "App": 1], by: .replace)
    #expect(
      "\(report)" == """
        App: taken
        app: taken
        app-2: removed
        app.theme: skipped: the value is the same
        app2: taken
        gone: removed
        """)
  }

  @Test(
    "An import whose closure throws changes nothing and wraps the closure's error in its own",
    arguments: SuiteKind.allCases)
  func throwingClosure(kind: SuiteKind) throws {
    struct Refusal: Error {}
    let sample = try ObservedSample(kind)
    let error = #expect(throws: Defaults.SuiteError.self) {
      try sample.suite.importEntries(
        from: ["a": 10, "b": 20, "d": 4],
        by: .merge { name, _, new in
          if name == "b" { throw Refusal() }
          return new
        })
    }
    #expect(error?.code == .unresolved)
    #expect(error?.key == "b")
    #expect(error?.underlying is Refusal)
    sample.expectUnchanged()
  }

  @Test("An import changes nothing if an entry can't be stored", arguments: SuiteKind.allCases)
  func unrepresentable(kind: SuiteKind) throws {
    let sample = try ObservedSample(kind)
    let tooDeep = (0...Defaults.PropertyListValue.maximumDepth)
      .reduce(Defaults.PropertyListValue.integer(1)) { value, _ in [value] }
    for bad in [["a": 2, "deep": tooDeep], ["a": 2, "": 1]] {
      for mode in [Defaults.ImportMode.merge, .replace, .merge(.keepOurs)] {
        let error = #expect(throws: Defaults.SuiteError.self) {
          try sample.suite.importEntries(from: bad, by: mode)
        }
        #expect(error?.code == .unrepresentable)
      }
    }
    sample.expectUnchanged()
  }

  @Test("An import of equal entries isn't a change", arguments: SuiteKind.allCases)
  func same(kind: SuiteKind) throws {
    let sample = try ObservedSample(kind)
    let text = try sample.suite.exportString(as: .json)
    for mode in [Defaults.ImportMode.merge, .replace] {
      let result = try sample.suite.importEntries(from: text, as: .json, by: mode)
      #expect((result.taken, result.removed) == ([], []))
      #expect(Set(result.skipped.keys) == ["a", "b", "c"])
    }
    sample.expectUnchanged()
  }

  @Test("An import sets and replaces only selected entries")
  func selection() throws {
    let suite = Defaults.MemorySuite(["a": 1, "b": 2, "c": 3])
    let result = try suite.importEntries(
      .names("a", "b", "d"), from: ["a": 10, "c": 30, "d": 40], by: .replace)
    #expect(suite.entries == ["a": 10, "c": 3, "d": 40])
    #expect((result.taken, result.removed) == (["a", "d"], ["b"]))
    try suite.importEntries(.keys(Defaults.Key("c", default: 0)), from: ["a": 11, "c": 31])
    #expect(suite.entries == ["a": 10, "c": 31, "d": 40])
    #expect(try suite.importEntries(.names("a"), from: ["": 1]).taken == [])
  }

  @Test("An import resolves conflicts by keepOurs or takeTheirs")
  func rules() throws {
    let suite = Defaults.MemorySuite(["a": 1])
    try suite.importEntries(from: ["a": 2, "b": 2], by: .merge(.keepOurs))
    #expect(suite.entries == ["a": 1, "b": 2])
    try suite.importEntries(from: ["a": 3, "b": 3], by: .merge(.takeTheirs))
    #expect(suite.entries == ["a": 3, "b": 3])
  }

  @Test("A malformed import throws an error with path, line and column, and changes nothing")
  func malformed() throws {
    let suite = Defaults.MemorySuite(["a": 1])
    try folder.write("{\n  \"a\": 2,\n  \"b\": nil\n}\n", to: "a.json")
    try folder.write(
      "<plist><dict>\n<key>a</key>\n<intger>1</intger></dict></plist>", to: "a.plist")
    let json = #expect(throws: Defaults.SuiteError.self) {
      try suite.importEntries(from: folder.url("a.json"), as: .json)
    }
    #expect(json?.code == .malformed)
    #expect(json?.path == folder["a.json"])
    #expect(json?.reason.contains("read: line 3, column 8: a value was expected") == true)
    #expect(json?.underlying is Defaults.ConversionError)
    let plist = #expect(throws: Defaults.SuiteError.self) {
      try suite.importEntries(from: folder.url("a.plist"), as: .plist)
    }
    #expect(plist?.reason.contains("line 3, column 1") == true)
    let binary = #expect(throws: Defaults.SuiteError.self) {
      try suite.importEntries(from: Data("bplist00".utf8), as: .plist, by: .replace)
    }
    #expect(binary?.code == .malformed)
    #expect(binary?.reason.contains("line") == false)
    #expect(suite.entries == ["a": 1])
  }

  @Test("An error about an imported entry has the path of the imported file")
  func pathOfRejected() throws {
    let suite = Defaults.MemorySuite(["volume": 3])
    let key = Defaults.Key("volume", default: 5, suite: suite, .in(0...11))
    let migrated = Defaults.MemorySuite()
    try migrated.migrate(to: 1, steps: [])
    let newer = #"{"volume": 5, "Defaults.version": 3}"#
    for (target, content, code) in [
      (suite, #"{"volume": 99}"#, .invalid), (suite, #"{"volume": "loud"}"#, .undecodable),
      (suite, newer, .newerEntries), (migrated, newer, .newerEntries),
    ] as [(Defaults.MemorySuite, String, Defaults.SuiteError.Code)] {
      try folder.write(content, to: "bad.json")
      let error = #expect(throws: Defaults.SuiteError.self) {
        try target.importEntries(.keys(key), from: folder.url("bad.json"), as: .json)
      }
      #expect((error?.code, error?.path) == (code, folder["bad.json"]))
    }
    #expect(suite.entries == ["volume": 3])
  }

  @Test("An import of a missing file, or of a folder, throws")
  func unreadable() throws {
    let suite = Defaults.MemorySuite(["a": 1])
    for name in ["missing.json", "."] {
      let error = #expect(throws: Defaults.SuiteError.self) {
        try suite.importEntries(from: folder.url(name), as: .json, by: .replace)
      }
      #expect(error?.code == .unreadable)
    }
    #expect(suite.entries == ["a": 1])
  }

  @Test("A custom format can be used for import and export")
  func customFormat() throws {
    let suite = Defaults.MemorySuite(["a": 1, "b": "two"])
    #expect(try suite.exportString(as: .lines) == "a=1\nb=two")
    let copy = Defaults.MemorySuite()
    try copy.importEntries(from: "b=2\nc=x", as: .lines)
    #expect(copy.entries == ["b": "2", "c": "x"])
    let error = #expect(throws: Defaults.SuiteError.self) {
      try copy.importEntries(from: "b", as: .lines)
    }
    #expect(error?.code == .malformed)
    #expect(error?.underlying is LineFormat.Failure)
    let refused = #expect(throws: Defaults.SuiteError.self) {
      try Defaults.MemorySuite(["a": [1]]).exportData(as: .lines)
    }
    #expect(refused?.code == .unrepresentable)
  }
}

/// A suite with some entries, and the changes that its observer is notified of.
private final class ObservedSample {
  let changes = Log<Defaults.Change>()
  private let sample: Sample
  private let observation: any Defaults.Observation

  var suite: any Defaults.Suite { sample.suite }

  init(_ kind: SuiteKind) throws {
    sample = try Sample(kind)
    try sample.suite.setEntries(["a": 1, "b": 2, "c": 3])
    observation = sample.suite.observe(nil, options: []) { [changes] in changes.append($0) }
  }

  deinit { observation.invalidate() }

  /// Expects that no change was made since.
  func expectUnchanged(sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(suite.entries == ["a": 1, "b": 2, "c": 3], sourceLocation: sourceLocation)
    #expect(changes.count == 0, sourceLocation: sourceLocation)
  }
}

/// A format as a third party would write one.
struct LineFormat: Defaults.ExchangeFormat {
  struct Failure: Error {}

  func encode(_ entries: [String: Defaults.PropertyListValue]) throws -> Data {
    let lines = try entries.sorted { $0.key < $1.key }.map { name, value in
      switch value {
      case .string(let text): "\(name)=\(text)"
      case .integer(let number): "\(name)=\(number)"
      default: throw Failure()
      }
    }
    return Data(lines.joined(separator: "\n").utf8)
  }

  func decode(_ data: Data) throws -> [String: Defaults.PropertyListValue] {
    var entries: [String: Defaults.PropertyListValue] = [:]
    for line in String(decoding: data, as: UTF8.self).split(separator: "\n") {
      let parts = line.split(separator: "=", maxSplits: 1)
      guard parts.count == 2 else { throw Failure() }
      entries[String(parts[0])] = .string(String(parts[1]))
    }
    return entries
  }
}

extension Defaults.ExchangeFormat where Self == LineFormat {
  static var lines: Self { Self() }
}
