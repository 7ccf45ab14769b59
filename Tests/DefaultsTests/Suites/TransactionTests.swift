import Defaults
import Foundation
import TestSupport
import Testing

@Suite("Throwing access, updates and transactions")
struct TransactionTests {
  let suite = Defaults.MemorySuite()
  let issues = IssueLog()

  // MARK: value(for:), set(_:for:), contains, names

  @Test("A throwing read returns the value or the reason why it can't be read")
  func throwingRead() throws {
    let key = Defaults.Key("x", default: 1, suite: suite)
    #expect(try suite.value(for: key) == 1)
    suite.set("text", forKey: "x")
    let error = #expect(throws: Defaults.SuiteError.self) { try suite.value(for: key) }
    #expect(error?.code == .undecodable)
    #expect(error?.key == "x")
    #expect(error?.suite == "memory")
    #expect(error?.underlying is Defaults.ConversionError)
    #expect(suite.string(forKey: "x") == "text")
  }

  @Test("A throwing set stores the value, or throws an error with the reason and keeps the entry")
  func throwingWrite() throws {
    let key = Defaults.Key<[Defaults.AnySerializable]>("x", default: [], suite: suite)
    try suite.set([1], for: key)
    #expect(try suite.value(for: key) == [1])
    let error = #expect(throws: Defaults.SuiteError.self) { try suite.set([nil], for: key) }
    #expect(error?.code == .unencodable)
    #expect(error?.key == "x")
    #expect(Defaults[key] == [1])
  }

  @Test("A suite contains and lists only the names of stored entries")
  func contains() {
    let x = Defaults.Key("x", default: 1, suite: suite)
    let y = Defaults.Key<Int?>("y", suite: suite)
    suite.register(defaults: ["z": 1])
    #expect(suite.names == [])
    #expect(![x, y].contains { suite.contains($0) })
    #expect(!suite.contains("z"))
    Defaults[x] = 1
    Defaults[y] = 1
    #expect(suite.contains(x))
    #expect(suite.contains("y"))
    #expect(suite.names == ["x", "y"])
    Defaults[y] = nil
    #expect(suite.names == ["x"])
  }

  // MARK: update

  @Test("An update changes the value once and returns the result of its body")
  func update() throws {
    let key = Defaults.Key("x", default: [1], suite: suite)
    let seen = Log<[Int]>()
    let observation = Defaults.observe(key, options: []) { seen.append($0.newValue) }
    let count = try Defaults.update(key) { list in
      list.append(2)
      list.append(3)
      return list.count
    }
    #expect(count == 3)
    _ = try suite.update(key) { $0.removeFirst() }
    #expect(seen.all == [[1, 2, 3], [2, 3]])
    observation.invalidate()
  }

