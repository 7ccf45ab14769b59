import Defaults
import Foundation
import Synchronization
import TestSupport
import Testing

extension Defaults.Keys {
  fileprivate static let quality = Key<Double>("scope.quality", default: 0.8)
  fileprivate static let title = Key<String>("scope.title", default: "none")
  fileprivate static let nickname = Key<String?>("scope.nickname")
}

// The keys belong to the settings of the user who runs the tests, which no scope may change:
// `outside` is the value that a thread without a scope reads.
@Suite("Scopes of suites", .prompt)
struct SuiteScopeTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test("Every use of a key of the standard suite refers to the scope's suite")
  func everyWay() throws {
    let suite = Defaults.MemorySuite()
    try Defaults.withSuite(suite) {
      let standard = Defaults.PropertyListSuite.standard
      #expect(Defaults[.quality] == 0.8)
      #expect(Defaults.Keys.quality.isDefaultValue)
      Defaults[.quality] = 0.5
      #expect(Defaults[.quality] == 0.5)
      #expect(suite[.quality] == 0.5)
      #expect(standard[.quality] == 0.5)
      #expect(try Defaults.value(for: .quality) == 0.5)
      #expect(!Defaults.Keys.quality.isDefaultValue)
      try Defaults.set(0.25, for: .quality)
      try Defaults.update(.quality) { $0 *= 2 }
      try standard.transaction { $0[.title] = "x" }
      #expect(suite.entries == ["scope.quality": 0.5, "scope.title": "x"])
      Defaults.Keys.title.reset()
      Defaults.reset(.quality)
      #expect(suite.entries == [:])
      Defaults[.quality] = 1
      Defaults.reset("scope.quality")
      Defaults[.title] = "y"
      #expect(standard.contains(.title))
      Defaults.removeAll()
      #expect(suite.entries == [:])
      #expect(Defaults.Keys.quality.suite.stored === suite.storage)
    }
  }

  @Test("A key that is made in a scope belongs to the standard suite by default")
  func keysMadeInside() {
    let (first, second) = (Defaults.MemorySuite(), Defaults.MemorySuite())
    let key = Defaults.withSuite(first) {
      let key = Defaults.Key("scope.inside", default: 1)
      Defaults[key] = 2
      #expect(Defaults[key] == 2)
      return key
    }
    Defaults.withSuite(second) {
      #expect(Defaults[key] == 1)
      let twin = Defaults.Key("scope.inside", default: 1, suite: .standard)
      #expect(twin == key)
      Defaults[twin] = 3
      #expect(Defaults[key] == 3)
    }
    #expect(first.entries == ["scope.inside": 2])
  }

  @Test("Explicitly named suites aren't affected by a scope")
  func explicitSuites() {
    let (outer, inner, other) = (
      Defaults.MemorySuite(), Defaults.MemorySuite(), Defaults.MemorySuite()
    )
    let key = Defaults.Key("x", default: 0, suite: other)
    Defaults.withSuite(outer) {
      Defaults[key] = 1
      Defaults[.quality] = 0.1
      let held = Defaults.PropertyListSuite.standard
      Defaults.withSuite(inner) {
        Defaults[key] += 1
        Defaults[.quality] = 0.2
        #expect(held[.quality] == 0.1)
        other[.quality] = 0.3
        #expect(other[.quality] == 0.3)
      }
      #expect(Defaults[.quality] == 0.1)
    }
    #expect(Defaults[key] == 2)
    #expect(other.entries == ["x": 2, "scope.quality": 0.3])
    #expect(inner.entries == ["scope.quality": 0.2])
  }

  @Test("Look-ups by name in a scope find the defaults of the standard suite's keys")
  func untypedDefaults() {
    _ = Defaults.Keys.title
    let suite = Defaults.MemorySuite()
    #expect(suite.string(forKey: "scope.title") == nil)
    Defaults.withSuite(suite) {
      #expect(Defaults.PropertyListSuite.standard.string(forKey: "scope.title") == "none")
      #expect(suite.dictionaryRepresentation()["scope.title"] == "none")
      suite.register(defaults: ["scope.title": "registered"])
      #expect(Defaults[.title] == "registered")
    }
  }

  @Test("A task inherits and keeps its scope while many other tasks use other scopes")
  func tasks() async {
    let (gate, opening) = AsyncStream.makeStream(of: Void.self)
    let suites = (0..<8).map { _ in Defaults.MemorySuite() }
    let stragglers = await withTaskGroup { group in
      for (index, suite) in suites.enumerated() {
        group.addTask {
          await Defaults.withSuite(suite) {
            for _ in 0..<100 {
              _ = try? Defaults.update(.quality) { $0 += Double(index) }
              await Task.yield()
            }
            return Task {
              for await _ in gate {}
              Defaults[.title] = "\(index)"
            }
          }
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    opening.finish()
    for task in stragglers { await task.value }
    for (index, suite) in suites.enumerated() {
      #expect(abs(suite[.quality] - 0.8 - Double(100 * index)) < 1e-6)
      #expect(suite[.title] == "\(index)")
    }
  }

  @Test("Observers run in the scope in which they began, on any thread")
  func observers() async {
    let (suite, other) = (Defaults.MemorySuite(), Defaults.MemorySuite())
    let observation = Defaults.withSuite(suite) {
      Defaults.observe(.quality) { Defaults[.title] = "\($0.newValue)" }
    }
    let stream = Defaults.withSuite(suite) { Defaults.updates(.quality, .nickname) }
    await Task.detached {
      // No scope there, and another one here.
      suite[.quality] = 0.3
    }.value
    #expect(suite[.title] == "0.3")
    Defaults.withSuite(other) { suite[.quality] = 0.4 }
    #expect(suite[.title] == "0.4")
    #expect(other.entries == [:])
    var values: [Double] = []
    for await (quality, nickname) in stream {
      #expect(nickname == nil)
      values.append(quality)
      if quality == 0.4 { break }
    }
    #expect(values == [0.8, 0.3, 0.4])
    observation.invalidate()
  }

  @Test("A scope's suite is released after its tied observations ended with their owner")
  func release() {
    weak var suite: Defaults.MemorySuite?
    weak var storage: Defaults.StoredSuite?
    do {
      let memory = Defaults.MemorySuite()
      (suite, storage) = (memory, memory.storage)
      Defaults.withSuite(memory) {
        final class Owner {}
        let owner = Owner()
        Defaults.observe(.quality) { _ in }.tieToLifetime(of: owner)
        Defaults.observe(keys: .title) { _ = Defaults[.quality] }.tieToLifetime(of: owner)
      }
    }
    #expect(suite == nil)
    #expect(storage == nil)
  }

  @Test("A scope returns results, rethrows errors, and works with withoutPropagation")
  func results() async {
    let suite = Defaults.MemorySuite()
    #expect(throws: CancellationError.self) {
      try Defaults.withSuite(suite) { throw CancellationError() }
    }
    await #expect(throws: CancellationError.self) {
      try await Defaults.withSuite(suite) {
        await Task.yield()
        throw CancellationError()
      }
    }
    let seen = Log<Double>()
    let number = await Defaults.withSuite(suite) {
      await Task.yield()
      let observation = Defaults.observe(.quality, options: []) { seen.append($0.newValue) }
      Defaults.withoutPropagation { Defaults[.quality] = 1 }
      Defaults[.quality] = 2
      observation.invalidate()
      return 5
    }
    #expect(number == 5)
    #expect(seen.all == [2])
  }

  @Test("Reads outside every scope return the program's values before, during and after a scope")
  func outside() async {
    await #expect(processExitsWith: .success) { [path = folder.path as String] in
      setenv("XDG_CONFIG_HOME", path, 1)
      let scoped = Defaults.MemorySuite()
      Defaults.withSuite(scoped) { Defaults[.quality] = 0.1 }
      // Nothing was opened or created, and the keys were first used in the scope.
      #expect(try FileManager.default.contentsOfDirectory(atPath: path).isEmpty)
      #expect(Defaults[.quality] == 0.8)
      Defaults[.quality] = 0.2
      let standard = Defaults.PropertyListSuite.standard
      #expect((Defaults[.quality], standard[.quality]) == (0.2, 0.2))
      Defaults[.title] = "outside"
      #expect(Defaults[.title] == "outside")
      let url = try #require(standard.url)
      let again = try Defaults.PropertyListSuite(url: url)
      let twin = Defaults.Key("scope.title", default: "", suite: again)
      #expect(twin == Defaults.Keys.title)
      let written = Mutex<Int>(0)
      Defaults.withSuite(scoped) {
        #expect(Defaults[.title] == "none")
        #expect(
          (Defaults[twin], again[.title], standard[.title]) == ("outside", "outside", "outside"))
        Defaults[.title] = "inside"
        // A thread has no scope.
        let done = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
          Defaults[.title] = "thread"
          written.withLock { $0 = Defaults[.title] == "thread" ? 1 : 2 }
          done.signal()
        }
        done.wait()
        #expect(Defaults[.title] == "inside")
      }
      #expect(written.withLock { $0 } == 1)
      #expect(Defaults[.title] == "thread")
      #expect(Defaults[.title] == "thread")
      Defaults.removeAll()
      #expect((Defaults[.title], Defaults[.quality]) == ("none", 0.8))
      #expect(scoped.entries == ["scope.quality": 0.1, "scope.title": "inside"])
    }
  }

  @Test("Values that were read before the first scope are hidden in it and return after it")
  func cachedBefore() async {
    await #expect(processExitsWith: .success) { [path = folder.path as String] in
      setenv("XDG_CONFIG_HOME", path, 1)
      Defaults[.quality] = 0.2
      Defaults[.title] = "outside"
      for _ in 0..<3 { #expect((Defaults[.quality], Defaults[.title]) == (0.2, "outside")) }
      await Defaults.withSuite(Defaults.MemorySuite()) {
        for _ in 0..<3 { #expect((Defaults[.quality], Defaults[.title]) == (0.8, "none")) }
        let own = await Task.detached { (Defaults[.quality], Defaults[.title]) }.value
        #expect(own == (0.2, "outside"))
      }
      for _ in 0..<3 { #expect((Defaults[.quality], Defaults[.title]) == (0.2, "outside")) }
      Defaults[.quality] += 0.2
      #expect(Defaults[.quality] == 0.4)
    }
  }
}
