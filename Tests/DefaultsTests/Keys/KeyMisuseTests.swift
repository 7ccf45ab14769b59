import Defaults
import Foundation
import TestSupport
import Testing

@Suite("Traps for misuse", .prompt)
struct KeyMisuseTests {
  @Test("A key with an empty name traps with a message")
  func emptyName() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      _ = Defaults.Key("", default: 1, suite: Defaults.MemorySuite())
    }
    #expect(text(of: result).contains("the name of a key must not be empty"))
  }

  @Test("A key with a name that the library reserves traps with a message")
  func reservedName() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Defaults.Key(Defaults.versionName, default: 0)
    }
    #expect(text(of: result).contains("Defaults.version is reserved for an entry of the library"))
  }

  @Test("A previous name that is empty or reserved for the library traps with a message")
  func invalidPreviousName() async {
    let reserved = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Defaults.Key(
        "new", default: 0, suite: Defaults.MemorySuite(),
        .renamed(from: "old", Defaults.versionName))
    }
    let empty = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Defaults.Key("new", default: 0, suite: Defaults.MemorySuite(), .renamed(from: ""))
    }
    #expect(text(of: reserved).contains(#"name "Defaults.version" of "new" is reserved for an"#))
    #expect(text(of: empty).contains(#"the previous name "" of "new" is empty"#))
  }

  @Test("A set of an entry with an empty name changes nothing and is reported or throws")
  func emptyNameOfEntry() {
    let issues = IssueLog()
    let suite = Defaults.MemorySuite(["": 1]) { issues.append($0) }
    suite.set(2, forKey: "")
    #expect(issues.codes == [.unrepresentable])
    let error = #expect(throws: Defaults.SuiteError.self) {
      try suite.transaction { draft in
        for name in draft.names { try draft.setEntry(3, named: name) }
      }
    }
    #expect(error?.code == .unrepresentable && suite.entries == ["": 1])
  }

  @Test("A write to a suite inside its own transaction traps with a message")
  func writeInTransaction() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let key = Defaults.Key("x", default: 1, suite: Defaults.MemorySuite())
      try key.suite.transaction { _ in Defaults[key] = 2 }
    }
    expectTransactionSentence(result, #"written ("x")"#)
  }

  @Test("A pattern that isn't a regular expression traps with key and pattern")
  func pattern() async throws {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      _ = Defaults.Key<[String]>(
        "users", default: [], suite: Defaults.MemorySuite(), .each(.matching("[a-z")))
    }
    let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(text.contains(#"the key "users" can't be declared: its pattern [a-z isn't a regular"#))
  }

  @Test("A range that contains no count traps with key and range")
  func noCount() async throws {
    let ofText = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      _ = Defaults.Key<String?>("name", suite: Defaults.MemorySuite(), .count(0..<0))
    }
    let ofElements = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      _ = Defaults.Key<[[Int]]>(
        "rows", default: [], suite: Defaults.MemorySuite(), .each(.count(..<0)))
    }
    for (result, words) in [
      (ofText, #"the key "name" can't be declared: its range 0..<0 contains no count"#),
      (ofElements, #"the key "rows" can't be declared: its range ..<0 contains no count"#),
    ] {
      let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
      #expect(text.contains(words), "\(text)")
    }
  }

  @Test("A range or a list of choices without values traps with the key")
  func noValue() async {
    let range = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Defaults.Key<Int?>("level", suite: Defaults.MemorySuite(), .in(5..<5))
    }
    let choices = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Defaults.Key<String?>("side", suite: Defaults.MemorySuite(), .choices([]))
    }
    #expect(
      text(of: range).contains(
        #"the key "level" can't be declared: its range 5..<5 contains no value"#))
    #expect(
      text(of: choices).contains(
        #"the key "side" can't be declared: its list of choices is empty"#))
  }

  @Test("A generated key without a default traps with a message")
  func nothingToGenerate() async throws {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      _ = Defaults.Key<Int?>("id", suite: Defaults.MemorySuite(), .generatedOnce)
    }
    let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(text.contains(#"the key "id" has no default to compute or generate"#))
  }

  @Test("A computed key whose default is a constant traps with a message")
  func computedValue() async throws {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      _ = Defaults.Key("since", default: Date(), suite: Defaults.MemorySuite(), .computed)
    }
    let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(text.contains(#"the trait `.computed` of the key "since" needs a closure"#))
  }

  @Test("Replacing the program's suite traps if the new suite has no storage of its own")
  func suiteWithoutStorage() async throws {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Defaults.withSuite(.userDefaults(.standard)) {}
    }
    let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(text.contains("can't be the program's suite, since it stores its entries itself"))
  }

  @Test("An update inside an update of the same suite traps with a message")
  func updateInUpdate() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let key = Defaults.Key("x", default: 1, suite: Defaults.MemorySuite())
      try Defaults.update(key) { _ in try Defaults.update(key) { $0 += 1 } }
    }
    expectTransactionSentence(result, "written", in: #", an update of "x""#)
  }

  @Test("A set inside an update of the same suite traps with a message")
  func setInUpdate() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let suite = Defaults.MemorySuite()
      let key = Defaults.Key("x", default: 1, suite: suite)
      try Defaults.update(key) { _ in suite.set(1, forKey: "y") }
    }
    expectTransactionSentence(result, #"written ("y")"#, in: #", an update of "x""#)
  }

  @Test("The message of a trap names no update of a third-party suite")
  func setInUpdateOfThirdPartySuite() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let suite = Defaults.MemorySuite()
      let key = Defaults.Key("x", default: 1, suite: EmptySuite("third party"))
      try suite.transaction { _ in
        try Defaults.update(key) { _ in suite.set(1, forKey: "y") }
      }
    }
    expectTransactionSentence(result, #"written ("y")"#)
  }

  @Test("An observation inside a transaction of the same suite traps with a message")
  func observeInTransaction() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let key = Defaults.Key("x", default: 1, suite: Defaults.MemorySuite())
      try key.suite.transaction { _ in _ = Defaults.observe(key) { _ in } }
    }
    expectTransactionSentence(result, "observed")
  }

  @Test("A flush inside a transaction of the same suite traps with a message")
  func flushInTransaction() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let suite = Defaults.MemorySuite()
      try suite.transaction { _ in try? suite.flush() }
    }
    expectTransactionSentence(result, "flushed")
  }

  @Test(
    "A transaction may read its suite, make keys and write another suite")
  func allowedInTransaction() throws {
    let suite = Defaults.MemorySuite(["x": 1])
    let other = Defaults.MemorySuite()
    try suite.transaction { draft in
      let key = Defaults.Key("x", default: 0, suite: suite)
      other[key] = Defaults[key] + 1
      draft[key] = other[key]
    }
    #expect(suite.integer(forKey: "x") == 2)
  }

  private func text(of result: ExitTest.Result?) -> String {
    String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
  }

  private func expectTransactionSentence(
    _ result: ExitTest.Result?, _ deed: String, in update: String = "",
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(
      text(of: result).contains(
        "The suite memory was \(deed) inside of its own transaction\(update). "
          + "Use the draft there, and the suite afterwards."),
      sourceLocation: sourceLocation)
  }
}
