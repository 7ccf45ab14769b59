import Defaults
import Foundation
import TestSupport
import Testing

@testable import DefaultsEtcd

@Suite("Caches of etcd suites")
struct EtcdCacheTests {
  private let folder: TemporaryFolder
  /// The caches of two processes in one file.
  private let first: Cache
  private let second: Cache
  private let earlier = Intent(edit: .set(2), knownUpTo: 5, wasThere: true)
  private let later = Intent(edit: .set(3), knownUpTo: 5, wasThere: true)

  init() throws {
    folder = try TemporaryFolder()
    let url = folder.url("cache.plist")
    first = try Cache(url, prefix: "app/", onIssue: nil)
    second = try Cache(url, prefix: "app/", onIssue: nil)
    try first.change(["a": earlier])
  }

  private var intents: [String: Intent]? { second.load().note?.intents }

  @Test(
    "A queued set stays in the cache when another process made its earlier set",
    arguments: [
      Edit.set(2), .remove,
    ])
  func made(edit: Edit) throws {
    let earlier = Intent(edit: edit, knownUpTo: 5, wasThere: true)
    try first.change(["a": earlier])
    try second.change(["a": later])
    try first.end(earlier, of: "a", madeAt: 7)
    #expect(
      intents == ["a": Intent(edit: .set(3), knownUpTo: 7, wasThere: edit != .remove)])
    try second.end(later, of: "a", madeAt: 8)
    #expect(intents == [:])
  }

  @Test("A later queued set keeps the revision of the set that another process made meanwhile")
  func setAgain() throws {
    try second.change(["a": later])
    try first.end(earlier, of: "a", madeAt: 7)
    // Based on what the second process knew before.
    try second.change(["a": Intent(edit: .set(4), knownUpTo: 5, wasThere: true)])
    #expect(intents == ["a": Intent(edit: .set(4), knownUpTo: 7, wasThere: true)])
  }

  @Test("The revision of a queued set is replaced when the cluster has another history")
  func otherHistory() throws {
    let renewed = Intent(edit: .set(2), knownUpTo: 0, wasThere: true)
    let again = Intent(edit: .set(4), knownUpTo: 0, wasThere: true)
    var known = Known()
    known.intents = ["a": renewed]
    known.isCacheOfOther = true
    #expect(try first.save(known, of: "cluster", writer: "w") { [:] }.isEmpty)
    #expect(intents == ["a": renewed])
    try first.change(["a": earlier])
    try first.change(["a": again], isOther: true)
    #expect(intents == ["a": again])
  }

  @Test("Without a cache, a change of the cluster isn't recorded for one")
  func withoutCache() {
    let entry = RemoteEntry(name: "a", revision: 1, content: .edit(.set(1)))
    for hasCache in [true, false] {
      var known = Known()
      known.hasCache = hasCache
      #expect(known.take([entry]).edits == ["a": .set(1)])
      #expect(known.unsaved == (hasCache ? ["a": .set(1)] : [:]))
    }
  }

  @Test("A queued set stays in the cache when another process discarded its earlier set")
  func givenUp() throws {
    try second.change(["a": later])
    try first.remove(earlier, of: "a")
    #expect(intents == ["a": later])
    try second.remove(later, of: "a")
    #expect(intents == [:])
  }

  @Test("A queued set stays in the cache when another process gets the result of a transaction")
  func sent() throws {
    try second.change(["a": later])
    let mark = Mark(writer: "w", text: "1", before: 0, lease: 1)
    try first.remove(
      SentTransaction(mark: mark, edits: ["a": .set(1)]),
      updating: ["a": Intent(edit: .set(2), knownUpTo: 6, wasThere: true)])
    #expect(intents == ["a": Intent(edit: .set(3), knownUpTo: 6, wasThere: true)])
  }

  /// A NaN as it is computed at run time on x86, which a property list can't hold exactly.
  private static let signedNaN = Defaults.PropertyListValue.real(
    Double(bitPattern: 0xfff8_0000_0000_0000))

  @Test("An entry that the cache can't store is left out, and the others are saved")
  func unstorable() throws {
    var known = Known()
    (known.revision, known.unsaved) = (6, ["a": .set(1), "b": .set(2)])
    #expect(try first.save(known, of: "", writer: "w") { [:] }.isEmpty)
    #expect(second.load().entries == ["a": 1, "b": 2])
    (known.revision, known.unsaved) = (7, ["a": .set(3), "b": .set(Self.signedNaN)])
    let problems = try first.save(known, of: "", writer: "w") { [:] }
    #expect(problems.map(\.code) == [.unrepresentable] && problems.map(\.key) == ["b"])
    #expect(second.load().entries == ["a": 3])
    #expect(second.load().note?.revision == 7)
    (known.revision, known.isWholeUnsaved) = (8, true)
    let again = try first.save(known, of: "", writer: "w") { ["b": Self.signedNaN, "c": 4] }
    #expect(again.map(\.key) == ["b"])
    #expect(second.load().entries == ["c": 4])
  }

  @Test("The cache stores queued sets and sent transactions of values with the most levels")
  func deepest() throws {
    let limit = Defaults.PropertyListValue.maximumDepth
    for levels in limit - 8...limit {
      let value = (1..<levels).reduce(1) { value, _ in [value] } as Defaults.PropertyListValue
      let intent = Intent(edit: .set(value), knownUpTo: 5, wasThere: true)
      try first.change(["a": intent])
      #expect(intents == ["a": intent], "\(levels) levels")
      let mark = Mark(writer: "w", text: "1", before: 0, lease: 1)
      let sent = SentTransaction(mark: mark, edits: ["a": .set(value), "b": .remove])
      try first.add(sent)
      #expect(second.load().note?.sent == ["w": sent], "\(levels) levels")
    }
  }
}
