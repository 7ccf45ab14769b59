import Defaults
import Foundation
import Synchronization
import TestSupport
import Testing

/// Those that count observers run in processes of their own, since observations of other tests also
/// release handlers.
@Suite("Observations tied to released objects", .prompt)
struct DeadTieTests {
  let suite = Defaults.MemorySuite()

  /// The number of captured objects that are alive.
  private final class Count: Sendable {
    let living = Atomic(0)
    var value: Int { living.load(ordering: .relaxed) }
  }

  /// An object that a handler captures.
  private final class Counted: Sendable {
    let count: Count

    init(_ count: Count) {
      self.count = count
      count.living.wrappingAdd(1, ordering: .relaxed)
    }

    deinit { count.living.wrappingSubtract(1, ordering: .relaxed) }
  }

  /// Observes a name, tied to an object.
  private func observe(_ name: String, tiedTo owner: AnyObject, countedBy count: Count) {
    let captured = Counted(count)
    suite.observe([name]) { _ in withExtendedLifetime(captured) {} }.tieToLifetime(of: owner)
  }

  @Test("An observation of a released suite that is tied to an object is released at once")
  func tieWithoutSuite() {
    final class Owner {}
    final class Canary: Sendable {}
    weak var canary: Canary?
    var suite: Defaults.MemorySuite? = Defaults.MemorySuite()
    do {
      let captured = Canary()
      canary = captured
      let token = suite?.observe(nil) { _ in withExtendedLifetime(captured) {} }
      suite = nil
      let owner = Owner()
      token?.tieToLifetime(of: owner)
      withExtendedLifetime(owner) {}
    }
    #expect(suite == nil && canary == nil)
  }

  @Test(
    "Observers of released objects never outnumber those of living ones",
    arguments: [0, 1, 100], ["x", nil])
  func pileUp(living: Int, name: String?) async {
    await #expect(processExitsWith: .success) { [living, name] in
      final class Owner {}
      let tests = DeadTieTests()
      let count = Count()
      let owners = (0..<living).map { _ in Owner() }
      for (number, owner) in owners.enumerated() {
        tests.observe(name ?? "\(number)", tiedTo: owner, countedBy: count)
      }
      var longest = 0
      for number in 0..<1_000 {
        tests.observe(name ?? "\(number)", tiedTo: Owner(), countedBy: count)
        longest = max(longest, count.value)
      }
      #expect(longest <= 2 * (living + 1))
      withExtendedLifetime(owners) {}
    }
  }

  @Test("Observers whose objects were released together are removed as others begin")
  func deadTogether() async {
    await #expect(processExitsWith: .success) {
      final class Owner {}
      let tests = DeadTieTests()
      let count = Count()
      var owners = (0..<500).map { _ in Owner() }
      for (number, owner) in owners.enumerated() {
        tests.observe("\(number)", tiedTo: owner, countedBy: count)
      }
      owners = []
      let tokens = (0..<150).map { _ in tests.suite.observe(["x"]) { _ in } }
      #expect(count.value == 0)
      withExtendedLifetime((owners, tokens)) {}
    }
  }

  @Test("A suite that only its tied handlers retain is released as observations of others begin")
  func retainedSuites() async throws {
    let folder = try TemporaryFolder()
    await #expect(processExitsWith: .success) { [path = folder.path as String] in
      final class Document: Sendable {}
      struct Reference { weak var suite: Defaults.StoredSuite? }
      let suites = try (0..<100).map { number in
        let suite = try Defaults.PropertyListSuite(url: URL(filePath: "\(path)/\(number).plist"))
        let key = Defaults.Key("zoom", default: 1, suite: suite)
        let document = Document()
        Defaults.observe(key) { [weak document] _ in _ = document }.tieToLifetime(of: document)
        Defaults[key] = 2
        return Reference(suite: suite.storage)
      }
      let other = Defaults.MemorySuite()
      let tokens = (0..<30).map { _ in other.observe(["x"]) { _ in } }
      #expect(suites.allSatisfy { $0.suite == nil })
      withExtendedLifetime(tokens) {}
    }
  }

  @Test("Observations tied to released objects are removed when other observations begin")
  func sweep() async {
    await #expect(processExitsWith: .success) {
      final class Owner {}
      final class Canary: Sendable {}
      let suite = Defaults.MemorySuite()
      weak var canary: Canary?
      do {
        let owner = Owner()
        let captured = Canary()
        canary = captured
        suite.observe(["never changed"]) { _ in _ = captured }.tieToLifetime(of: owner)
        suite.observe(nil) { _ in _ = captured }.tieToLifetime(of: owner)
      }
      #expect(canary != nil)
      let tokens = (0..<200).map { number in suite.observe(["\(number)"]) { _ in } }
      #expect(canary == nil)
      for token in tokens { token.invalidate() }
    }
  }

  @Test("Moving a tie to a released object, or removing such a tie, leaves no observer behind")
  func tieOfDead() {
    final class Owner {}
    let count = Count()
    let tokens = (0..<2).map { _ in
      let captured = Counted(count)
      return suite.observe(["x"]) { _ in withExtendedLifetime(captured) {} }
    }
    for token in tokens { token.tieToLifetime(of: Owner()) }
    tokens[0].removeLifetimeTie()
    tokens[1].tieToLifetime(of: Owner())
    #expect(count.value == 0)
    #expect(!suite.support.isObserved("x"))
  }

  /// Retains an owner until `release()`.
  private final class Holder: Sendable {
    final class Owner: Sendable {}

    private let held = Mutex<Owner?>(Owner())

    var owner: Owner? { held.withLock { $0 } }

    func release() { held.withLock { $0 = nil } }
  }

  @Test("An object that is released while its handler runs lives until the handler returns")
  func runningHandler() {
    let holder = Holder()
    let seen = Log<Bool>()
    func begin() {
      guard let owner = holder.owner else { return }
      suite.observe(["x"]) { [weak owner] _ in
        holder.release()
        seen.append(owner != nil)
      }.tieToLifetime(of: owner)
    }
    begin()
    suite.set(1, forKey: "x")
    #expect(seen.all == [true])
    suite.set(2, forKey: "x")
    #expect(seen.all == [true])
    #expect(!suite.support.isObserved("x"))
  }

  /// When it is released, starts an observation tied to an object that is released by then.
  private final class Successor: Sendable {
    let suite: Defaults.MemorySuite

    init(_ suite: Defaults.MemorySuite) { self.suite = suite }

    deinit {
      final class Owner {}
      suite.observe(["y"]) { _ in }.tieToLifetime(of: Owner())
    }
  }

  @Test("Observers of released objects end one after another, even if the end of one starts others")
  func nestedEnds() {
    final class Owner {}
    var owner: Owner? = Owner()
    // Enough to overflow the stack, if each end were inside of the one before it.
    for _ in 0..<25_000 {
      guard let owner else { continue }
      let captured = Successor(suite)
      suite.observe(["x"]) { _ in withExtendedLifetime(captured) {} }.tieToLifetime(of: owner)
    }
    owner = nil
    let tokens = (0..<3).map { _ in suite.observe(["z"]) { _ in } }
    suite.set(1, forKey: "x")
    #expect(!suite.support.isObserved("x"))
    withExtendedLifetime((owner, tokens)) {}
  }
}
