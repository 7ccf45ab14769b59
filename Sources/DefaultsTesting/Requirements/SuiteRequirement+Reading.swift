import Defaults
import Foundation
import Synchronization
import Testing

extension Defaults.SuiteRequirement {
  /// Requirements on reading, and on values that can't be read or written.
  static let ofReading: [Self] = [
    Self(
      1, "A read returns the committed value, even while a transaction's body runs",
      readsDontWaitForTransactions),
    Self(
      2, "A write is visible to every reader when the setter returns",
      writesAreVisible),
    Self(
      3, "A value that can't be encoded leaves the old value unchanged and is reported",
      unencodableValues),
    Self(
      3, "A stored entry that can't be decoded stays, reads as the default, and is reported once",
      undecodableEntries),
    Self(
      3, "One bad element neither erases its siblings nor shortens the collection",
      badElements),
    Self(
      12, "A value is stored exactly, or rejected",
      { try exactness(of: ExactValue.ofValues, $0) }),
    Self(
      12, "An entry is stored under exactly its name, or rejected",
      { try exactness(of: ExactValue.ofNames, $0) }),
    Self(
      12, "A value with too many levels is rejected, and the deepest allowed value is stored",
      depth),
  ]

  private static func readsDontWaitForTransactions(_ subject: Defaults.SuiteUnderTest) throws {
    let suite = subject.suite
    let key = Defaults.Key("count", default: 0, suite: suite)
    suite[key] = 1
    try suite.transaction { draft in
      draft[key] = 2
      // Another thread reads first: if reading needs the lock, this thread would never return.
      let seen = Mutex<Int?>(nil)
      let done = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        let value = Defaults[key]
        seen.withLock { $0 = value }
        done.signal()
      }
      guard done.wait(timeout: .now() + subject.patience) == .success else {
        Testing.Issue.record("a read waits for the transaction to end")
        return
      }
      #expect(seen.withLock { $0 } == 1)
      #expect(Defaults[key] == 1)
      #expect(draft[key] == 2)
    }
    #expect(Defaults[key] == 2)
  }

  private static func writesAreVisible(_ subject: Defaults.SuiteUnderTest) async throws {
    let suite = subject.suite
    let key = Defaults.Key("count", default: 0, suite: suite)
    let twin = Defaults.Key("count", default: 0, suite: suite)
    for number in 1...100 {
      Defaults[key] = number
      let seen = await Task.detached {
        (Defaults[twin], suite[key], suite.integer(forKey: "count"))
      }.value
      #expect(seen == (number, number, number))
    }
  }

  private static func unencodableValues(_ subject: Defaults.SuiteUnderTest) throws {
    let suite = subject.suite
    let key = Defaults.Key("odd", default: Odd(number: 1), suite: suite)
    Defaults[key] = Odd(number: 3)
    Defaults[key] = Odd(number: 4)
    #expect(Defaults[key].number == 3)
    subject.expectIssues([.unencodable])
    let error = #expect(throws: Defaults.SuiteError.self) {
      try suite.set(Odd(number: 4), for: key)
    }
    #expect(error?.code == .unencodable)
    #expect(error?.key == "odd")
    #expect(Defaults[key].number == 3)
  }

  private static func undecodableEntries(_ subject: Defaults.SuiteUnderTest) throws {
    let suite = subject.suite
    suite.set("many", forKey: "count")
    let key = Defaults.Key("count", default: 7, suite: suite)
    #expect(Defaults[key] == 7)
    #expect(Defaults[key] == 7)
    #expect(suite[key] == 7)
    subject.expectIssues([.undecodable])
    #expect(suite.entry(named: "count") == "many")
    let error = #expect(throws: Defaults.SuiteError.self) { try suite.value(for: key) }
    #expect(error?.code == .undecodable)
    #expect(error?.description.contains("count") == true)
    Defaults[key] = 8
    #expect(try suite.value(for: key) == 8)
  }

  private static func badElements(_ subject: Defaults.SuiteUnderTest) throws {
    let suite = subject.suite
    suite.set([1, "two", 3], forKey: "numbers")
    let key = Defaults.Key<[Int]>("numbers", default: [0], suite: suite)
    #expect(Defaults[key] == [0])
    if let texts = subject.issueTexts { #expect(texts.first?.contains("[1]") == true) }
    #expect(suite.entry(named: "numbers") == [1, "two", 3])
  }

  private static func exactness(
    of values: [ExactValue], _ subject: Defaults.SuiteUnderTest
  ) throws {
    let suite = subject.suite
    var kept: [ExactValue] = []
    for value in values {
      do {
        try suite.transaction { draft in
          try draft.setEntry(value.entry, named: value.name)
        }
        kept.append(value)
      } catch let error as Defaults.SuiteError {
        #expect(error.code == .unrepresentable)
        #expect(suite.entry(named: value.name) == nil)
      }
    }
    let stored = try subject.storedEntries()
    for value in kept {
      #expect(suite.entry(named: value.name) == value.entry, "\(value.name)")
      if let stored { #expect(stored[value.name] == value.entry, "\(value.name)") }
    }
  }

  private static func depth(_ subject: Defaults.SuiteUnderTest) throws {
    let suite = subject.suite
    func nested(_ levels: Int) -> Defaults.PropertyListValue {
      (1..<levels).reduce(1) { value, _ in [value] }
    }
    let limit = Defaults.PropertyListValue.maximumDepth
    suite.set(nested(limit), forKey: "deep")
    suite.set(nested(limit + 1), forKey: "deep")
    subject.expectIssues([.unrepresentable])
    #expect(suite.entry(named: "deep") == nested(limit))
    if let stored = try subject.storedEntries() {
      #expect(stored["deep"] == nested(limit))
    }
  }
}

/// An odd number. The bridge rejects even numbers.
struct Odd: Defaults.Serializable, Equatable {
  let number: Int

  static let bridge = Bridge()

  struct Bridge: Defaults.Bridge {
    func serialize(_ value: Odd?) -> Int? {
      value.flatMap { $0.number.isMultiple(of: 2) ? nil : $0.number }
    }
    func deserialize(_ object: Int?) -> Odd? {
      object.flatMap { $0.isMultiple(of: 2) ? nil : Odd(number: $0) }
    }
  }
}