  @Test("An update whose body throws changes nothing and rethrows the error")
  func throwingUpdate() {
    struct Refusal: Error {}
    let key = Defaults.Key("x", default: 1, suite: suite)
    #expect(throws: Refusal.self) {
      try Defaults.update(key) { value in
        value = 2
        throw Refusal()
      }
    }
    #expect(Defaults[key] == 1)
    #expect(suite.names == [])
  }

  @Test("An update of a value that doesn't decode begins with the default")
  func updateOfUndecodable() throws {
    let suite = Defaults.MemorySuite(["x": "text"]) { [issues] in issues.append($0) }
    let key = Defaults.Key("x", default: 10, suite: suite)
    try suite.update(key) { $0 += 1 }
    #expect(Defaults[key] == 11)
    #expect(issues.codes == [.undecodable])
  }

  @Test("An update in a suite accepts a key of another suite")
  func updateOfForeignKey() throws {
    let other = Defaults.MemorySuite()
    let key = Defaults.Key("x", default: 1, suite: suite)
    try other.update(key) { $0 += 1 }
    #expect((other[key], suite[key]) == (2, 1))
  }

  // MARK: transaction

  @Test("A draft has the committed entries and its own changes")
  func draft() throws {
    let x = Defaults.Key("x", default: 0, suite: suite)
    let y = Defaults.Key<String?>("y", suite: suite)
    let z = Defaults.Key("z", default: 5, suite: suite)
    Defaults[x] = 1
    Defaults[y] = "a"
    let result = try suite.transaction { draft in
      #expect((draft[x], draft[y], draft[z]) == (1, "a", 5))
      #expect(draft.names == ["x", "y"])
      #expect(draft.edits.isEmpty)

      draft[x] += 1
      draft[y]?.append("b")
      try draft.set(6, for: z)
      #expect((draft[x], draft[y], try draft.value(for: z)) == (2, "ab", 6))
      #expect(draft.names == ["x", "y", "z"])

      draft[y] = nil
      #expect(draft.entry(named: "y") == nil)
      #expect(draft.names == ["x", "z"])

      try draft.setEntry([1, "raw"], named: "raw")
      #expect(draft.entry(named: "raw") == [1, "raw"])
      draft.removeEntry(named: "raw")
      draft.reset(z)
      #expect(draft[z] == 5)
      #expect(
        draft.edits == ["x": .set(2), "y": .remove, "z": .remove, "raw": .remove])
      #expect((Defaults[x], Defaults[y]) == (1, "a"))
      return "done"
    }
    #expect(result == "done")
    #expect(suite.names == ["x"])
    #expect((Defaults[x], Defaults[y], Defaults[z]) == (2, nil, 5))
  }

  @Test("A draft that was emptied can be filled again")
  func emptiedDraft() throws {
    suite.set(1, forKey: "a")
    suite.set(2, forKey: "b")
    let changes = Log<[String: Defaults.Change.Entry]>()
    let observation = suite.observe(nil) { changes.append($0.entries) }
    try suite.transaction { draft in
      draft.removeAll()
      #expect(draft.names == [])
      draft[Defaults.Key("b", default: 0, suite: suite)] = 2
      draft[Defaults.Key("c", default: 0, suite: suite)] = 3
    }
    #expect(suite.names == ["b", "c"])
    // "b" has its old value again.
    #expect(changes.all == [["a": .init(old: 1, new: nil), "c": .init(old: nil, new: 3)]])
    observation.invalidate()
  }

  @Test("For an invalid value, a draft's subscripts report an issue, and its functions throw")
  func draftErrors() throws {
    let suite = Defaults.MemorySuite(["x": "text"]) { [issues] in issues.append($0) }
    let x = Defaults.Key("x", default: 1, suite: suite)
    let any = Defaults.Key<[Defaults.AnySerializable]>("any", default: [1], suite: suite)
    try suite.transaction { draft in
      #expect(draft[x] == 1)
      #expect(throws: Defaults.SuiteError.self) { try draft.value(for: x) }
      draft[any] = [nil]
      #expect(draft[any] == [1])
      #expect(throws: Defaults.SuiteError.self) { try draft.set([nil], for: any) }
      #expect(throws: Defaults.SuiteError.self) {
        let tooDeep = (0...Defaults.PropertyListValue.maximumDepth)
          .reduce(Defaults.PropertyListValue.integer(1)) { value, _ in [value] }
        try draft.setEntry(tooDeep, named: "deep")
      }
      #expect(draft.edits.isEmpty)
    }
    #expect(issues.codes == [.undecodable, .unencodable])
    #expect(suite.names == ["x"])
  }

  @Test("A draft reads registered defaults")
  func draftDefaults() throws {
    let key = Defaults.Key("x", default: 1, suite: suite)
    suite.register(defaults: ["x": 2])
    try suite.transaction { draft in
      #expect(draft[key] == 2)
      draft[key] += 1
    }
    #expect(Defaults[key] == 3)
  }

  @Test("A transaction that changes no entry doesn't notify observers")
  func emptyTransaction() throws {
    let key = Defaults.Key("x", default: 1, suite: suite)
    Defaults[key] = 2
    let changes = Log<Defaults.Change>()
    let observation = suite.observe(nil) { changes.append($0) }
    try suite.transaction { _ in }
    try suite.transaction { draft in
      draft[key] = 3
      draft[key] = 2
    }
    #expect(changes.count == 0)
    observation.invalidate()
  }
}
