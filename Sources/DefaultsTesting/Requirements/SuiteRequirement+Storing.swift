import Defaults
import Testing

extension Defaults.SuiteRequirement {
  /// Requirements on the entries that another process finds after a flush; checked if the subject
  /// has `storedEntries`. One check calls `flush()`, the other one `flush(.snapshot)`.
  static let ofStoring: [Self] = [
    Self(
      14, "Every flush stores the changes before it, not only the first flush",
      everyFlush),
    Self(
      14, "A name that was removed is missing from the stored entries, and can be set again",
      removals),
  ]

  private static func everyFlush(_ subject: Defaults.SuiteUnderTest) throws {
    let suite = subject.suite
    for number in 1...3 {
      suite.set(number, forKey: "count")
      suite.set("text", forKey: "name \(number)")
      guard let stored = try subject.durableEntries() else { return }
      #expect(stored["count"] == .integer(Int64(number)))
      for earlier in 1...number { #expect(stored["name \(earlier)"] == "text") }
    }
  }

  private static func removals(_ subject: Defaults.SuiteUnderTest) throws {
    let suite = subject.suite
    let names: Set<String> = ["a", "b", "c"]
    func expectStored(_ expected: Set<String>, sourceLocation: SourceLocation) throws -> Bool {
      guard let stored = try subject.storedEntries() else { return false }
      #expect(names.intersection(stored.keys) == expected, sourceLocation: sourceLocation)
      return true
    }
    for name in names { suite.set(1, forKey: name) }
    guard try expectStored(names, sourceLocation: #_sourceLocation) else { return }
    suite.removeObject(forKey: "b")
    _ = try expectStored(["a", "c"], sourceLocation: #_sourceLocation)
    // One change that sets one name and removes the others.
    try suite.transaction { draft in
      draft.removeEntry(named: "a")
      draft.removeEntry(named: "c")
      try draft.setEntry(2, named: "b")
    }
    _ = try expectStored(["b"], sourceLocation: #_sourceLocation)
    suite.removeObject(forKey: "b")
    _ = try expectStored([], sourceLocation: #_sourceLocation)
  }
}
